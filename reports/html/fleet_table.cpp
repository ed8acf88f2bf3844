// SPDX-License-Identifier: Apache-2.0
// Many machines: where they break even, each case by its distribution over them, and by name those
// that lie outside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "reports/answers/overview.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/origins.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr std::size_t fewest_to_judge = 8;  // machines; below, nobody is named

struct Seen {
  std::string name, case_name, device;
  double work = 0;  // flops, or bytes
  bool is_square_product = false;
  double n = 0;
  std::map<std::string, std::vector<double>> times;  // of each machine, its rounds
};

struct Fleet {
  std::vector<Seen> cases;  // with a time, in the order of the reports
  std::size_t rows = 0, machines = 0;
};

Fleet fleet_of(std::span<const Report> reports) {
  Fleet fleet;
  const auto origins = origins_of(reports);
  fleet.machines = origins.size();
  std::map<std::pair<std::size_t, std::string>, std::string> names;
  for (const auto& origin : origins) {
    names[{origin.report, origin.machine}] = origin.name;
  }
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (std::size_t j = 0; j < reports[i].size(); ++j) {
      const auto row = reports[i].row(j);
      const auto time = row.real(Column::median_ns);
      ++fleet.rows;
      if (row.status() != Status::ok || !time) {
        continue;
      }
      const auto [place, is_new] =
          places.try_emplace(std::string(row.text(Column::name)), fleet.cases.size());
      if (is_new) {
        auto& seen = fleet.cases.emplace_back();
        seen.name = place->first;
        seen.case_name = row.text(Column::case_name);
        seen.device = row.text(Column::device);
        seen.n = row.real(Column::n).value_or(0);
        seen.work = row.real(Column::flops).value_or(row.real(Column::work_bytes).value_or(0));
        seen.is_square_product = seen.case_name == "matmul" && row.text(Column::type) == "f32" &&
                                 row.text(Column::mode) == "resident" &&
                                 row.text(Column::math) == "native" &&
                                 row.text(Column::m) == row.text(Column::n) &&
                                 row.text(Column::k) == row.text(Column::n);
      }
      fleet.cases[place->second]
          .times[names[{i, std::string(row.text(Column::machine))}]]
          .push_back(*time);
    }
  }
  return fleet;
}

struct Distribution {
  double low = 0, median = 0, high = 0;
  std::vector<double> inside;                           // ratios to the median, sorted
  std::vector<std::pair<std::string, double>> outside;  // machine and ratio, the slowest first
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
    } else {
      result.inside.push_back(value / result.median);
    }
  }
  std::sort(result.inside.begin(), result.inside.end());
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

// Who is how often outside, and how far in the middle; those rarely so are left out.
struct Outsider {
  std::string machine;
  double share, ratio;
};

std::vector<Outsider> outsiders_of(const Fleet& fleet) {
  constexpr double often = 0.2;  // of its cases
  std::map<std::string, std::vector<double>> ratios;
  std::map<std::string, double> cases;
  for (const auto& seen : fleet.cases) {
    for (const auto& [machine, times] : seen.times) {
      ++cases[machine];
    }
    for (const auto& [machine, ratio] : distribution_of(seen).outside) {
      ratios[machine].push_back(ratio);
    }
  }
  std::vector<Outsider> outsiders;
  for (const auto& [machine, all] : ratios) {
    const double share = static_cast<double>(all.size()) / cases[machine];
    if (share >= often) {
      outsiders.push_back({machine, share, median(all)});
    }
  }
  std::stable_sort(outsiders.begin(), outsiders.end(),
                   [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  return outsiders;
}

// Of every device its largest product and its largest pass over memory.
drawing::Chart chart_of(const Fleet& fleet) {
  constexpr std::size_t most_boxes = 10;
  drawing::Chart chart;
  chart.id = "spread";
  chart.title = "How far the machines lie apart";
  chart.caption =
      "A box holds half of the machines, its line the median; by name those outside (three "
      "deviations, 5 % at least). To the right is slower.";
  chart.x.label = "time, of the median over the machines";
  for (const auto* case_name : {"matmul", "elementwise"}) {
    std::vector<std::string> told;
    for (const auto& seen : fleet.cases) {
      const bool is_first =
          std::find(told.begin(), told.end(), seen.device) == told.end() && !seen.times.empty();
      if (seen.case_name != case_name || !is_first || chart.boxes.size() == most_boxes) {
        continue;
      }
      told.push_back(seen.device);
      const Seen* largest = &seen;
      for (const auto& other : fleet.cases) {
        if (other.case_name == case_name && other.device == seen.device &&
            (other.is_square_product || !seen.is_square_product) && other.work > largest->work) {
          largest = &other;
        }
      }
      auto distribution = distribution_of(*largest);
      if (distribution.inside.empty()) {
        continue;
      }
      const auto& inside = distribution.inside;
      chart.boxes.push_back({printable(largest->name), time_text(distribution.median),
                             inside.front(), quantile_sorted(inside, 0.25),
                             quantile_sorted(inside, 0.75), inside.back(),
                             std::move(distribution.outside)});
    }
  }
  return chart;
}

// `blas:0 on 120 machines, serial:0 on 80`, at the size nearest to 1000.
HeadlineFact fastest_fact(const Fleet& fleet) {
  double n = 0;
  const auto distance = [](double size) { return std::abs(std::log(size / 1000)); };
  for (const auto& seen : fleet.cases) {
    if (seen.is_square_product && (n == 0 || distance(seen.n) < distance(n))) {
      n = seen.n;
    }
  }
  std::map<std::string, std::pair<double, std::string>> best;  // by machine
  for (const auto& seen : fleet.cases) {
    for (const auto& [machine, times] : seen.times) {
      if (auto& one = best[machine]; seen.is_square_product && seen.n == n &&
                                     (one.second.empty() || median(times) < one.first)) {
        one = {median(times), seen.device};
      }
    }
  }
  std::map<std::string, std::size_t> counts;
  for (const auto& [machine, one] : best) {
    counts[one.second] += one.second.empty() ? 0 : 1;
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [device, count] : counts) {
    order.emplace_back(count, device);
  }
  std::sort(order.rbegin(), order.rend());
  HeadlineFact fact{fmt::format("Which is fastest for a product of {:g}?", n), {}, {}, {}, {}};
  for (const auto& [count, device] : order) {
    fact.answer += count == 0
                       ? ""
                       : fmt::format("{}{} on {} of {} machines", fact.answer.empty() ? "" : ", ",
                                     device, count, best.size());
  }
  return fact;
}

// The commonest answer of each pair of sides; who differs, by name.
std::string crossings_counts(const Crossings& crossings) {
  std::string text =
      "<h2 id=\"across\">Where it breaks even</h2>\n<div class=\"scroll\"><table "
      "class=\"crossings\"><thead><tr><th></th><th>Faster</th><th "
      "class=\"number\">Machines</th><th>Which</th></tr></thead><tbody>\n";
  for (const auto& line : crossings.lines) {
    std::map<std::string, std::vector<std::string>> machines;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (!line.cells[i].bracket.empty()) {
        machines[line.cells[i].bracket].push_back(crossings.machines[i]);
      }
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> order(machines.begin(),
                                                                        machines.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second.size() > b.second.size();
    });
    for (const auto& [bracket, names] : order) {
      constexpr std::size_t most_named = 6;
      std::string which;
      for (std::size_t i = 0; i < names.size() && names.size() <= most_named; ++i) {
        which += (i == 0 ? "" : ", ") + names[i];
      }
      text +=
          fmt::format("<tr><th>{}</th><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                      html(line.pair), html(bracket), names.size(), html(which));
    }
  }
  return crossings.lines.empty() ? "" : text + "</tbody></table></div>\n";
}

// Of the first report where most machines say the same, else what most of them say of any sides.
std::pair<std::string, std::size_t> commonest_title(const Crossings& crossings,
                                                    const std::string& first) {
  std::map<std::string, std::size_t> titles;
  for (const auto& line : crossings.lines) {
    for (const auto& cell : line.cells) {
      titles[cell.title] += cell.title.empty() ? 0 : 1;
    }
  }
  if (titles.empty() || 2 * titles[first] >= crossings.machines.size()) {
    return {first, titles[first]};
  }
  return *std::max_element(titles.begin(), titles.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

std::string table_of(const Fleet& fleet) {
  std::string text = fmt::format(
      "<h2 id=\"all-rows\">All cases</h2>\n<p class=\"quiet\">{} rows, told by case: the median "
      "over the machines, the fastest and the "
      "slowest, and by name those that lie outside (median ± three deviations, 5 % at least).</p>\n"
      "<div class=\"scroll\"><table class=\"fleet\"><thead><tr><th>Case</th><th "
      "class=\"number\">Machines</th><th class=\"number\">Median</th><th>Fastest to "
      "slowest</th><th>Outside</th></tr></thead><tbody>\n",
      fleet.rows);
  for (const auto& seen : fleet.cases) {
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
        html(seen.name), seen.times.size(), time_text(distribution.median),
        strip(seen, distribution), time_text(distribution.low), time_text(distribution.high),
        outside);
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string fleet_screen(std::span<const Report> reports) {
  const auto fleet = fleet_of(reports);
  const auto crossings = crossings_of(reports);
  const auto outsiders = outsiders_of(fleet);
  const auto chart = chart_of(fleet);
  const auto [title, count] = commonest_title(crossings, headline_of(reports.front()).title);
  Headline headline;
  if (auto fastest = fastest_fact(fleet); !fastest.answer.empty()) {
    headline.facts.push_back(std::move(fastest));
  }
  HeadlineFact outside{"Which machines lie outside?", "None in a fifth of its cases.", {}, {}, {}};
  constexpr std::size_t most_named = 8;
  for (std::size_t i = 0; i < std::min(most_named, outsiders.size()); ++i) {
    const auto& one = outsiders[i];
    outside.answer = i == 0 ? one.machine : outside.answer + ", " + one.machine;
    outside.detail +=
        fmt::format("{}{}: {} of the time of the others, in {} of its cases", i == 0 ? "" : "; ",
                    one.machine, times_text(one.ratio), share_text(one.share));
  }
  if (outsiders.size() > most_named) {
    outside.answer += fmt::format(" and {} more", outsiders.size() - most_named);
  }
  headline.facts.push_back(std::move(outside));
  headline.facts.push_back({"What should I do next?",
                            "Have every machine judged against its equals.",
                            "It names slow and wrong ones with a known rate of false alarms.",
                            {},
                            {"breakeven fleet FOLDER"}});
  return fmt::format(
             "<section id=\"answer\">\n<h1>{}</h1>\n<p class=\"sub\">{} of {} machines say so. "
             "Square f32 products, data already in place.</p>\n<div class=\"hero\">\n<div>{}{}"
             "</div>\n{}</div>\n",
             html(title), count, fleet.machines,
             chart.boxes.empty() ? "" : figure(chart, Frame::wide),
             trust_strip(trust_of(reports), fmt::format("{} machines", fleet.machines)),
             facts_list(headline, reports.front(), 0)) +
         crossings_counts(crossings) + "</section>\n" + table_of(fleet);
}

std::string fleet_table(std::span<const Report> reports) {
  return table_of(fleet_of(reports));
}

}  // namespace breakeven
