// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/curves.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "reports/break_even/search_row.hpp"
#include "reports/statistics/effect.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven::drawing {
namespace {

constexpr std::array axes{Column::bytes, Column::n, Column::batch,
                          Column::count, Column::k, Column::m};

bool is_square(const RowView& row) {
  return row.text(Column::n) == row.text(Column::m) && row.text(Column::n) == row.text(Column::k);
}

// The first size that varies; of products, only square ones are sizes of one kind.
std::optional<Column> axis_of(const std::vector<CurveRow>& entries) {
  for (const auto axis : axes) {
    std::set<std::string_view> values;
    for (const auto& entry : entries) {
      const auto& row = entry.row;
      if (row.is_known(axis) && (axis != Column::n || !row.is_known(Column::m) || is_square(row))) {
        values.insert(row.text(axis));
      }
    }
    if (values.size() > 1) {
      return axis;
    }
  }
  return std::nullopt;
}

std::vector<Column> distinguishing(const RowView& row, std::optional<Column> axis) {
  std::vector<Column> result;
  for (const auto& column : columns()) {
    const bool follows_axis = axis == Column::n && is_square(row) &&
                              (column.column == Column::m || column.column == Column::k);
    if (column.is_key && column.column != axis && column.column != Column::case_name &&
        column.column != Column::backend && !follows_axis) {
      result.push_back(column.column);
    }
  }
  return result;
}

std::string text_of(const RowView& row, Column column) {
  return column == Column::mode ? measured_mode(row) : std::string(row.text(column));
}

Sweep sweep_of(const std::vector<CurveRow>& entries) {
  const auto& first = entries.front().row;
  Sweep sweep{std::string(first.text(Column::case_name)), search_of(first), axis_of(entries), {}};
  std::map<std::string, std::size_t> known;
  for (const auto& entry : entries) {
    const auto columns = distinguishing(entry.row, sweep.axis);
    std::string key;
    for (const auto column : columns) {
      key += '\n';
      key += text_of(entry.row, column);
    }
    const auto [found, is_new] = known.emplace(std::move(key), sweep.curves.size());
    if (is_new) {
      sweep.curves.push_back({columns, entry, {}});
    }
    const double x = sweep.axis ? entry.row.real(*sweep.axis).value_or(0) : 0;
    auto& places = sweep.curves[found->second].places;
    auto place = std::lower_bound(places.begin(), places.end(), x,
                                  [](const Place& a, double value) { return a.x < value; });
    if (place == places.end() || place->x != x) {
      place = places.insert(place, {x, {}});
    }
    place->rounds.push_back(entry);
  }
  return sweep;
}

std::string part_of_label(Column column, const std::string& value) {
  switch (column) {
    case Column::device:
    case Column::type:
    case Column::mode:
    case Column::memory:
    case Column::direction:
    case Column::cache:
      return value;
    case Column::math:
      return value == "native" ? "" : value;
    default:
      return std::string(info(column).name) + " " + value;
  }
}

}  // namespace

std::string id_of(std::size_t report, const RowView& row) {
  return "r" + std::to_string(report) + "-" + std::to_string(row.line());
}

std::string Curve::text(Column column) const {
  return text_of(sample.row, column);
}

std::string Curve::label(std::span<const Curve> among) const {
  std::string label;
  for (const auto column : distinguishing) {
    const auto value = text(column);
    const bool varies = std::any_of(among.begin(), among.end(), [&](const Curve& other) {
      return other.text(column) != value;
    });
    const auto part = varies || column == Column::device ? part_of_label(column, value) : "";
    if (!part.empty() && value != unknown) {
      label += label.empty() ? "" : " · ";
      label += part;
    }
  }
  return printable(label);
}

std::vector<Sweep> sweeps_of(const Report& report, std::size_t number, std::string_view machine) {
  std::vector<std::vector<CurveRow>> sets;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const auto row = report.row(i);
    if (row.status() != Status::ok || row.text(Column::machine) != machine) {
      continue;
    }
    const auto [place, is_new] = places.emplace(
        std::pair(std::string(row.text(Column::case_name)), search_of(row)), sets.size());
    if (is_new) {
      sets.emplace_back();
    }
    sets[place->second].push_back({row, number});
  }
  std::vector<Sweep> sweeps;
  for (const auto& entries : sets) {
    sweeps.push_back(sweep_of(entries));
  }
  return sweeps;
}

std::optional<Point> point_of(const Place& place, const Value& value) {
  std::vector<double> values;
  for (const auto& entry : place.rounds) {
    const auto nanoseconds = entry.row.real(Column::median_ns);
    const auto found = nanoseconds ? value(entry.row, *nanoseconds) : std::nullopt;
    if (!found || !(*found > 0)) {
      return std::nullopt;
    }
    values.push_back(*found);
  }
  const auto& first = place.rounds.front();
  Point point{place.x, median(values), 0, 0, id_of(first.report, first.row)};
  point.low = point.high = point.y;
  if (values.size() >= 3) {
    const auto interval = geometric_mean_interval(values);
    point.low = std::min(interval->low, point.y);  // the mean is not the median
    point.high = std::max(interval->high, point.y);
  } else if (values.size() == 1) {
    if (const auto interval = first.row.visits_interval()) {
      const double one = *value(first.row, interval->low_ns),
                   other = *value(first.row, interval->high_ns);
      point.low = std::min(one, other);
      point.high = std::max(one, other);
    }
  }
  return point;
}

}  // namespace breakeven::drawing
