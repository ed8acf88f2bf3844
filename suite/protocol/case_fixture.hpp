// SPDX-License-Identifier: Apache-2.0
// A case that is ready on this process's backend, as a Google Benchmark fixture: a visit is one run
// of it, and the library's iterations are repetitions of the work. Workers run it a visit at a
// time,
// `--in-process` as long as the library's flags want.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "suite/measure/cache_flush.hpp"
#include "suite/measure/energy_stretch.hpp"
#include "suite/measure/sampler.hpp"
#include "suite/measure/steady_clock_rate.hpp"
#include "suite/model/case.hpp"
#include "suite/model/visit.hpp"

namespace breakeven {

class CaseFixture final : public benchmark::Fixture {
 public:
  // Throws Unsupported and what the contract's calls throw, as all of these do but those that the
  // library calls.
  CaseFixture(const Case& definition, const Key& key, Session& session, const Timer& timer);
  ~CaseFixture() override;

  const Key& key() const noexcept { return key_; }
  PreparedCase& prepared_case() noexcept { return *prepared_case_; }
  const Making& making() const noexcept { return making_; }

  // Warms up; to be called once, after the result was verified and before the first visit.
  const Calibration& calibrate() { return sampler_->calibrate(); }

  // `samples` of 0: as many as calibrated. Throws Wrong where a repetition leaves poison that was
  // put there without the backend.
  Visit visit(std::size_t samples);
  // The device's clock stood when the last visit began.
  bool stood() const noexcept { return stood_; }

  // Repeats the work for the counter.
  std::optional<MeteredEnergy> meter(const std::function<std::optional<double>()>& joules);

  // To be called before a visit. Where a visit is one repetition the audited one becomes `visit`,
  // if there is one. Else one, where that takes less than twice what the fastest visit did; or
  // three and more in turn with others, until the shortest of both are alike: what else runs slows
  // one or the other, and memory that was just written both. A time counts only if what it computed
  // is right. Throws Wrong.
  Audit audit(Visit* visit);
  struct Wrong {
    std::string why;
  };

  // From here on the result is checked after every run: of the library's runs nobody knows which is
  // the last one.
  void check_every_run() noexcept { checks_every_run_ = true; }
  // An exception or a wrong result ended a run with an error.
  bool failed() const noexcept { return failed_; }

  using benchmark::Fixture::SetUp;
  using benchmark::Fixture::TearDown;
  void SetUp(benchmark::State& state) override;
  void TearDown(benchmark::State& state) override;

 protected:
  void BenchmarkCase(benchmark::State& state) override;

 private:
  void get_ready();
  template <typename Work>
  void guard(benchmark::State& state, Work work);

  Key key_;
  Device& device_;
  std::string name_;
  Making making_;
  std::unique_ptr<PreparedCase> prepared_case_;
  std::unique_ptr<CacheFlush> flush_;
  std::unique_ptr<Sampler> sampler_;
  Visit visit_;  // of the last run
  std::size_t visits_ = 0;
  double fastest_ns_ = 0;  // of all visits; 0: there was none
  bool suspects_ = false;  // the last audit was slow beside that
  SteadyClockRate rate_{steady_clock()};
  bool stood_ = true;
  bool checks_every_run_ = false, failed_ = false;
  std::exception_ptr error_;
};

}  // namespace breakeven
