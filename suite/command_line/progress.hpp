// SPDX-License-Identifier: Apache-2.0
// Shows a run while it goes on: one line that changes on a terminal, a line per case elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <vector>

#include "suite/run/runner.hpp"

namespace breakeven {

// Two threads that wait for one another suffer most from a third: what is found then is of this
// load.
void warn_where_busy(std::FILE* stream);

// At the rate so far, and no longer than a budget allows (0: none).
double seconds_left(double spent, std::size_t done, std::size_t total, double budget);

class Progress : public RunObserver {
 public:
  explicit Progress(std::FILE* stream);
  ~Progress() override;

  void started(std::size_t cases, double budget) override;
  void step(std::string_view case_name, std::size_t done) override;
  void measured(const Row& row) override;

  std::size_t total() const noexcept { return total_; }

 private:
  void clear();

  std::FILE* stream_;
  bool live_;
  std::size_t total_ = 0, measured_ = 0;
  double budget_ = 0;  // seconds; 0: none
  std::chrono::steady_clock::time_point begin_, drawn_;
};

}  // namespace breakeven
