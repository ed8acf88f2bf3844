// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "suite/model/case.hpp"

namespace breakeven {

// In the order of the report.
std::span<const Case* const> all_cases();

// Null: there is none of this name.
const Case* case_named(std::string_view name);

}  // namespace breakeven
