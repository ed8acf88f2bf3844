// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/google_benchmark.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "suite/machine/binding.hpp"
#include "suite/protocol/worker_client.hpp"

namespace breakeven {

namespace {

constexpr Seconds no_limit{0};
constexpr int only_case = 1;

class Program {
 public:
  explicit Program(const InProcessOptions& options) : options_(options) {}

  // The library may call this several times for one case; one case is held at a time.
  void run(benchmark::State& state, const InProcessCase& wanted) {
    const KeepAffinity keep;  // threads of a later plugin must not inherit where this one put us
    if (held_ != &wanted) hold(wanted);
    if (!outcome_.reason.empty()) {
      failed_ = failed_ || outcome_.status != Status::unsupported;
      return state.SkipWithError(
          fmt::format("{}: {}", name(outcome_.status), outcome_.reason).c_str());
    }
    CaseFixture& fixture = workers_.at(wanted.plugin)->fixture(only_case);
    fixture.Run(state);
    failed_ = failed_ || fixture.failed();
  }

  bool failed() const { return failed_; }

 private:
  void hold(const InProcessCase& wanted) {
    if (held_) {
      InProcessWorker before(*workers_.at(held_->plugin));
      before.ask(Drop{only_case}, no_limit);
      if (held_->plugin != wanted.plugin) before.ask(Rest{}, no_limit);
    }
    held_ = &wanted;
    std::unique_ptr<Worker>& worker = workers_[wanted.plugin];
    const bool is_new = !worker;
    if (is_new) worker = std::make_unique<Worker>(wanted.plugin, options_.settings);
    InProcessWorker client(*worker);
    if (is_new) outcomes_[wanted.plugin] = client.ask(Open{}, no_limit).outcome;
    outcome_ = outcomes_[wanted.plugin];
    if (outcome_.status != Status::ok) return;
    constexpr double no_budget = std::numeric_limits<double>::max();
    outcome_ =
        client.ask(Prepare{only_case, wanted.key, options_.seed, no_budget}, no_limit).outcome;
    if (outcome_.status == Status::ok) worker->fixture(only_case).check_every_run();
  }

  const InProcessOptions& options_;
  std::map<std::filesystem::path, std::unique_ptr<Worker>> workers_;
  std::map<std::filesystem::path, Outcome> outcomes_;  // of opening
  const InProcessCase* held_ = nullptr;
  Outcome outcome_;  // of making it ready
  bool failed_ = false;
};

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
  Program program(options);
  for (const InProcessCase& one : options.cases)
    benchmark::RegisterBenchmark(name_of(one.key).c_str(),
                                 [&](benchmark::State& state) { program.run(state, one); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return program.failed() ? 1 : 0;
}

}  // namespace breakeven
