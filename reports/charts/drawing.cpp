// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/drawing.hpp"

#include <algorithm>
#include <cctype>

namespace breakeven::drawing {

std::size_t Colours::of(const Curve& curve) {
  const auto name = curve.text(Column::device);
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) {
    return static_cast<std::size_t>(found - names_.begin());
  }
  names_.push_back(name);
  return names_.size() - 1;
}

const std::vector<StoredSweep>& Drawing::sweeps_of_case(const std::string& case_name) {
  const auto [found, is_new] = stored.try_emplace(case_name);
  if (is_new) {
    SweepQuery query;
    query.case_name = case_name;
    found->second = stored_sweeps(report, query);
    std::erase_if(found->second,
                  [&](const StoredSweep& sweep) { return sweep.machine != machine; });
  }
  return found->second;
}

std::string file_name(const std::string& text) {
  constexpr std::size_t longest = 120;
  std::string result;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if ((is_plain || !result.ends_with('-')) && result.size() < longest) {
      result += is_plain ? c : '-';
    }
  }
  return result;
}

std::string titled(const std::string& text, const std::string& case_name, const std::string& type) {
  return printable(text + ": " + case_name + (type == unknown ? "" : ", " + type));
}

bool have(const std::vector<Curve>& curves, Column column) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.sample.row.is_known(column); });
}

}  // namespace breakeven::drawing
