// SPDX-License-Identifier: Apache-2.0
// Takes the samples of one prepared case. One sample is one iteration of Google Benchmark.
//
// Warm-up: chunks of about a millisecond, or one run where that is longer, until three chunks in a
// row were not faster than the best before them by more than 2 %; no longer than `warm_up_ns` once
// a run is done. A first run longer than that, up to two seconds, is run once more: a runtime may
// have compiled in it. What takes longer still is run once. What is left to settle after it differs
// between visits, which are far apart, and so shows in the interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "suite/measure/cache_flush.hpp"
#include "suite/measure/timer.hpp"
#include "suite/model/clock.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

struct SamplerLimits {
  double visit_ns = 5e6;     // a visit is a block at least this long, or one sample
  double warm_up_ns = 2e8;   // no warm-up goes on after this
  std::size_t samples = 64;  // of one visit, at most
};

struct Calibration {
  std::size_t repetitions = 1;  // of the work in one sample
  std::size_t samples = 1;      // of a visit
  double sample_ns = 0;         // what one sample is expected to last
  double warm_up_ns = 0;        // what warming up took
  bool steady = true;           // false: the warm-up ended at its limit
  std::string reason;           // not empty: cannot be measured, and why
};

struct AuditedSample {
  Sample sample = {};                     // of one repetition
  double read_ns = 0, read_again_ns = 0;  // all results, after all repetitions
  bool written = true;                    // all results were
};

class Sampler {
 public:
  // `flush` null: caches stay as the work leaves them. The arguments outlive the sampler.
  Sampler(PreparedCase& prepared_case, Clock& clock, const Timer& timer,
          CacheFlush* flush = nullptr, SamplerLimits limits = {});

  // Warms up, and chooses repetitions and samples. Work that is not repeatable is not touched. To
  // be called once, before the first visit.
  const Calibration& calibrate();
  const Calibration& calibration() const noexcept { return calibration_; }

  // Before a visit: other work has run since the last one, so a sample or more (half a millisecond)
  // is run and thrown away, where that is short against the visit.
  void begin_visit();

  // Nanoseconds of one repetition; what reading the clock costs is taken out, and handing over
  // counts for no more than everything.
  Sample take();

  // With new inputs, all results poisoned, and read twice. None: nothing can be audited.
  std::optional<AuditedSample> take_audited();
  // Before the next one: the same, but that the host writes what is there. None: it cannot.
  std::optional<AuditedSample> take_unchanged();
  std::size_t audited_repetitions() const { return flush_ ? 1 : prepared_case_.ring(); }
  // After that: one repetition where nothing changed since the last, as long after that as an
  // audited one is (but for `longest_pause_ns`), so that threads and caches are as they are there.
  double take_beside_audited(double longest_pause_ns);
  // The same where the host touched all that was written for it. None: it cannot.
  std::optional<double> take_touched();
  // The median of samples as visits take them, for so long and without a rest.
  double take_on(double lasting_ns);

  // The same on the device's own clock, in a run of its own. None: the device has no clock.
  std::optional<double> take_on_device();

 private:
  Sample run(std::size_t repetitions, Clock& clock);
  AuditedSample run_and_read();
  double warm_up();

  PreparedCase& prepared_case_;
  Clock& clock_;
  Timer timer_;
  CacheFlush* flush_;
  SamplerLimits limits_;
  Calibration calibration_;
  double readings_ = 3;     // of the clock in one run
  double renewing_ns_ = 0;  // before the last audited run
};

}  // namespace breakeven
