// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/variant_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "reports/statistics/visit_interval.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

namespace {

using CaseName = std::pair<std::string, std::string>;  // heading and sizes

struct Measured {
  std::string device;                          // `blas@skx:0`
  std::map<CaseName, std::vector<double>> ns;  // medians of the visits, of all rounds
};

// `blas:0` of `blas@skx:0`.
std::string device_without_variant(const std::string& device) {
  const auto colon = device.find(':');
  const std::string backend = device.substr(0, colon);
  return std::string(without_variant(backend)) + device.substr(std::min(colon, device.size()));
}

// By the device without its variant; those of one device in the order of their rows.
std::map<std::string, std::vector<Measured>> devices_of(std::span<const TableRow> rows) {
  std::map<std::string, std::vector<Measured>> result;
  for (const TableRow& row : rows) {
    if (row.status != Status::ok || row.visit_medians.empty()) continue;
    std::vector<Measured>& alike = result[device_without_variant(row.device)];
    auto place = std::find_if(alike.begin(), alike.end(),
                              [&](const Measured& one) { return one.device == row.device; });
    if (place == alike.end()) place = alike.insert(place, {row.device, {}});
    std::vector<double>& ns = place->ns[{row.heading, row.sizes}];
    ns.insert(ns.end(), row.visit_medians.begin(), row.visit_medians.end());
  }
  return result;
}

// How many times as long as the base, each case by the visits of all rounds, and by how much their
// geometric mean may be off. Nothing is said of cases without intervals.
std::string factor(const Measured& variant, const Measured& base) {
  double logarithms = 0, squares = 0, cases = 0;
  for (const auto& [name, ns] : variant.ns) {
    const auto other = base.ns.find(name);
    if (other == base.ns.end()) continue;
    const auto its = visit_interval(ns), of_base = visit_interval(other->second);
    if (!its || !of_base) continue;
    const auto half_width = [](const MedianInterval& one) {
      return std::log(one.high / one.low) / 2;
    };
    squares += std::pow(half_width(*its), 2) + std::pow(half_width(*of_base), 2);
    logarithms += std::log(its->median / of_base->median);
    ++cases;
  }
  if (cases == 0) return "";
  const double mean = logarithms / cases, uncertain = std::sqrt(squares) / cases;
  const std::string of = cases == 1 ? "1 case" : fmt::format("{:.0f} cases", cases);
  if (std::abs(mean) <= uncertain)
    return fmt::format("{} and {}: no difference is established ({})\n", variant.device,
                       base.device, of);
  return fmt::format("{} takes {:.2f} times as long as {} ({:.2f} to {:.2f}, {})\n", variant.device,
                     std::exp(mean), base.device, std::exp(mean - uncertain),
                     std::exp(mean + uncertain), of);
}

}  // namespace

std::string variant_factors(std::span<const TableRow> rows) {
  std::string text;
  for (const auto& [device, alike] : devices_of(rows)) {
    const auto named =
        std::find_if(alike.begin(), alike.end(),
                     [&name = device](const Measured& one) { return one.device == name; });
    const Measured& base = named == alike.end() ? alike.front() : *named;
    for (const Measured& variant : alike)
      if (&variant != &base) text += factor(variant, base);
  }
  return text;
}

}  // namespace breakeven
