// SPDX-License-Identifier: Apache-2.0
// The files of assets/, put into the program when it is built.
#pragma once

#include <string_view>

namespace breakeven::assets {

extern const std::string_view style, charts, table, fleet;

}  // namespace breakeven::assets
