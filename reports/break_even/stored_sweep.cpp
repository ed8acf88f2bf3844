// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/stored_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "reports/break_even/search_row.hpp"
#include "reports/break_even/stored_verdict.hpp"

namespace breakeven {
namespace {

constexpr std::array size_columns{Column::n,     Column::bytes, Column::batch,
                                  Column::count, Column::m,     Column::k};

struct StoredSide {
  std::string device, mode, memory;
  bool searched = false;  // by `find`
  auto operator<=>(const StoredSide&) const = default;
};

using RowsBySize = std::map<std::size_t, std::vector<RowView>>;

// What two sides have in common, and the rows of each, sides in the order of the report.
struct Family {
  std::string type, common;
  std::vector<std::pair<StoredSide, RowsBySize>> sides;

  RowsBySize& of(const StoredSide& side) {
    for (auto& [known, rows] : sides) {
      if (known == side) {
        return rows;
      }
    }
    return sides.emplace_back(side, RowsBySize{}).second;
  }
};

bool is_on(const std::string& device, std::string_view wanted) {
  return wanted.empty() || device == wanted || device.substr(0, device.find(':')) == wanted;
}

bool allows(const SweepSide& wanted, const StoredSide& side) {
  return is_on(side.device, wanted.device) && (wanted.mode.empty() || wanted.mode == side.mode) &&
         (wanted.memory.empty() || wanted.memory == side.memory);
}

StoredSide side_of(const RowView& row) {
  return {std::string(row.text(Column::device)), measured_mode(row),
          std::string(row.text(Column::memory)), is_probe(row)};
}

std::vector<RowView> usable_rows(const Report& report, const SweepQuery& query) {
  std::vector<RowView> rows;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView row = report.row(i);
    if (row.status() == Status::ok && row.text(Column::case_name) == query.case_name &&
        (query.type.empty() || row.text(Column::type) == query.type) &&
        row.real(Column::median_ns).value_or(0) > 0) {
      const StoredSide side = side_of(row);
      if (allows(query.from, side) || allows(query.to, side)) {
        rows.push_back(row);
      }
    }
  }
  return rows;
}

// Rows of ordinary runs together, and those of each search by themselves: each has its own axis.
std::vector<std::vector<RowView>> populations_of(const std::vector<RowView>& rows) {
  std::vector<std::vector<RowView>> populations;
  std::map<std::string, std::size_t> places;
  for (const RowView& row : rows) {
    const auto [place, is_new] = places.emplace(search_of(row), populations.size());
    if (is_new) {
      populations.emplace_back();
    }
    populations[place->second].push_back(row);
  }
  return populations;
}

std::optional<Column> axis_of(const std::vector<RowView>& rows, const std::string& wanted) {
  for (const Column column : size_columns) {
    if (!wanted.empty()) {
      if (info(column).name == wanted) {
        return column;
      }
      continue;
    }
    std::set<std::string_view> values;
    for (const RowView& row : rows) {
      if (row.is_known(column)) {
        values.insert(row.text(column));
      }
    }
    if (values.size() > 1) {
      return column;
    }
  }
  return std::nullopt;
}

// Every key column but the sides' and the axis; of a square product m and k follow n.
std::string common_of(const RowView& row, Column axis) {
  std::string common;
  for (const ColumnInfo& column : columns()) {
    const Column c = column.column;
    if (!column.is_key || c == axis || c == Column::case_name || c == Column::backend ||
        c == Column::device || c == Column::mode || c == Column::memory || c == Column::type ||
        !row.is_known(c)) {
      continue;
    }
    const bool follows =
        axis == Column::n && (c == Column::m || c == Column::k) && row.text(c) == row.text(axis);
    common += fmt::format("{}{}={}", common.empty() ? "" : " ", column.name,
                          follows ? std::string_view("n") : row.text(c));
  }
  return common;
}

// Rows that may be compared.
std::string family_of(const RowView& row, const std::string& common) {
  return fmt::format("{}\n{}\n{}", row.text(Column::machine), row.text(Column::type), common);
}

std::vector<Family> families_of(const std::vector<RowView>& rows, Column axis) {
  std::vector<Family> families;
  std::map<std::string, std::size_t> places;
  for (const RowView& row : rows) {
    const auto size = row.integer(axis);
    if (!size || *size <= 0) {
      continue;
    }
    const StoredSide side = side_of(row);
    const std::string common = common_of(row, axis);
    const auto [place, is_new] = places.emplace(family_of(row, common), families.size());
    if (is_new) {
      families.push_back({std::string(row.text(Column::type)), common, {}});
    }
    families[place->second].of(side)[static_cast<std::size_t>(*size)].push_back(row);
  }
  return families;
}

Observation observation_of(std::size_t size, const std::vector<RowView>& rows, double nanoseconds) {
  return {size, nanoseconds, rows.front().real(Column::work_bytes).value_or(0),
          rows.front().real(Column::flops).value_or(0)};
}

std::vector<std::size_t> indices_of(const std::vector<RowView>& rows) {
  std::vector<std::size_t> indices;
  for (const RowView& row : rows) {
    indices.push_back(row.index());
  }
  return indices;
}

// What tells the two sides apart, so that their names are short.
std::string name_of(const StoredSide& side, const StoredSide& other) {
  std::vector<std::string> differ;
  if (side.device != other.device) {
    differ.push_back(side.device);
  }
  if (side.mode != other.mode) {
    differ.push_back(side.mode);
  }
  if (side.memory != other.memory && side.memory != unknown && other.memory != unknown) {
    differ.push_back(side.memory);
  }
  return differ.empty() ? side.device : fmt::format("{}", fmt::join(differ, " "));
}

StoredSweep pair_up(const Family& family, const std::pair<StoredSide, RowsBySize>& from,
                    const std::pair<StoredSide, RowsBySize>& to, Column axis) {
  StoredSweep sweep;
  sweep.names = {name_of(from.first, to.first), name_of(to.first, from.first),
                 std::string(info(axis).name)};
  sweep.type = family.type;
  sweep.mode = from.first.mode;
  sweep.to_mode = to.first.mode;
  sweep.common = family.common;
  sweep.is_search = from.first.searched;
  std::vector<LogRatios> visits;
  for (const auto& [size, from_rows] : from.second) {
    const auto found = to.second.find(size);
    if (sweep.is_search && found != to.second.end()) {
      const auto those = visits_of(from_rows, found->second);
      visits.insert(visits.end(), those.begin(), those.end());
    }
  }
  const std::size_t dependent = dependent_blocks(visits);
  std::vector<Probe> probes;
  for (const auto& [size, from_rows] : from.second) {
    const auto found = to.second.find(size);
    if (found == to.second.end()) {
      continue;
    }
    const auto& to_rows = found->second;
    Probe probe = sweep.is_search ? verdict_of_pairs(size, from_rows, to_rows, dependent)
                                  : verdict_of_rounds(size, from_rows, to_rows);
    sweep.from.push_back(observation_of(size, from_rows, probe.from_ns));
    sweep.to.push_back(observation_of(size, to_rows, probe.to_ns));
    sweep.from_rows.push_back(indices_of(from_rows));
    sweep.to_rows.push_back(indices_of(to_rows));
    probes.push_back(std::move(probe));
  }
  sweep.machine = from.second.begin()->second.front().text(Column::machine);
  sweep.finding = finding_of(std::move(probes));
  return sweep;
}

bool share_two_sizes(const RowsBySize& one, const RowsBySize& other) {
  std::size_t shared = 0;
  for (auto size = one.begin(); size != one.end() && shared < 2; ++size) {
    shared += other.count(size->first);
  }
  return shared == 2;
}

// The pairs of sides among rows of one population.
void append_sweeps(std::vector<StoredSweep>& sweeps, const std::vector<RowView>& rows,
                   const SweepQuery& query) {
  const auto axis = axis_of(rows, query.axis);
  if (!axis) {
    return;
  }
  for (const Family& family : families_of(rows, *axis)) {
    const auto is_asked = [&](const StoredSide& from, const StoredSide& to) {
      return allows(query.from, from) && allows(query.to, to);
    };
    for (std::size_t i = 0; i < family.sides.size(); ++i) {
      for (std::size_t j = 0; j < family.sides.size(); ++j) {
        const auto &from = family.sides[i], &to = family.sides[j];
        if (i == j || !share_two_sizes(from.second, to.second) || !is_asked(from.first, to.first) ||
            (j < i && is_asked(to.first, from.first))) {
          continue;
        }
        sweeps.push_back(pair_up(family, from, to, *axis));
        sweeps.back().case_name = query.case_name;
      }
    }
  }
}

}  // namespace

std::vector<StoredSweep> stored_sweeps(const Report& report, const SweepQuery& query) {
  std::vector<StoredSweep> sweeps;
  for (const auto& rows : populations_of(usable_rows(report, query))) {
    append_sweeps(sweeps, rows, query);
  }
  return sweeps;
}

}  // namespace breakeven
