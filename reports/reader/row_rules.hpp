// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reports/schema/schema.hpp"

namespace breakeven {

using Cells = std::function<std::string_view(Column)>;

// As the suite makes it: what has its default is left out, and square products say n alone.
std::string name_of_key(const Cells& cell);

struct BrokenRule {
  Column column;
  std::string text;  // what is wrong with it: `is above median_ns`
};

// What the cells of a row promise of one another: its name is that of its key, and where it is ok,
// its time is positive and inside its interval, between its samples, and verified. Nothing is to be
// concluded from a row that breaks one of them. Every cell is of its column's kind.
std::optional<BrokenRule> broken_rule(const Cells& cell);

}  // namespace breakeven
