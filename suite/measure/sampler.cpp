// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr double chunk_ns = 1e6;
constexpr int calm_chunks = 3;        // in a row
constexpr double improvement = 0.02;  // that still counts as warming up
constexpr double margin = 1.1;        // so that samples stay long enough when work gets faster
constexpr std::size_t most_repetitions = std::size_t{1} << 20;
constexpr std::size_t most_cold_samples = 5;  // a flush costs more than most work
constexpr double rewarm_ns = 5e5;
constexpr double longest_getting_ready_ns = 2e9;

class CountingClock final : public Clock {
 public:
  explicit CountingClock(Clock& clock) : clock_(clock) {}
  std::int64_t now() noexcept override {
    readings.fetch_add(1, std::memory_order_relaxed);
    return clock_.now();
  }
  std::atomic<std::size_t> readings{0};  // several threads may feed several devices

 private:
  Clock& clock_;
};

std::size_t fitting(double whole_ns, double part_ns, std::size_t most) {
  if (part_ns <= 0) return most;
  return static_cast<std::size_t>(
      std::clamp(std::ceil(whole_ns / part_ns), 1.0, static_cast<double>(most)));
}

std::string microseconds(double ns) {
  return fmt::format("{:.3g} us", ns / 1e3);
}

}  // namespace

Sampler::Sampler(PreparedCase& prepared_case, Clock& clock, const Timer& timer, CacheFlush* flush,
                 SamplerLimits limits)
    : prepared_case_(prepared_case), clock_(clock), timer_(timer), flush_(flush), limits_(limits) {}

// The run's own readings lie inside its wall time, all but one.
Sample Sampler::run(std::size_t repetitions, Clock& clock) {
  if (flush_) flush_->flush();
  const Sample raw = prepared_case_.run(repetitions, clock);
  const double wall = std::max(0.0, raw.wall - (readings_ - 1) * timer_.overhead_ns);
  const double enqueue = std::max(0.0, raw.enqueue - raw.enqueue_readings * timer_.overhead_ns);
  const double count = static_cast<double>(repetitions);
  return {wall / count, std::min(wall, enqueue) / count};
}

// Returns the best time of one run with the repetitions chosen so far.
double Sampler::warm_up() {
  const std::int64_t start = clock_.now();
  const auto spent = [&] { return static_cast<double>(clock_.now() - start); };
  double best = std::numeric_limits<double>::infinity();
  int calm = 0;
  calibration_.steady = false;
  while (!calibration_.steady) {
    double chunk = 0;
    std::size_t runs = 0;
    do {
      chunk += run(calibration_.repetitions, clock_).wall *
               static_cast<double>(calibration_.repetitions);
      ++runs;
    } while (!flush_ && chunk < chunk_ns && spent() < limits_.warm_up_ns);
    const double run_ns = chunk / static_cast<double>(runs);
    calm = run_ns < best * (1 - improvement) ? 0 : calm + 1;
    best = std::min(best, run_ns);
    calibration_.steady = calm >= calm_chunks;
    if (spent() >= limits_.warm_up_ns) break;
  }
  return best;
}

const Calibration& Sampler::calibrate() {
  Calibration& plan = calibration_;
  if (!flush_ && !prepared_case_.repeatable()) return plan;
  const std::int64_t start = clock_.now();
  const double shortest = shortest_sample_ns(timer_);
  CountingClock counting(clock_);
  std::size_t counted = 0;  // repetitions of the run whose readings were counted last
  const auto run_counted = [&] {
    counting.readings = 0;
    counted = plan.repetitions;
    return run(plan.repetitions, counting).wall * static_cast<double>(plan.repetitions);
  };

  double run_ns = 0;
  if (!flush_) {
    run_ns = run_counted();
    if (run_ns >= limits_.warm_up_ns && run_ns <= longest_getting_ready_ns)
      run_ns = std::min(run_ns, run_counted());
    while (run_ns < shortest && plan.repetitions < most_repetitions) {
      plan.repetitions *= 2;
      run_ns = run_counted();
    }
    if (run_ns < shortest) {
      plan.reason = "takes no time that the clock can show";
      return plan;
    }
  }
  plan.steady = false;
  if (run_ns < limits_.warm_up_ns) run_ns = warm_up();
  const double repetition_ns = run_ns / static_cast<double>(plan.repetitions);
  // No more samples than a visit may have: a report holds every one of them.
  const double wanted_ns =
      std::max(margin * shortest, limits_.visit_ns / static_cast<double>(limits_.samples));
  if (!flush_) plan.repetitions = fitting(wanted_ns, repetition_ns, most_repetitions);
  if (!flush_)
    plan.repetitions +=
        (prepared_case_.ring() - plan.repetitions % prepared_case_.ring()) % prepared_case_.ring();
  plan.sample_ns = repetition_ns * static_cast<double>(plan.repetitions);
  plan.samples = fitting(limits_.visit_ns, plan.sample_ns,
                         flush_ ? std::min(most_cold_samples, limits_.samples) : limits_.samples);
  if (flush_ && plan.sample_ns < shortest) {
    plan.reason = fmt::format("one run of {} is too short for the clock (needs {}): no cold case",
                              microseconds(plan.sample_ns), microseconds(shortest));
    return plan;
  }

  if (counted != plan.repetitions) run_counted();
  readings_ = static_cast<double>(std::max<std::size_t>(counting.readings.load(), 1));
  plan.warm_up_ns = static_cast<double>(clock_.now() - start);
  return plan;
}

void Sampler::begin_visit() {
  if (flush_ || !prepared_case_.repeatable()) return;
  if (calibration_.sample_ns > 10 * limits_.visit_ns) return;
  const std::int64_t start = clock_.now();
  do {
    prepared_case_.run(calibration_.repetitions, clock_);
  } while (static_cast<double>(clock_.now() - start) < rewarm_ns);
}

Sample Sampler::take() {
  return run(calibration_.repetitions, clock_);
}

std::optional<AuditedSample> Sampler::take_audited() {
  const std::int64_t start = clock_.now();
  if (!prepared_case_.repeatable() || !prepared_case_.renew()) return std::nullopt;
  renewing_ns_ = static_cast<double>(clock_.now() - start);
  return run_and_read();
}

std::optional<AuditedSample> Sampler::take_unchanged() {
  if (!prepared_case_.touch()) return std::nullopt;
  return run_and_read();
}

AuditedSample Sampler::run_and_read() {
  AuditedSample found;
  found.sample = run(audited_repetitions(), clock_);
  const std::int64_t done = clock_.now();
  found.written = prepared_case_.read_results();
  const std::int64_t read = clock_.now();
  found.written = prepared_case_.read_results() && found.written;
  found.read_ns = static_cast<double>(read - done);
  found.read_again_ns = static_cast<double>(clock_.now() - read);
  return found;
}

double Sampler::take_beside_audited(double longest_pause_ns) {
  run(audited_repetitions(), clock_);
  const double pause_ns = std::min(renewing_ns_, longest_pause_ns);
  const std::int64_t start = clock_.now();
  while (static_cast<double>(clock_.now() - start) < pause_ns) {
  }
  return run(audited_repetitions(), clock_).wall;
}

double Sampler::take_on(double lasting_ns) {
  std::vector<double> wall;
  const std::int64_t start = clock_.now();
  do wall.push_back(take().wall);
  while (static_cast<double>(clock_.now() - start) < lasting_ns);
  return median(wall);
}

std::optional<double> Sampler::take_touched() {
  if (!prepared_case_.touch()) return std::nullopt;
  return run(audited_repetitions(), clock_).wall;
}

std::optional<double> Sampler::take_on_device() {
  if (flush_) flush_->flush();
  const auto ns = prepared_case_.run_on_device_clock(calibration_.repetitions);
  if (!ns) return std::nullopt;
  return *ns / static_cast<double>(calibration_.repetitions);
}

}  // namespace breakeven
