// SPDX-License-Identifier: Apache-2.0
// From values to places on the paper, and where an axis has its marks.
#pragma once

#include <cmath>
#include <vector>

#include "reports/charts/chart.hpp"

namespace breakeven::drawing {

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value);
};

class Ruler {
 public:
  Ruler(const Axis& axis, Range range, double begin, double end);
  double operator()(double value) const;

 private:
  double at(double value) const;

  const Axis& axis_;
  double low_, high_, begin_, end_;
};

// About `most` of them: 1, 2 and 5, or powers of two.
std::vector<double> marks_of(const Axis& axis, Range range, bool by_two, double most);

}  // namespace breakeven::drawing
