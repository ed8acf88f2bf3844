// SPDX-License-Identifier: Apache-2.0
// A clock that only moves when told to, and work that takes as long as it is told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "suite/model/clock.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven::fakes {

class FakeClock final : public Clock {
 public:
  std::int64_t now() noexcept override { return time += reading_ns; }
  std::int64_t time = 0;
  std::int64_t reading_ns = 0;  // what a reading costs
};

// Hands over, then waits for the device.
class FakeCase final : public PreparedCase {
 public:
  explicit FakeCase(FakeClock& time) : time_(time) {}

  std::function<double(std::size_t run)> enqueue_ns = [](std::size_t) { return 0.0; };
  std::function<double(std::size_t run)> wait_ns = [](std::size_t) { return 0.0; };
  std::optional<double> device_ns;
  bool batches = true;
  std::size_t runs = 0;
  std::size_t repetitions_run = 0;

  Work work() const override { return {}; }
  Sample run(std::size_t repetitions, Clock& clock) override {
    const double count = static_cast<double>(repetitions);
    const std::int64_t start = clock.now();
    time_.time += static_cast<std::int64_t>(count * enqueue_ns(runs));
    const std::int64_t handed_over = clock.now();
    time_.time += static_cast<std::int64_t>(count * wait_ns(runs));
    const std::int64_t done = clock.now();
    ++runs;
    repetitions_run += repetitions;
    return {static_cast<double>(done - start), static_cast<double>(handed_over - start)};
  }
  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    if (!device_ns) return std::nullopt;
    return *device_ns * static_cast<double>(repetitions);
  }
  Verification verify() override { return {true, "fake", 0, 1, {}}; }
  Verification verify_last() override { return verify(); }
  bool repeatable() const override { return batches; }

 private:
  FakeClock& time_;
};

}  // namespace breakeven::fakes
