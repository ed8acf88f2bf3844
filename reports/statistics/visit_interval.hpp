// SPDX-License-Identifier: Apache-2.0
// The interval of a case's median, from the visits of one process.
#pragma once

#include <optional>
#include <span>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

// Visits that follow one another closely resemble one another, and then there are fewer independent
// ones than there are. The rank interval of the medians is therefore widened, on a logarithmic
// scale, by sqrt((1 + r) / (1 - r)), the factor of the standard error of an autoregressive series
// (Box and Jenkins, Time Series Analysis, chapter 2), where r is the autocorrelation of the
// logarithms of successive visits, and never below 0. tests/self/coverage_test.cpp fails without.
// It ends at the least and the greatest visit.
//
// `visit_medians` in the order they were taken, all positive; or ratios of such. `level` holds for
// a case that stops when its interval is narrow, which luck makes it now and then. None where
// median_interval has none.
std::optional<MedianInterval> visit_interval(std::span<const double> visit_medians,
                                             double level = 0.95);

}  // namespace breakeven
