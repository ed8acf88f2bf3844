// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/case_fixture.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "suite/measure/noise.hpp"
#include "suite/model/key.hpp"

namespace breakeven {

namespace {

// The report is ours: Google Benchmark's own numbers of a visit are not shown.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// A visit of one sample is one long run: its device clock, which wants a run of its own, is read in
// every fourth visit only.
std::size_t device_samples(std::size_t wall_samples, std::size_t visit) {
  if (wall_samples > 1) return std::max<std::size_t>(1, wall_samples / 4);
  return visit % 4 == 0 ? 1 : 0;
}

}  // namespace

CaseFixture::CaseFixture(const Case& definition, const Key& key, Session& session,
                         const Timer& timer)
    : key_(key), device_(*session.backend.devices()[key.device]), name_(name_of(key)) {
  session.making = &making_;
  prepared_case_ = definition.prepare(key, session);
  if (key.cache == "cold") flush_ = cache_flush_for(device_);
  sampler_ = std::make_unique<Sampler>(*prepared_case_, steady_clock(), timer, flush_.get());
}

CaseFixture::~CaseFixture() = default;

// The library is not made for exceptions that pass through it.
template <typename Work>
void CaseFixture::guard(benchmark::State& state, Work work) {
  if (error_) return;
  try {
    return work();
  } catch (const std::exception& error) {
    error_ = std::current_exception();
    state.SkipWithError(error.what());
  } catch (const Wrong& wrong) {
    error_ = std::current_exception();
    state.SkipWithError(("wrong: " + wrong.why).c_str());
  } catch (...) {
    error_ = std::current_exception();
    state.SkipWithError("something that is no std::exception was thrown");
  }
  failed_ = true;
}

void CaseFixture::SetUp(benchmark::State& state) {
  visit_ = {};  // the library may call more than once before it counts
  error_ = nullptr;
  guard(state, [&] { get_ready(); });
}

void CaseFixture::get_ready() {
  constexpr double longest_ns = 2e8;  // of work that is not repeated to warm up
  device_.bind_thread();
  prepared_case_->before_visit();
  sampler_->begin_visit();
  stood_ = true;
  const Calibration& plan = sampler_->calibration();
  if (flush_ || !prepared_case_->repeatable() || plan.sample_ns > longest_ns) return;
  stood_ = rate_.reach([&] { prepared_case_->run(plan.repetitions, steady_clock()); },
                       [&] { return sm_clock_mhz(device_); });
}

std::optional<MeteredEnergy> CaseFixture::meter(
    const std::function<std::optional<double>()>& joules) {
  constexpr double longest_ns = 1e9, between_looks_ns = 5e6;
  const Calibration& plan = sampler_->calibration();
  if (flush_ || !prepared_case_->repeatable() || plan.sample_ns > longest_ns || !joules())
    return {};
  get_ready();
  const auto work = [&] {
    double repetitions = 0;
    const std::int64_t begin = steady_clock().now();
    do {
      prepared_case_->run(plan.repetitions, steady_clock());
      repetitions += static_cast<double>(plan.repetitions);
    } while (static_cast<double>(steady_clock().now() - begin) < between_looks_ns);
    return repetitions;
  };
  return meter_energy(work, joules, steady_clock());
}

void CaseFixture::BenchmarkCase(benchmark::State& state) {
  const std::size_t repetitions = sampler_->calibration().repetitions;
  const auto batch = static_cast<benchmark::IterationCount>(repetitions);
  // One of them, nobody knows which, has to write what was poisoned just before it.
  auto until_poisoned = static_cast<benchmark::IterationCount>(
      std::random_device()() %
      std::max<benchmark::IterationCount>(state.max_iterations / batch, 1));
  guard(state, [&] {
    while (state.KeepRunningBatch(batch)) {
      const bool is_poisoned = until_poisoned-- == 0 && !flush_ && prepared_case_->poison_unseen();
      const Sample sample = sampler_->take();
      if (is_poisoned && !prepared_case_->is_poison_gone())
        throw Wrong{"a repetition right behind others left a part of its result unwritten"};
      state.SetIterationTime(sample.wall * static_cast<double>(repetitions) * 1e-9);
      visit_.wall.push_back(sample.wall);
      visit_.enqueue.push_back(sample.enqueue);
    }
  });
  using benchmark::Counter;
  const Work work = prepared_case_->work();
  for (const auto& [name, amount] : {std::pair("flops", work.flops), {"bytes", work.bytes}})
    if (amount > 0) state.counters[name] = Counter(amount, Counter::kIsIterationInvariantRate);
}

void CaseFixture::TearDown(benchmark::State& state) {
  if (!checks_every_run_) return;
  guard(state, [&] {
    const Verification last = prepared_case_->verify_last();
    if (last.passed) return;
    failed_ = true;
    state.SkipWithError(("wrong: " + last.message).c_str());
  });
}

Audit CaseFixture::audit(Visit* visit) {
  constexpr double patience_ns = 3e7, short_ns = 3e6, small_bytes = 4e6;
  // After a millisecond threads sleep; on a busy machine others have their processors after some
  // more, and keep them for a while.
  constexpr double asleep_ns = 1e6, displaced_ns = 3e7;
  constexpr double settling_ns = 3e6;
  // What the caches have forgotten: of any run's beginning, and of memory that the host cannot
  // touch each byte beyond those they hold.
  constexpr double slack_ns = 500, ns_a_byte = 0.2, cached_bytes = 1e6;
  constexpr std::size_t most = 16;
  constexpr double never = std::numeric_limits<double>::infinity();
  const Calibration& plan = sampler_->calibration();
  const bool is_sample = visit && plan.samples == 1 && plan.repetitions == 1;
  const double bytes = prepared_case_->work().bytes;
  const bool is_cheap =
      plan.sample_ns / static_cast<double>(plan.repetitions) < short_ns && bytes < small_bytes;
  const double cold_ns = ns_a_byte * std::max(0.0, bytes - cached_bytes);
  const std::size_t fewest = is_cheap ? 3 : 1;
  const auto repetitions = static_cast<double>(sampler_->audited_repetitions());
  const std::int64_t start = steady_clock().now();
  const auto took_ns = [start] { return static_cast<double>(steady_clock().now() - start); };
  double checking_ns = 0;
  Audit audit;
  double run = never, until_read = never, read_again = never, checked = never, beside = never;
  double rested = never, touched = never;
  std::optional<Others> others;
  double watched_from_ns = 0;
  const auto stand_beside = [&](double forgotten_ns) {
    beside = std::min(beside, sampler_->take_beside_audited(asleep_ns) + forgotten_ns);
    audit.beside_ns = beside;
    audit.shortest_ns = checked;
    if (audit.shortest_ns <= tolerated * beside) return;
    rested = std::min(rested, sampler_->take_beside_audited(displaced_ns));
    audit.beside_ns = std::max(beside, rested);
    if (const auto ns = sampler_->take_touched()) {
      touched = std::min(touched, *ns);
      audit.beside_ns = std::max(audit.beside_ns, touched);
    } else {
      audit.shortest_ns -= cold_ns;
    }
  };
  const auto own_ns = [=](double shortest_run, double and_reading, double reading) {
    return std::max(shortest_run, (and_reading - 2 * reading - slack_ns) / repetitions);
  };
  device_.bind_thread();
  // What was renewed lies in caches otherwise than what visits have made: where results are written
  // past the caches that takes longer, and so does the same with nothing new, as visits left it.
  if (suspects_)
    if (const auto found = sampler_->take_unchanged())
      audit.unchanged_ns =
          own_ns(found->sample.wall, found->sample.wall * repetitions + found->read_ns,
                 found->read_again_ns);
  do {
    const auto found = sampler_->take_audited();
    if (!found) return {};
    if (!found->written) throw Wrong{"an audited repetition left a part of its result unwritten"};
    run = std::min(run, found->sample.wall);
    until_read = std::min(until_read, found->sample.wall * repetitions + found->read_ns);
    read_again = std::min(read_again, found->read_again_ns);
    const double shortest = own_ns(run, until_read, read_again);
    // A time counts once its own result was checked: a later repetition may have made up for it.
    if (shortest < checked) {
      const double before_ns = took_ns();
      const Verification own = prepared_case_->verify_audited();
      if (!own.passed) throw Wrong{"an audited repetition: " + own.message};
      checking_ns += took_ns() - before_ns;
      checked = shortest;
    }
    audit.shortest_ns = audit.beside_ns = checked;
    ++audit.repetitions;
    if (is_sample) {
      *visit = {{found->sample.wall}, {found->sample.enqueue}, {}};
      audit.took_ns = took_ns() - found->sample.wall;
      return audit;
    }
    // No visit was twice as fast, so nothing that is claimed will be.
    if (checked <= tolerated * fastest_ns_) break;
    if (!others) {
      watched_from_ns = took_ns();
      others.emplace();
    }
    stand_beside(0);
  } while (audit.repetitions < fewest ||
           (audit.shortest_ns > tolerated * audit.beside_ns && audit.repetitions < most &&
            took_ns() - checking_ns < patience_ns));
  // What works for some repetitions only is fast after these; what works longer is slow in them.
  if (others && audit.shortest_ns <= tolerated * audit.beside_ns) {
    audit.behind_ns = sampler_->take_on(settling_ns);
    stand_beside(slack_ns / tolerated / repetitions);
  }
  suspects_ = audit.shortest_ns > tolerated * fastest_ns_;
  audit.took_ns = took_ns();
  if (others) {
    audit.watched_ns = audit.took_ns - watched_from_ns;
    audit.others_ns = others->busy_ns();
  }
  return audit;
}

Visit CaseFixture::visit(std::size_t samples) {
  const Calibration& calibration = sampler_->calibration();
  if (samples == 0) samples = calibration.samples;
  benchmark::RegisterBenchmark(name_.c_str(), [this](benchmark::State& state) { Run(state); })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(samples * calibration.repetitions));
  SilentReporter silent;
  benchmark::RunSpecifiedBenchmarks(&silent);
  benchmark::ClearRegisteredBenchmarks();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));

  for (const double ns : visit_.wall) fastest_ns_ = visits_ > 0 ? std::min(fastest_ns_, ns) : ns;
  for (std::size_t i = device_samples(samples, visits_); i > 0; --i)
    if (const auto nanoseconds = sampler_->take_on_device()) visit_.device.push_back(*nanoseconds);
  ++visits_;
  return std::exchange(visit_, {});
}

}  // namespace breakeven
