// SPDX-License-Identifier: Apache-2.0
// A case of this worker, verified and warmed up. A visit of it is one run of a Google Benchmark
// fixture, an iteration one sample.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "suite/cases/case.hpp"
#include "suite/measure/cache_flush.hpp"
#include "suite/measure/sampler.hpp"

namespace breakeven {

// Nanoseconds of one repetition, in the order taken.
struct Visit {
  std::vector<double> wall, enqueue, device;
};

class PreparedCase {
 public:
  // Throws Unsupported and what the contract's calls throw, as all of these do.
  PreparedCase(const Case& definition, const Key& key, Session& session, const Timer& timer);

  const Key& key() const noexcept { return key_; }
  const std::string& name() const noexcept { return name_; }
  Workload& workload() noexcept { return *workload_; }
  Sampler& sampler() noexcept { return *sampler_; }

  // Warms up; to be called once, after the result was verified and before the first visit.
  const Calibration& calibrate();

  // `samples` of 0: as many as calibrated.
  Visit visit(std::size_t samples);

 private:
  Key key_;
  std::string name_;
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<CacheFlush> flush_;
  std::unique_ptr<Sampler> sampler_;
  std::size_t visits_ = 0;
};

}  // namespace breakeven
