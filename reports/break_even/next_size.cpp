// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/next_size.hpp"

#include <algorithm>
#include <cmath>

namespace breakeven {
namespace {

std::size_t on_axis(double size, const Axis& axis) {
  const double steps = (size - static_cast<double>(axis.low)) / static_cast<double>(axis.step);
  const auto whole = static_cast<std::size_t>(std::lround(std::max(0.0, steps)));
  return axis.low + std::min(whole, (axis.high - axis.low) / axis.step) * axis.step;
}

bool is_probed(const Finding& finding, std::size_t size) {
  return std::any_of(finding.probes.begin(), finding.probes.end(),
                     [&](const Probe& probe) { return probe.size == size; });
}

struct Gap {
  std::size_t low = 0, high = 0;
  double width() const { return static_cast<double>(high) / static_cast<double>(low); }
};

// Between neighbouring probes of a change. Where nobody wins on either side of a gap, there is no
// change to be found inside it.
void append_gaps(std::vector<Gap>& gaps, const Finding& finding, const Change& change) {
  const Probe* before = nullptr;
  for (const Probe& probe : finding.probes) {
    if (probe.size < change.low || probe.size > change.high) {
      continue;
    }
    if (before != nullptr && (before->size == change.low || probe.size == change.high)) {
      gaps.push_back({before->size, probe.size});
    }
    before = &probe;
  }
}

std::optional<std::size_t> middle_of_widest_gap(const Finding& finding, const Axis& axis,
                                                double resolution) {
  std::vector<Gap> gaps;
  append_gaps(gaps, finding, finding.changes.front());
  append_gaps(gaps, finding, finding.changes.back());
  std::sort(gaps.begin(), gaps.end(),
            [](const Gap& x, const Gap& y) { return x.width() > y.width(); });
  for (const Gap& gap : gaps) {
    if (gap.width() <= resolution) {
      break;
    }
    const double middle = std::sqrt(static_cast<double>(gap.low) * static_cast<double>(gap.high));
    const std::size_t size = on_axis(middle, axis);
    if (!is_probed(finding, size)) {
      return size;
    }
  }
  return std::nullopt;
}

// The size at `factor` times `end`, unless a size about there is probed already.
std::optional<std::size_t> around(const Finding& finding, const Axis& axis, std::size_t end,
                                  double factor) {
  constexpr double near = 1.06;
  const double wanted = static_cast<double>(end) * factor;
  if (wanted < static_cast<double>(axis.low) || wanted > static_cast<double>(axis.high)) {
    return std::nullopt;
  }
  const bool known =
      std::any_of(finding.probes.begin(), finding.probes.end(), [&](const Probe& probe) {
        const double ratio = static_cast<double>(probe.size) / wanted;
        return ratio < near && ratio > 1 / near;
      });
  const std::size_t size = on_axis(wanted, axis);
  return known || is_probed(finding, size) ? std::nullopt : std::optional(size);
}

}  // namespace

std::vector<std::size_t> grid_of(const Axis& axis) {
  std::vector<std::size_t> grid;
  for (double size = static_cast<double>(axis.low); size < static_cast<double>(axis.high);
       size *= 4) {
    const std::size_t place = on_axis(size, axis);
    if (grid.empty() || place > grid.back()) {
      grid.push_back(place);
    }
  }
  const std::size_t last = on_axis(static_cast<double>(axis.high), axis);
  if (grid.empty() || grid.back() < last) {
    grid.push_back(last);
  }
  return grid;
}

std::optional<std::size_t> next_size(const Finding& so_far, const Axis& axis, double resolution,
                                     std::size_t most) {
  if (so_far.probes.size() >= most) {
    return std::nullopt;
  }
  for (const std::size_t size : grid_of(axis)) {
    if (!is_probed(so_far, size)) {
      return size;
    }
  }
  if (so_far.changes.empty()) {
    return std::nullopt;
  }
  if (const auto size = middle_of_widest_gap(so_far, axis, resolution)) {
    return size;
  }
  for (const double factor : {1.25, 1.6}) {
    if (const auto size = around(so_far, axis, so_far.low(), 1 / factor)) {
      return size;
    }
    if (const auto size = around(so_far, axis, so_far.high(), factor)) {
      return size;
    }
  }
  return std::nullopt;
}

}  // namespace breakeven
