// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/variant_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "reports/statistics/order_statistics.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

namespace {

using CaseName = std::pair<std::string, std::string>;  // heading and sizes

struct Measured {
  std::string device;                          // `blas@skx:0`
  std::map<CaseName, std::vector<double>> ns;  // medians of the rounds
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
    place->ns[{row.heading, row.sizes}].push_back(median(row.visit_medians));
  }
  return result;
}

std::string factor(const Measured& variant, const Measured& base) {
  std::vector<double> factors;
  double logarithms = 0;
  for (const auto& [name, ns] : variant.ns) {
    const auto other = base.ns.find(name);
    if (other == base.ns.end()) continue;
    factors.push_back(median(ns) / median(other->second));
    logarithms += std::log(factors.back());
  }
  if (factors.empty()) return "";
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  const std::string mean =
      fmt::format("{} takes {:.2f} times as long as {}", variant.device,
                  std::exp(logarithms / static_cast<double>(factors.size())), base.device);
  if (factors.size() == 1) return mean + " (1 case)\n";
  return mean + fmt::format(" (geometric mean of {} cases, {:.2f} to {:.2f})\n", factors.size(),
                            *least, *most);
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
