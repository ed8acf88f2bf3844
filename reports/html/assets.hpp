// SPDX-License-Identifier: Apache-2.0
// The files of assets/ and Chart.js, put into the program when it is built.
#pragma once

#include <string_view>

namespace breakeven::assets {

extern const std::string_view style, charts, table, fleet;
extern const std::string_view chart_js;  // empty: there was none when the program was built

}  // namespace breakeven::assets
