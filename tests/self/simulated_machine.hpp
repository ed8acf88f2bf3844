// SPDX-License-Identifier: Apache-2.0
// A machine whose speed moves the way real ones do, on a clock that costs nothing: what the harness
// says of it can be held against the truth.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <random>
#include <vector>

#include "reports/statistics/order_statistics.hpp"
#include "suite/measure/sampler.hpp"
#include "suite/measure/stop_rule.hpp"
#include "tests/fakes.hpp"

namespace breakeven::simulated {

// Seconds of plain arithmetic: sanitizers would make minutes of it and have nothing to find.
class Simulation : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "simulated without sanitizers";
#endif
  }
};

// Relative, each independent of the others; all 0 is a perfect machine.
struct Noise {
  double sample = 0.005;        // of every sample: standard deviation of the logarithm
  double outliers = 0.02;       // share of samples that take half as long again
  double correlated = 0;        // standard deviation of a wandering speed (Ornstein-Uhlenbeck) …
  double correlation_ns = 2e8;  // … and how long it remembers
  double swing = 0;             // amplitude of a slow swing, as of temperature …
  double period_ns = 5e9;       // … and its period
  double slow_share = 0;        // of the time, the machine is in a slower state …
  double slow_by = 0.05;        // … by this much …
  double slow_ns = 2e8;         // … for so long on average
  double process = 0;           // standard deviation between processes
};

// One process on the machine, and the work it measures.
class Machine {
 public:
  Machine(const Noise& noise, std::uint64_t seed, double work_ns = 1e5)
      : noise_(noise), work_ns_(work_ns), random_(seed) {
    phase_ = std::uniform_real_distribution(0.0, 2 * std::numbers::pi)(random_);
    process_ = noise.process * normal_(random_);
    wander_ = noise.correlated * normal_(random_);
    slow_ = uniform_(random_) < noise.slow_share;
    prepared.wait_ns = [this](std::size_t) { return next_duration(); };
  }

  fakes::FakeClock clock;
  fakes::FakeCase prepared{clock};

  void pass(double ns) { clock.time += static_cast<std::int64_t>(ns); }
  std::mt19937_64& random() { return random_; }

 private:
  double next_duration() {
    const double elapsed = static_cast<double>(clock.time - last_);
    last_ = clock.time;
    const double kept = std::exp(-elapsed / noise_.correlation_ns);
    wander_ = wander_ * kept + noise_.correlated * std::sqrt(1 - kept * kept) * normal_(random_);
    move_between_states(elapsed);
    const double swing =
        noise_.swing * std::sin(phase_ + 2 * std::numbers::pi * static_cast<double>(clock.time) /
                                             noise_.period_ns);
    double logarithm = process_ + wander_ + swing + noise_.sample * normal_(random_);
    if (slow_) logarithm += noise_.slow_by;
    if (uniform_(random_) < noise_.outliers) logarithm += std::log(1.5);
    return work_ns_ * std::exp(logarithm);
  }

  // Two states of exponential length: what is left of the start state after `elapsed`.
  void move_between_states(double elapsed) {
    if (noise_.slow_share <= 0) return;
    const double fast_ns = noise_.slow_ns * (1 - noise_.slow_share) / noise_.slow_share;
    const double kept = std::exp(-elapsed * (1 / noise_.slow_ns + 1 / fast_ns));
    const double slow_now = noise_.slow_share + ((slow_ ? 1.0 : 0.0) - noise_.slow_share) * kept;
    slow_ = uniform_(random_) < slow_now;
  }

  Noise noise_;
  double work_ns_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double phase_ = 0, process_ = 0, wander_ = 0;
  bool slow_ = false;
  std::int64_t last_ = 0;
};

// Nanoseconds that pass between two visits of a case.
using Gap = std::function<double(std::mt19937_64&)>;

// Shuffled among the others of its group, whose visits all together take `sweep_ns`: the time from
// a place in one sweep to a place in the next.
inline Gap shuffled(double sweep_ns) {
  return [=, place = 0.5](std::mt19937_64& random) mutable {
    const double next = std::uniform_real_distribution<double>()(random);
    const double gap = sweep_ns * (1 - place + next);
    place = next;
    return gap;
  };
}

inline Gap contiguous() {
  return [](std::mt19937_64&) { return 0.0; };
}

struct Measured {
  std::vector<double> visit_medians;
  StopReason reason = StopReason::visits;
};

// One case in one process, by the suite's own sampler and stop rule.
inline Measured measure(Machine& machine, Gap gap, const StopRule& rule = {}) {
  Sampler sampler(machine.prepared, machine.clock, Timer{1, 0});
  sampler.calibrate();
  Measured measured;
  double spent = 0;
  for (;;) {
    machine.pass(gap(machine.random()));
    sampler.begin_visit();
    std::vector<double> samples;
    for (std::size_t i = 0; i < sampler.calibration().samples; ++i) {
      samples.push_back(sampler.take().wall);
      spent += samples.back();
    }
    measured.visit_medians.push_back(median(samples));
    if (const auto reason = stop(rule, measured.visit_medians, spent)) {
      measured.reason = *reason;
      return measured;
    }
  }
}

}  // namespace breakeven::simulated
