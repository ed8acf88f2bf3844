// SPDX-License-Identifier: Apache-2.0
// Reports in the formats of other tools. Searches (`find`) are left out: a probe stands for no
// case.
#pragma once

#include <span>
#include <string>

#include "reports/reader/report.hpp"

namespace breakeven {

// The JSON of Google Benchmark, which its compare.py reads: a round is a repetition, its real_time
// the median of the row. cpu_time repeats real_time: nothing measures it. What is not `ok` is an
// error with its status and reason.
std::string google_benchmark_json(std::span<const Report> reports);

// Bencher Metric Format: `latency` in nanoseconds and `throughput` in flops or bytes per second,
// the median of the rounds with its interval of 95 %. Cases without a time are left out. Throws
// std::invalid_argument where there are several machines: the format has no place for them.
std::string bencher_json(std::span<const Report> reports);

// OpenMetrics text, as Prometheus reads it: gauges with machine, case, backend and name as labels.
std::string openmetrics_text(std::span<const Report> reports);

}  // namespace breakeven
