// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/row_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "reports/schema/ceiling_share.hpp"
#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr std::size_t longest_name = 1000;
constexpr double rounding = 1e-6;         // of samples, which have nine digits, and of rates
constexpr double largest_rate = 1e24;     // of one machine, per second
constexpr double longest_time_ns = 1e18;  // thirty years

std::optional<double> real(const Cells& cell, Column column) {
  const auto text = cell(column);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

bool is_above(double a, double b) {
  return a > b && !is_near(a, b);
}

std::optional<BrokenRule> of_name(const Cells& cell) {
  const auto name = cell(Column::name);
  if (name.size() > longest_name) {
    return BrokenRule{Column::name, "has " + std::to_string(name.size()) +
                                        " characters, the most are " +
                                        std::to_string(longest_name)};
  }
  const auto from_key = name_of_key(cell);
  return name == from_key ? std::nullopt
                          : std::optional(BrokenRule{Column::name, "is not the name of its key, " +
                                                                       from_key.substr(0, 200)});
}

// Each known one is at least the known one before it.
std::optional<BrokenRule> of_order(const Cells& cell, std::initializer_list<Column> columns) {
  std::optional<double> before;
  Column column_before{};
  for (const Column column : columns) {
    const auto value = real(cell, column);
    if (!value) {
      continue;
    }
    if (*value <= 0) {
      return BrokenRule{column, "is no time"};
    }
    if (before && is_above(*before, *value)) {
      return BrokenRule{column, "is below " + std::string(info(column_before).name)};
    }
    before = value;
    column_before = column;
  }
  return std::nullopt;
}

std::optional<BrokenRule> of_samples(const Cells& cell, double median) {
  if (cell(Column::samples_ns) == unknown) {
    return std::nullopt;
  }
  const auto visits = parse_samples(cell(Column::samples_ns));
  if (!visits) {
    return BrokenRule{Column::samples_ns, "is no list of samples"};
  }
  std::vector<double> medians;
  for (const auto& visit : *visits) {
    if (std::any_of(visit.begin(), visit.end(), [](double sample) { return !(sample > 0); })) {
      return BrokenRule{Column::samples_ns, "holds a sample that is no time"};
    }
    medians.push_back(breakeven::median(visit));
  }
  return is_near(breakeven::median(medians), median)
             ? std::nullopt
             : std::optional(BrokenRule{Column::samples_ns, "has another median than median_ns"});
}

std::optional<BrokenRule> of_rate(const Cells& cell, Column column, Column work, double median) {
  const auto rate = real(cell, column), done = real(cell, work);
  if (rate && *rate > largest_rate) {
    return BrokenRule{column, "is faster than anything"};
  }
  if (rate && done && !is_near(*rate * median, *done * 1e9)) {
    return BrokenRule{column, "is not " + std::string(info(work).name) + " / median_ns"};
  }
  return std::nullopt;
}

std::optional<BrokenRule> of_ceiling(const Cells& cell) {
  const auto ceiling = real(cell, Column::ceiling), share = real(cell, Column::ceiling_share);
  if (ceiling && *ceiling <= 0) {
    return BrokenRule{Column::ceiling, "bounds nothing"};
  }
  if (share && (*share <= 0 || *share > largest_ceiling_share)) {
    return BrokenRule{Column::ceiling_share, "is no share of a ceiling"};
  }
  return std::nullopt;
}

std::optional<BrokenRule> of_verification(const Cells& cell) {
  const auto error = real(cell, Column::verify_error),
             tolerance = real(cell, Column::verify_tolerance);
  return error && tolerance && *error > *tolerance
             ? std::optional(
                   BrokenRule{Column::verify_error, "is above verify_tolerance, but status is ok"})
             : std::nullopt;
}

std::optional<BrokenRule> of_times(const Cells& cell) {
  const auto median = real(cell, Column::median_ns);
  if (!median || !(*median > 0)) {
    return BrokenRule{Column::median_ns, "is no time, but status is ok"};
  }
  if (*median > longest_time_ns) {
    return BrokenRule{Column::median_ns, "is longer than any run"};
  }
  for (const auto& broken :
       {of_order(cell, {Column::median_low_ns, Column::median_ns, Column::median_high_ns}),
        of_order(cell, {Column::min_ns, Column::p25_ns, Column::p75_ns, Column::p95_ns}),
        of_order(cell, {Column::min_ns, Column::median_ns}), of_samples(cell, *median),
        of_rate(cell, Column::flops_per_s, Column::flops, *median),
        of_rate(cell, Column::bytes_per_s, Column::work_bytes, *median), of_ceiling(cell),
        of_verification(cell)}) {
    if (broken) {
      return broken;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string name_of_key(const Cells& cell) {
  std::string name(cell(Column::case_name));
  name += '/';
  name += cell(Column::device);
  name += '/';
  name += cell(cell(Column::math) == "tf32" ? Column::math : Column::type);
  name += '/';
  name += cell(Column::mode);
  const auto n = cell(Column::n);
  const bool is_square = cell(Column::m) == n && cell(Column::k) == n;
  for (const Column column :
       {Column::m, Column::n, Column::k, Column::batch, Column::count, Column::bytes,
        Column::memory, Column::direction, Column::cache, Column::devices, Column::feeders}) {
    const auto value = cell(column);
    const bool is_default =
        value == unknown || (is_square && (column == Column::m || column == Column::k)) ||
        (column == Column::batch && value == "1" && n != unknown) ||
        (column == Column::cache && value == "hot") ||
        ((column == Column::devices || column == Column::feeders) && value == "1");
    if (!is_default) {
      name += '/';
      name += info(column).name;
      name += ':';
      name += value;
    }
  }
  return name;
}

std::optional<BrokenRule> broken_rule(const Cells& cell) {
  if (auto broken = of_name(cell)) {
    return broken;
  }
  return cell(Column::status) == name(Status::ok) ? of_times(cell) : std::nullopt;
}

}  // namespace breakeven
