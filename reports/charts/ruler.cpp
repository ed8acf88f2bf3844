// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/ruler.hpp"

#include <algorithm>

namespace breakeven::drawing {

void Range::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

Ruler::Ruler(const Axis& axis, Range range, double begin, double end)
    : axis_(axis), low_(at(range.low)), high_(at(range.high)), begin_(begin), end_(end) {}

double Ruler::operator()(double value) const {
  return high_ > low_ ? begin_ + (at(value) - low_) / (high_ - low_) * (end_ - begin_)
                      : (begin_ + end_) / 2;
}

double Ruler::at(double value) const {
  return axis_.scale == Scale::logarithmic ? std::log(std::max(value, 1e-300)) : value;
}

namespace {

std::vector<double> every(double step, Range range) {
  std::vector<double> marks;
  for (double at = std::ceil(range.low / step - 1e-9) * step; at <= range.high * (1 + 1e-9);
       at += step) {
    marks.push_back(at);
  }
  return marks;
}

}  // namespace

std::vector<double> marks_of(const Axis& axis, Range range, bool by_two, double most) {
  if (axis.scale == Scale::linear) {
    const double raw = (range.high - range.low) / most;
    const double ten = std::pow(10, std::floor(std::log10(std::max(raw, 1e-300))));
    for (const double step : {1.0, 2.0, 5.0, 10.0}) {
      if (raw <= step * ten) {
        return every(step * ten, range);
      }
    }
  }
  if (by_two) {
    const Range powers{std::log2(range.low), std::log2(range.high)};
    auto marks = every(std::max(1.0, std::ceil((powers.high - powers.low) / most)), powers);
    for (auto& mark : marks) {
      mark = std::exp2(mark);
    }
    return marks;
  }
  const Range powers{std::log10(range.low), std::log10(range.high)};
  const double decades = powers.high - powers.low;
  std::vector<double> marks;
  for (double ten = std::floor(powers.low); ten <= powers.high;
       ten += std::max(1.0, std::ceil(decades / most))) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double mark = step * std::pow(10, ten);
      if ((step == 1 || decades <= 2) && mark >= range.low * (1 - 1e-9) &&
          mark <= range.high * (1 + 1e-9)) {
        marks.push_back(mark);
      }
    }
  }
  return marks;
}

}  // namespace breakeven::drawing
