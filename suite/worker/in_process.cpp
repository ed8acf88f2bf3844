// SPDX-License-Identifier: Apache-2.0
#include "suite/worker/in_process.hpp"

#include <benchmark/benchmark.h>
#include <sched.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include <fmt/format.h>

#include "suite/registry/loader.hpp"
#include "suite/worker/prepared_case.hpp"

namespace breakeven {

namespace {

using Backends = std::map<std::filesystem::path, std::unique_ptr<Backend>>;

// Threads that a later plugin makes must not inherit where this one put its caller.
class KeepAffinity {
 public:
  KeepAffinity() { sched_getaffinity(0, sizeof before_, &before_); }
  ~KeepAffinity() { sched_setaffinity(0, sizeof before_, &before_); }
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;

 private:
  cpu_set_t before_;
};

void run_case(benchmark::State& state, PreparedCase& prepared, std::size_t repetitions) {
  const auto batch = static_cast<benchmark::IterationCount>(repetitions);
  prepared.workload().before_visit();
  prepared.sampler().begin_visit();
  while (state.KeepRunningBatch(batch))
    state.SetIterationTime(prepared.sampler().take().wall * static_cast<double>(repetitions) *
                           1e-9);
  const Work work = prepared.workload().work();
  using benchmark::Counter;
  if (work.flops > 0)
    state.counters["flops"] = Counter(work.flops, Counter::kIsIterationInvariantRate);
  if (work.bytes > 0)
    state.counters["bytes"] = Counter(work.bytes, Counter::kIsIterationInvariantRate);
}

std::string outcome(const Case& definition, const Key& key, Session& session, const Timer& timer,
                    std::unique_ptr<PreparedCase>& prepared) {
  try {
    prepared = std::make_unique<PreparedCase>(definition, key, session, timer);
    const Verification verification = prepared->workload().verify();
    if (!verification.passed) return "wrong: " + verification.message;
    return prepared->calibrate().reason;
  } catch (const Unsupported& unsupported) {
    return "unsupported: " + unsupported.reason;
  } catch (const std::bad_alloc&) {
    return "out-of-memory";
  } catch (const std::exception& error) {
    return fmt::format("failed: {}", error.what());
  }
}

}  // namespace

int run_in_process(const InProcessOptions& options) {
  std::vector<std::string> flags = {"breakeven"};
  flags.insert(flags.end(), options.benchmark_flags.begin(), options.benchmark_flags.end());
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  const Timer timer = measure_timer(steady_clock());
  Backends backends;
  bool failed = false;
  for (const InProcessCase& one : options.cases) {
    std::unique_ptr<Backend>& backend = backends[one.plugin];
    if (!backend) {
      const KeepAffinity keep;
      backend = create_backend(load_plugin(one.plugin), options.settings);
    }
    benchmark::RegisterBenchmark(
        name_of(one.key).c_str(),
        [&options, &one, &backend, &timer, &failed](benchmark::State& state) {
          const KeepAffinity keep;
          backend->devices()[one.key.device]->bind_thread();
          Session session{*backend, options.seed};
          std::unique_ptr<PreparedCase> prepared;
          const std::string reason = outcome(*one.definition, one.key, session, timer, prepared);
          if (!reason.empty()) {
            failed = failed || !reason.starts_with("unsupported");
            state.SkipWithError(reason.c_str());
            return;
          }
          try {
            run_case(state, *prepared, prepared->sampler().calibration().repetitions);
            const Verification last = prepared->workload().verify_last();
            if (last.passed) return;
            state.SkipWithError(("wrong: " + last.message).c_str());
          } catch (const std::exception& error) {
            state.SkipWithError(error.what());
          }
          failed = true;
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  // Plugins are never unloaded, and what they keep for the process lives until it ends.
  for (auto& [path, backend] : backends) static_cast<void>(backend.release());
  return failed ? 1 : 0;
}

}  // namespace breakeven
