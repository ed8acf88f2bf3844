// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/answers/entries.hpp"
#include "reports/answers/sentence.hpp"
#include "reports/answers/told_sweeps.hpp"
#include "reports/reader/origins.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

// `matmul/serial:0/f32/resident/n:16` as `matmul/f32/resident/n:16`
std::string without_device(std::string_view name) {
  const auto first = name.find('/');
  const auto second = first == name.npos ? name.npos : name.find('/', first + 1);
  return second == name.npos
             ? std::string(name)
             : std::string(name.substr(0, first)) + std::string(name.substr(second));
}

std::string bracket_text(const StoredSweep& sweep) {
  const Finding& finding = sweep.finding;
  switch (finding.kind) {
    case Finding::Kind::bracket: {
      const bool from_wins = finding.changes.back().below == Faster::to;
      return fmt::format("{} from {} = {} ({} … {})", from_wins ? sweep.names.from : sweep.names.to,
                         sweep.names.axis, finding.high(), finding.low(), finding.high());
    }
    case Finding::Kind::band:
      return fmt::format("changes {} times, {} … {}", finding.changes.size(), finding.low(),
                         finding.high());
    case Finding::Kind::none:
      return fmt::format(
          "{} {}, {} … {}", finding.winner == Faster::from ? sweep.names.from : sweep.names.to,
          std::all_of(finding.probes.begin(), finding.probes.end(),
                      [&](const Probe& probe) { return probe.faster == finding.winner; })
              ? "throughout"
              : "where one is faster",
          finding.probes.front().size, finding.probes.back().size);
    default:
      return "equal";
  }
}

std::string ratio_text(const StoredSweep& sweep, bool is_turned) {
  const Probe* const told = told_probe(sweep);
  const Probe& probe = told == nullptr ? sweep.finding.probes.back() : *told;
  const double sign = is_turned ? -1 : 1;
  const auto [low, high] = std::pair(std::min(sign * probe.low, sign * probe.high),
                                     std::max(sign * probe.low, sign * probe.high));
  auto text = fmt::format("at {} {}", probe.size, times_text(std::exp(sign * probe.log_ratio)));
  if (low < high) {
    text += fmt::format(" [{:.3f}, {:.3f}]", std::exp(low), std::exp(high));
  }
  return fmt::format("{} {}", text, pairing(probe.is_paired));
}

}  // namespace

Matrix matrix_of(const Report& report) {
  Matrix matrix;
  std::map<std::string, std::size_t> lines;
  const Entries entries(report);
  for (const Entry& entry : entries.all()) {
    const auto device = std::find(matrix.devices.begin(), matrix.devices.end(), entry.device);
    const auto column = static_cast<std::size_t>(device - matrix.devices.begin());
    if (device == matrix.devices.end()) {
      matrix.devices.push_back(entry.device);
    }
    const auto name = without_device(entry.text(Column::name));
    const auto [place, is_new] = lines.emplace(name, matrix.lines.size());
    if (is_new) {
      matrix.lines.push_back({name, {}});
    }
    auto& cells = matrix.lines[place->second].cells;
    cells.resize(std::max(cells.size(), column + 1));
    cells[column] = Matrix::Cell{entry.nanoseconds, 1, entry.indices()};
  }
  std::erase_if(matrix.lines, [](const Matrix::Line& line) {
    return std::count_if(line.cells.begin(), line.cells.end(),
                         [](const auto& cell) { return cell.has_value(); }) < 2;
  });
  for (auto& line : matrix.lines) {
    line.cells.resize(matrix.devices.size());
    double best = INFINITY;
    for (const auto& cell : line.cells) {
      best = cell ? std::min(best, cell->nanoseconds) : best;
    }
    for (auto& cell : line.cells) {
      if (cell) {
        cell->ratio = cell->nanoseconds / best;
      }
    }
  }
  return matrix;
}

std::string relative_text(double ratio) {
  return ratio < 9.995 ? fmt::format("×{:.2f}", ratio) : "×" + short_number(ratio);
}

Crossings crossings_of(std::span<const Report> reports) {
  Crossings crossings;
  std::map<std::string, std::size_t> lines;
  std::vector<StoredSweep> sweeps;
  const Report* swept = nullptr;
  for (const Origin& origin : origins_of(reports)) {
    if (const Report& report = reports[origin.report]; swept != &report) {
      sweeps = told_sweeps(report);
      swept = &report;
    }
    const auto column = crossings.machines.size();
    crossings.machines.push_back(origin.name);
    for (const StoredSweep& sweep : sweeps) {
      if (sweep.machine != origin.machine) {
        continue;
      }
      const auto [one, other] = std::minmax(sweep.names.from, sweep.names.to);
      const auto [place, is_new] = lines.emplace(one + "\n" + other, crossings.lines.size());
      if (is_new) {
        crossings.lines.push_back({fmt::format("{} / {}", other, one), {}});
      }
      auto& cells = crossings.lines[place->second].cells;
      cells.resize(std::max(cells.size(), column + 1));
      cells[column] = {bracket_text(sweep), pays_off(sweep),
                       ratio_text(sweep, sweep.names.to != other)};
    }
  }
  for (auto& line : crossings.lines) {
    line.cells.resize(crossings.machines.size());
  }
  return crossings;
}

}  // namespace breakeven
