// SPDX-License-Identifier: Apache-2.0
#include "suite/worker/prepared_case.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>

namespace breakeven {

namespace {

// The report is ours: Google Benchmark's own numbers of a visit are not shown.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// A visit of samples.size() == 1 is one long run: its device clock, which wants a run of its own,
// is read in every fourth visit only.
std::size_t device_samples(std::size_t wall_samples, std::size_t visit) {
  if (wall_samples > 1) return std::max<std::size_t>(1, wall_samples / 4);
  return visit % 4 == 0 ? 1 : 0;
}

}  // namespace

PreparedCase::PreparedCase(const Case& definition, const Key& key, Session& session,
                           const Timer& timer)
    : key_(key), name_(name_of(key)), workload_(definition.prepare(key, session)) {
  if (key.cache == "cold") flush_ = cache_flush_for(*session.backend.devices()[key.device]);
  sampler_ = std::make_unique<Sampler>(*workload_, steady_clock(), timer, flush_.get());
}

const Calibration& PreparedCase::calibrate() {
  return sampler_->calibrate();
}

Visit PreparedCase::visit(std::size_t samples) {
  if (samples == 0) samples = sampler_->calibration().samples;
  Visit visit;
  visit.wall.reserve(samples);
  visit.enqueue.reserve(samples);
  std::exception_ptr error;

  benchmark::RegisterBenchmark(name_.c_str(),
                               [&](benchmark::State& state) {
                                 visit.wall.clear();  // the library may call more than once
                                 visit.enqueue.clear();
                                 try {
                                   sampler_->begin_visit();
                                   for ([[maybe_unused]] auto iteration : state) {
                                     const Sample sample = sampler_->take();
                                     state.SetIterationTime(sample.wall * 1e-9);
                                     visit.wall.push_back(sample.wall);
                                     visit.enqueue.push_back(sample.enqueue);
                                   }
                                 } catch (...) {
                                   error = std::current_exception();
                                   state.SkipWithError("failed");
                                 }
                               })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(samples));
  SilentReporter silent;
  benchmark::RunSpecifiedBenchmarks(&silent);
  benchmark::ClearRegisteredBenchmarks();
  if (error) std::rethrow_exception(error);

  for (std::size_t i = device_samples(samples, visits_); i > 0; --i)
    if (const auto nanoseconds = sampler_->take_on_device()) visit.device.push_back(*nanoseconds);
  ++visits_;
  return visit;
}

}  // namespace breakeven
