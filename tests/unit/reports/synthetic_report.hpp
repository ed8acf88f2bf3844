// SPDX-License-Identifier: Apache-2.0
// Reports of machines that do not exist, for tests and benchmarks of the readers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/schema/schema.hpp"

namespace breakeven {

struct SyntheticRun {
  std::string machine = "alpha", run_id = "run-1", backend = "serial";
  std::vector<std::size_t> sizes{64, 128, 256};
  std::size_t rounds = 5;
  double noise = 0.01;     // of a round's median, relative
  double slowdown = 1;     // of every time
  double overhead_ns = 0;  // of every product
  double flops_per_ns = 100;
  std::size_t samples_in_a_visit = 2;
  std::uint64_t seed = 1;
  std::function<void(Row&)> change = [](Row&) {};  // has the last word on a row
};

// Rows of square products: one per size and round.
std::vector<Row> synthetic_rows(const SyntheticRun& run);

std::string csv(const std::vector<Row>& rows);
inline std::string synthetic_report(const SyntheticRun& run) {
  return csv(synthetic_rows(run));
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace breakeven
