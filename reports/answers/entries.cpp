// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>

#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

std::string key_of(const RowView& row) {
  std::string key;
  for (const ColumnInfo& column : columns()) {
    if (column.is_key) {
      key += row.text(column.column);
      key += '\n';
    }
  }
  return key;
}

// Logical devices on one physical one only check results: their times answer nothing.
bool is_logical(const RowView& row) {
  const Pairs facts = row.pairs(Column::device_facts);
  return std::find(facts.begin(), facts.end(), Pairs::value_type("logical", "yes")) != facts.end();
}

std::string detail_of(const RowView& row, std::string_view key) {
  for (const auto& [name, value] : row.pairs(Column::details)) {
    if (name == key) {
      return value;
    }
  }
  return {};
}

bool differs_only_in_mode(const Entry& x, const Entry& y) {
  return std::all_of(columns().begin(), columns().end(), [&](const ColumnInfo& column) {
    return !column.is_key || column.column == Column::mode ||
           x.text(column.column) == y.text(column.column);
  });
}

}  // namespace

std::size_t Entry::size(Column column) const {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, rows.front().integer(column).value_or(0)));
}

double Entry::real(Column column) const {
  std::vector<double> known;
  for (const RowView& row : rows) {
    if (const auto value = row.real(column)) {
      known.push_back(*value);
    }
  }
  return known.empty() ? 0 : median(known);
}

std::string Entry::detail_text(std::string_view key) const {
  return detail_of(rows.front(), key);
}

std::optional<double> Entry::detail(std::string_view key) const {
  std::vector<double> known;
  for (const RowView& row : rows) {
    const std::string text = detail_of(row, key);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') {
      known.push_back(value);
    }
  }
  return known.empty() ? std::nullopt : std::optional(median(known));
}

std::vector<std::size_t> Entry::indices() const {
  std::vector<std::size_t> indices;
  for (const RowView& row : rows) {
    indices.push_back(row.index());
  }
  return indices;
}

bool is_plain(const Entry& entry) {
  return entry.text(Column::type) == "f32" && entry.text(Column::math) != "tf32" &&
         entry.text(Column::cache) != "cold";
}

bool is_square(const Entry& entry) {
  return entry.size(Column::m) == entry.size(Column::n) &&
         entry.size(Column::k) == entry.size(Column::n) && entry.size(Column::batch) <= 1;
}

namespace {

std::vector<RowView> rows_of_first_machine(const Report& report) {
  std::vector<RowView> rows;
  for (std::size_t i = 0; i < report.size(); ++i) {
    if (report.row(i).text(Column::machine) == report.row(0).text(Column::machine)) {
      rows.push_back(report.row(i));
    }
  }
  return rows;
}

}  // namespace

Entries::Entries(const Report& report) : Entries(report, rows_of_first_machine(report)) {}

Entries::Entries(const Report& report, std::vector<RowView> rows)
    : report_(report), rows_(std::move(rows)) {
  std::map<std::string, std::size_t> places;
  for (const RowView& row : rows_) {
    if (row.text(Column::mode) == "find" || is_logical(row)) {
      continue;
    }
    if (row.status() != Status::ok || row.real(Column::median_ns).value_or(0) <= 0) {
      without_time_.push_back(row);
      continue;
    }
    const auto [place, is_new] = places.emplace(key_of(row), entries_.size());
    if (is_new) {
      entries_.push_back(
          {{}, std::string(row.text(Column::device)), std::string(row.text(Column::mode))});
    }
    entries_[place->second].rows.push_back(row);
  }
  for (Entry& entry : entries_) {
    std::vector<double> medians;
    for (const RowView& row : entry.rows) {
      medians.push_back(*row.real(Column::median_ns));
    }
    entry.nanoseconds = median(medians);
  }
}

std::vector<const Entry*> Entries::of(std::string_view case_name, std::string_view mode,
                                      const EntryTest& test) const {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries_) {
    if (entry.text(Column::case_name) == case_name && entry.mode == mode &&
        (!test || test(entry))) {
      found.push_back(&entry);
    }
  }
  return found;
}

const Entry* Entries::sibling(const Entry& entry, std::string_view mode) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& other) {
    return other.mode == mode && differs_only_in_mode(entry, other);
  });
  return found == entries_.end() ? nullptr : &*found;
}

Entries::Absence Entries::absence(std::string_view case_name, std::string_view mode) const {
  Absence absence;
  std::vector<std::string> reasons;
  for (const RowView& row : without_time_) {
    if (row.text(Column::case_name) != case_name ||
        (!mode.empty() && row.text(Column::mode) != mode)) {
      continue;
    }
    std::string reason = fmt::format("{}: {}", row.text(Column::device), name(row.status()));
    if (row.is_known(Column::reason)) {
      reason += fmt::format(" ({})", row.text(Column::reason));
    }
    absence.rows.push_back(row.index());
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end() && reasons.size() < 4) {
      reasons.push_back(std::move(reason));
    }
  }
  if (reasons.empty()) {
    absence.reason =
        fmt::format("the report has no such rows; `breakeven run --case {}{}` makes them",
                    case_name, mode.empty() ? "" : fmt::format(" --mode {}", mode));
  } else {
    absence.reason = fmt::format("{}", fmt::join(reasons, "; "));
  }
  return absence;
}

}  // namespace breakeven
