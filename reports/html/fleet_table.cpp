// SPDX-License-Identifier: Apache-2.0
// Many machines: each case by its distribution over them, and those that lie outside by name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/html/page.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr std::size_t fewest_to_judge = 8;  // machines; below, nobody is named

struct Seen {
  std::map<std::string, std::vector<double>> times;  // of each machine, its rounds
  std::size_t without_time = 0;
};

struct Distribution {
  double low = 0, median = 0, high = 0;
  std::vector<std::pair<std::string, double>> outside;  // machine, ratio to the median
};

// Median ± max(3 × 1.4826 × MAD, 5 %): a MAD near zero flags nobody for noise.
Distribution distribution_of(const Seen& seen) {
  std::vector<std::pair<std::string, double>> medians;
  std::vector<double> values, distances;
  for (const auto& [machine, times] : seen.times) {
    medians.emplace_back(machine, median(times));
    values.push_back(medians.back().second);
  }
  Distribution result;
  result.median = median(values);
  for (const double value : values) {
    distances.push_back(std::abs(value - result.median));
  }
  result.low = *std::min_element(values.begin(), values.end());
  result.high = *std::max_element(values.begin(), values.end());
  const double limit = std::max(3 * 1.4826 * median(distances), 0.05 * result.median);
  for (const auto& [machine, value] : medians) {
    if (values.size() >= fewest_to_judge && std::abs(value - result.median) > limit) {
      result.outside.emplace_back(machine, value / result.median);
    }
  }
  std::sort(result.outside.begin(), result.outside.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

// A tick for every machine, from the fastest to the slowest.
std::string strip(const Seen& seen, const Distribution& distribution) {
  constexpr double width = 120;
  std::vector<bool> taken(static_cast<std::size_t>(width) + 1);
  const double span = distribution.high - distribution.low;
  for (const auto& [machine, times] : seen.times) {
    const double share = span > 0 ? (median(times) - distribution.low) / span : 0.5;
    taken[static_cast<std::size_t>(share * width)] = true;
  }
  std::string path;
  for (std::size_t x = 0; x < taken.size(); ++x) {
    path += taken[x] ? fmt::format("M{} 2v12", x + 1) : "";
  }
  return fmt::format(
      "<svg class=\"chart strip\" viewBox=\"0 0 122 16\" aria-hidden=\"true\"><path class=\"line "
      "k0\" d=\"{}\"/></svg>",
      path);
}

}  // namespace

std::string fleet_table(std::span<const Report> reports) {
  std::vector<std::string> order;
  std::map<std::string, Seen> cases;
  std::size_t rows = 0;
  for (const auto& report : reports) {
    for (std::size_t i = 0; i < report.size(); ++i) {
      const auto row = report.row(i);
      const auto [place, is_new] = cases.try_emplace(std::string(row.text(Column::name)));
      if (is_new) {
        order.push_back(place->first);
      }
      const auto time = row.real(Column::median_ns);
      if (row.status() == Status::ok && time) {
        place->second.times[std::string(row.text(Column::machine))].push_back(*time);
      } else {
        ++place->second.without_time;
      }
      ++rows;
    }
  }
  std::string text = fmt::format(
      "<p class=\"quiet\">{} rows, told by case: the median over the machines, the fastest and the "
      "slowest, and by name those that lie outside (median ± three deviations, 5 % at least).</p>\n"
      "<div class=\"scroll\"><table class=\"fleet\"><thead><tr><th>Case</th><th "
      "class=\"number\">Machines</th><th class=\"number\">Median</th><th>Fastest to "
      "slowest</th><th>Outside</th></tr></thead><tbody>\n",
      rows);
  for (const auto& name : order) {
    const auto& seen = cases[name];
    if (seen.times.empty()) {
      continue;
    }
    const auto distribution = distribution_of(seen);
    std::string outside;
    constexpr std::size_t most_named = 6;
    for (std::size_t i = 0; i < std::min(most_named, distribution.outside.size()); ++i) {
      outside +=
          fmt::format("{}<b>{}</b> {}", i == 0 ? "" : ", ", html(distribution.outside[i].first),
                      times_text(distribution.outside[i].second));
    }
    if (distribution.outside.size() > most_named) {
      outside += fmt::format(" and {} more", distribution.outside.size() - most_named);
    }
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}<div "
        "class=\"quiet\">{} … {}</div></td><td>{}</td></tr>\n",
        html(name), seen.times.size(), time_text(distribution.median), strip(seen, distribution),
        time_text(distribution.low), time_text(distribution.high), outside);
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace breakeven
