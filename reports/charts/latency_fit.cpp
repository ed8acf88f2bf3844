// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/latency_fit.hpp"

namespace breakeven::drawing {

std::optional<LatencyFit> fit_latency(std::span<const Point> points) {
  if (points.size() < 3) {
    return std::nullopt;
  }
  // Minimise the sum of (a u + b v - 1)^2 with u = 1 / y and v = x / y.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const auto& point : points) {
    const double u = 1 / point.y, v = point.x / point.y;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  const double latency = (u1 * vv - v1 * uv) / determinant;
  const double per_byte = (v1 * uu - u1 * uv) / determinant;
  if (!(latency > 0) || !(per_byte > 0)) {
    return std::nullopt;
  }
  return LatencyFit{latency, 1 / per_byte};
}

}  // namespace breakeven::drawing
