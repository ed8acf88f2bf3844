// SPDX-License-Identifier: Apache-2.0
#include "suite/find/resumed_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "reports/break_even/search_row.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

std::vector<double> block_medians(const RowView& row) {
  std::vector<double> medians;
  for (const auto& block : row.samples(Column::samples_ns).value_or(Visits{})) {
    medians.push_back(block.empty() ? 0 : median(block));
  }
  return medians;
}

}  // namespace

RecordedVisits recorded_visits(const Report& report, const std::string& case_name,
                               const std::string& type, const std::string& search, Column axis) {
  RecordedVisits visits;
  std::map<std::pair<std::size_t, std::string>, std::vector<double>> first_sides;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView row = report.row(i);
    const auto size = row.integer(axis);
    if (!size || row.text(Column::case_name) != case_name || row.text(Column::mode) != "find" ||
        row.text(Column::type) != type || probe_text(row, Column::search) != search) {
      continue;
    }
    const auto n = static_cast<std::size_t>(*size);
    if (row.status() != Status::ok) {
      visits[n].push_back(
          {{}, fmt::format("{}: {}", name(row.status()), row.text(Column::reason))});
      continue;
    }
    std::vector<double> medians = block_medians(row);
    const auto place = std::pair(n, probe_text(row, Column::line_up));
    if (probe_text(row, Column::side) == "from") {
      first_sides[place] = std::move(medians);
      continue;
    }
    RecordedVisit visit;
    const std::vector<double>& from = first_sides[place];
    for (std::size_t block = 0; block < std::min(from.size(), medians.size()); ++block) {
      visit.blocks.push_back({from[block], medians[block]});
    }
    if (!visit.blocks.empty()) {
      visits[n].push_back(std::move(visit));
    }
  }
  return visits;
}

void ResumedPairs::enter(std::size_t size) {
  size_ = size;
  left_.clear();
  is_live_ = false;
  std::deque<RecordedVisit>& recorded = recorded_[size];
  if (recorded.empty()) {
    is_live_ = true;
    return live_.enter(size);
  }
  const RecordedVisit visit = std::move(recorded.front());
  recorded.pop_front();
  if (!visit.refused.empty()) {
    throw SizeRefused(visit.refused);
  }
  left_.assign(visit.blocks.begin(), visit.blocks.end());
}

Pair ResumedPairs::block() {
  if (!is_live_ && left_.empty()) {
    live_.enter(size_);
    is_live_ = true;
  }
  if (is_live_) {
    return live_.block();
  }
  const Pair pair = left_.front();
  left_.pop_front();
  return pair;
}

void ResumedPairs::leave(Faster found) {
  if (is_live_) {
    live_.leave(found);
  }
}

}  // namespace breakeven
