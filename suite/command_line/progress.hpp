// SPDX-License-Identifier: Apache-2.0
// Shows a run while it goes on: one line that changes on a terminal, a line per case elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <vector>

#include "suite/run/runner.hpp"

namespace breakeven {

class Progress : public RunObserver {
 public:
  explicit Progress(std::FILE* stream);
  ~Progress() override;

  void started(std::size_t cases, unsigned rounds) override;
  void step(std::string_view case_name, std::size_t done) override;
  void measured(const Row& row) override;

  std::size_t total() const noexcept { return total_; }

 private:
  void clear();

  std::FILE* stream_;
  bool live_;
  std::size_t total_ = 0, measured_ = 0;
  std::chrono::steady_clock::time_point begin_, drawn_;
};

}  // namespace breakeven
