// SPDX-License-Identifier: Apache-2.0
// The option of a plugin that says in which way products are made, and what reports say of it.
#pragma once

#include <algorithm>
#include <breakeven/plugin.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "plugins/cpu_common/way.hpp"

namespace breakeven::cpu {

inline constexpr Option plan_option = {
    "plan",
    "how products are made: tried (the fastest way found), rules (as they are for this processor), "
    "or rules, zen4, zen5 or intel and what is decided otherwise: +turns_a +turns_b +turns_c +sums "
    "+by_rows +packs +low",
    "tried", ""};

inline constexpr std::pair<std::string_view, bool Way::*> decisions[] = {
    {"turns_a", &Way::turns_a}, {"turns_b", &Way::turns_b}, {"turns_c", &Way::turns_c},
    {"sums", &Way::sums},       {"by_rows", &Way::by_rows}, {"packs", &Way::packs},
    {"low", &Way::low}};

// None: whichever is fastest. Throws std::runtime_error for what is none.
inline std::optional<Way> way_of(std::string_view plan) {
  if (plan == "tried") return std::nullopt;
  Way way;
  for (std::size_t from = 0, end; from <= plan.size(); from = end + 1) {
    end = std::min(plan.find('+', from), plan.size());
    const std::string_view part = plan.substr(from, end - from);
    bool known = from == 0 && part == "rules";
    if (from == 0 && (part == "zen4" || part == "zen5" || part == "intel"))
      known = true, way.rules = {.intel = part == "intel", .zen4 = part == "zen4"};
    for (const auto& [name, decision] : decisions)
      if (from > 0 && part == name) known = true, way.*decision = true;
    if (!known)
      throw std::runtime_error("option plan is '" + std::string(plan) +
                               "'; it can be tried, rules, zen4, zen5 or intel, all but the first "
                               "followed by any of +turns_a +turns_b +turns_c +sums +by_rows "
                               "+packs +low");
  }
  if (way.turns_a + way.turns_b + way.turns_c > 1)
    throw std::runtime_error("option plan is '" + std::string(plan) +
                             "'; only one of turns_a, turns_b and turns_c can be done");
  return way;
}

// What way_of makes that way of.
inline std::string plan_of(const Way& way) {
  std::string plan = way.rules == family ? "rules"
                     : way.rules.intel   ? "intel"
                     : way.rules.zen4    ? "zen4"
                                         : "zen5";
  for (const auto& [name, decision] : decisions)
    if (way.*decision) plan.append("+").append(name);
  return plan;
}

// The routine of a task that makes a product in that way: `gemm`, or another name, and how it may
// be made so again where the rules say otherwise. Lives as long as the plugin.
inline std::string_view gemm_routine(const Way& way, const std::string& name = "gemm") {
  const std::string plan = plan_of(way);
  static std::mutex mutex;
  static std::set<std::string> routines;
  const std::lock_guard lock(mutex);
  return *routines.insert(plan == "rules" ? name : name + " plan=" + plan).first;
}

}  // namespace breakeven::cpu
