// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr std::size_t fewest_of_a_level = 2;
constexpr std::size_t permutations = 20'000;

struct Interval {
  std::size_t begin = 0, end = 0;
};

// Of each length, which shrinks by the square root of two, so many that they overlap by half.
std::vector<Interval> seeded_intervals(std::size_t n) {
  std::vector<Interval> intervals;
  for (auto length = static_cast<double>(n);
       std::ceil(length) >= static_cast<double>(ChangePoints::fewest_values);
       length /= std::sqrt(2.0)) {
    const auto whole = static_cast<std::size_t>(std::ceil(length));
    const auto room = n - whole;
    const auto steps = (2 * room + whole - 1) / whole;
    for (std::size_t i = 0; i <= steps; ++i) {
      const auto begin = steps == 0 ? 0 : (i * room + steps / 2) / steps;
      intervals.push_back({begin, begin + whole});
    }
  }
  return intervals;
}

struct Split {
  std::size_t at = 0;
  double statistic = 0;
};

Split greatest(const std::vector<double>& ranks, const std::vector<Interval>& intervals) {
  const auto n = static_cast<double>(ranks.size());
  const double deviation = std::sqrt((n * n - 1) / 12);
  std::vector<double> sums(ranks.size() + 1);
  std::partial_sum(ranks.begin(), ranks.end(), sums.begin() + 1);
  Split best;
  for (const auto& [begin, end] : intervals) {
    for (auto at = begin + fewest_of_a_level; at + fewest_of_a_level <= end; ++at) {
      const auto before = static_cast<double>(at - begin), after = static_cast<double>(end - at);
      const double difference = (sums[at] - sums[begin]) / before - (sums[end] - sums[at]) / after;
      const double statistic = std::abs(difference) / deviation / std::sqrt(1 / before + 1 / after);
      if (statistic > best.statistic) {
        best = {at, statistic};
      }
    }
  }
  return best;
}

// Equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    auto end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (auto i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

// Long series are held to the table of a somewhat longer one, whose statistics are a little
// greater: few tables serve all.
std::size_t table_for(std::size_t n) {
  std::size_t length = 30;
  while (length < n) {
    length += length / 5;
  }
  return n <= 30 ? n : length;
}

std::vector<double> statistics_without_change(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<double> ranks(n), statistics;
  std::iota(ranks.begin(), ranks.end(), 0.0);
  const auto intervals = seeded_intervals(n);
  for (std::size_t i = 0; i < permutations; ++i) {
    std::shuffle(ranks.begin(), ranks.end(), random);
    statistics.push_back(greatest(ranks, intervals).statistic);
  }
  std::sort(statistics.begin(), statistics.end());
  return statistics;
}

// Where the values before and after lie nearest to the medians that they have about `first`. Ranks
// tell that there is a change better than where: they favour the middle.
std::size_t most_likely(std::span<const double> values, std::size_t first) {
  const double before = median(values.first(first)), after = median(values.subspan(first));
  double distance = 0, least = 0;  // less that of all values from the median after
  std::size_t best = first;
  for (std::size_t at = 1; at + fewest_of_a_level <= values.size(); ++at) {
    distance += std::abs(values[at - 1] - before) - std::abs(values[at - 1] - after);
    if (at == fewest_of_a_level || (at > fewest_of_a_level && distance < least)) {
      least = distance;
      best = at;
    }
  }
  return best;
}

double step_at(std::span<const double> values, std::size_t begin, std::size_t at, std::size_t end) {
  return std::abs(median(values.subspan(begin, at - begin)) - median(values.subspan(at, end - at)));
}

}  // namespace

// Beyond the greatest hundredth of the table the tail is taken for that of a normal variable, whose
// square has an exponential one. Ranks have a shorter one, so that what is said to be rare is.
double ChangePoints::p_value(std::size_t values, double statistic) {
  auto& table = without_change_[table_for(values)];
  if (table.empty()) {
    table = statistics_without_change(table_for(values));
  }
  constexpr std::size_t tail = permutations / 100;
  const auto above = static_cast<std::size_t>(
      table.end() - std::lower_bound(table.begin(), table.end(), statistic));
  if (above >= tail) {
    return static_cast<double>(above) / permutations;
  }
  const double start = table[permutations - tail] * table[permutations - tail];
  const double excess =
      std::inner_product(table.end() - tail, table.end(), table.end() - tail, 0.0) / tail - start;
  return excess > 0 ? 0.01 * std::exp(-(statistic * statistic - start) / excess) : 0.01;
}

void ChangePoints::divide(std::span<const double> values, std::size_t begin, std::size_t end,
                          std::vector<ChangePoint>& found) {
  const auto n = end - begin;
  if (n < fewest_values) {
    return;
  }
  const auto split = greatest(ranks_of(values.subspan(begin, n)), seeded_intervals(n));
  const double p = p_value(n, split.statistic);
  if (split.statistic > 0 && p <= significance_) {
    divide(values, begin, begin + split.at, found);
    found.push_back({begin + split.at, p});
    divide(values, begin + split.at, end, found);
  }
}

void ChangePoints::merge(std::span<const double> values, std::vector<ChangePoint>& found) const {
  while (!found.empty()) {
    std::size_t least = 0;
    double step = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto begin = i == 0 ? 0 : found[i - 1].first;
      const auto end = i + 1 == found.size() ? values.size() : found[i + 1].first;
      const double here = step_at(values, begin, found[i].first, end);
      if (i == 0 || here < step) {
        step = here;
        least = i;
      }
    }
    if (step >= least_step_) {
      return;
    }
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

std::vector<ChangePoint> ChangePoints::of(std::span<const double> values) {
  std::vector<ChangePoint> found;
  divide(values, 0, values.size(), found);
  merge(values, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto begin = i == 0 ? 0 : found[i - 1].first;
    const auto end = i + 1 == found.size() ? values.size() : found[i + 1].first;
    found[i].first =
        begin + most_likely(values.subspan(begin, end - begin), found[i].first - begin);
  }
  return found;
}

}  // namespace breakeven
