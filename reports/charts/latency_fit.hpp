// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "reports/charts/chart.hpp"

namespace breakeven::drawing {

struct LatencyFit {
  double latency = 0;    // seconds
  double bandwidth = 0;  // bytes per second
};

// time = latency + bytes / bandwidth through points of x bytes and y seconds, by least squares of
// the relative errors. None below three sizes, or where the data have no such latency or bandwidth.
std::optional<LatencyFit> fit_latency(std::span<const Point> points);

}  // namespace breakeven::drawing
