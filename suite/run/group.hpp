// SPDX-License-Identifier: Apache-2.0
// Measures the cases of one group: prepares them all, visits them in shuffled order until each has
// its precision or its budget, checks them again.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>

#include "suite/measure/noise.hpp"
#include "suite/run/case_run.hpp"
#include "suite/run/worker_pool.hpp"
#include "suite/worker/answers.hpp"

namespace breakeven {

struct GroupLimits {
  StopRule stop;               // its budget counts what visits take, the noise watch included
  double sample_limit_ns = 0;  // a case whose one sample takes longer is over budget
  double time_limit = 0;       // seconds that any one request may take
  std::uint64_t seed = 0;
  std::function<bool()> run_budget_spent;
};

// Called after every step, with the case that it belonged to.
using StepObserver = std::function<void(const CaseRun&)>;

// Called before all cases that go on are visited once more. True: it kept the machine busy, which
// is no disturbance of the visit that comes next.
using BeforeSweep = std::function<bool()>;

class Group {
 public:
  // The cases are all of one backend. References outlive the group.
  Group(std::span<CaseRun> cases, WorkerPool& workers, Interrupt& interrupt,
        const GroupLimits& limits, std::mt19937_64& random, std::vector<NoiseReading>& noise,
        StepObserver observer, BeforeSweep before_sweep);

  // Afterwards every case is done. Throws Interrupted; then those that are done can be kept.
  void measure();

 private:
  void prepare_all();
  void visit_until_stopped();
  void finish_what_is_complete();
  void judge_noise();
  void finish_all();
  void measure_in_fresh_workers(CaseRun& subject);
  void prepare(CaseRun& subject);
  void visit(CaseRun& subject);
  void finish(CaseRun& subject);
  void read_noise(CaseRun& subject);
  std::vector<std::pair<std::string, std::string>> readings(CaseRun& subject);
  template <typename Answer>
  Answer ask(CaseRun& subject, const nlohmann::json& request,
             Answer (*read)(const nlohmann::json&));
  void worker_ended(CaseRun& subject, const WorkerEnded& end);

  std::span<CaseRun> cases_;
  const Plugin& plugin_;
  WorkerPool& workers_;
  Interrupt& interrupt_;
  const GroupLimits& limits_;
  std::mt19937_64& random_;
  std::vector<NoiseReading>& noise_;  // of the run so far; a visit lies between two of them
  StepObserver observer_;
  BeforeSweep before_sweep_;
};

}  // namespace breakeven
