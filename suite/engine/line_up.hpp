// SPDX-License-Identifier: Apache-2.0
// Contenders that are measured beside each other: all are ready at once, one is running and the
// others are at rest. A sweep visits each once; the contenders of a match (one key, several
// backends) directly after one another, so that what slows the machine slows them alike and their
// ratio holds on a busy one.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "suite/engine/ceiling_watch.hpp"
#include "suite/engine/contender.hpp"
#include "suite/engine/workers.hpp"
#include "suite/measure/noise.hpp"

namespace breakeven {

struct LineUpRules {
  StopRule stop;               // its budgets count what visits and their share of the noise take
  double sample_limit_ns = 0;  // a case whose one sample takes longer is over budget
  Seconds time_limit{90};      // that any one request may take
  std::uint64_t seed = 0;
  // Of the time, for more processes than one: each lies in memory as it happens to, and a round
  // that opens several speaks of the next one too. 0: one is enough.
  double share_of_opening = 0;
  bool meters_energy = false;  // two seconds more for each case
  std::function<bool()> run_budget_spent = [] { return false; };
};

// Readings of one run, in order; visits say between which of them they lie.
struct NoiseLog {
  NoiseWatch& watch;
  std::vector<NoiseReading> readings = {};
};

// Called after every step, with the contender that it belonged to.
using StepObserver = std::function<void(const Contender&)>;

class LineUp {
 public:
  // `noise` and `ceilings` may be null: nobody watches. References outlive the line-up.
  LineUp(std::span<Contender> contenders, Workers& workers, Interrupt& interrupt,
         const LineUpRules& rules, std::mt19937_64& random, NoiseLog* noise, CeilingWatch* ceilings,
         StepObserver observer);

  // Sweeps until every match has its precision or its budget. Afterwards every contender is done.
  // Throws Interrupted; then those that are done can be kept.
  void measure();

  // The steps of it, for who decides otherwise when a match is over. Each ends a contender that
  // cannot go on; all throw Interrupted.
  void prepare();                   // those that are not ready
  void sweep();                     // visits those that are going on
  void finish(Contender& subject);  // checks its last result
  void drop(Contender& subject);    // frees what it holds in its worker, unless it is done

 private:
  struct WorkerLost {};  // with all that was ready in it

  std::vector<std::vector<Contender*>> matches_going_on();
  void visit_match(std::vector<Contender*>& match);
  void visit(Contender& subject);
  bool wants_audit(const Contender& subject);
  bool audit(Contender& subject);
  void audit_before_finish(Contender& subject);
  void audit_to_the_end(Contender& subject);
  void conclude(Contender& subject);
  void stop_matches();
  void finish_match(const std::vector<Contender*>& match);
  void open_anew_where_cheap();
  void finish_what_is_complete();
  void judge_noise();
  void prepare(Contender& subject);
  void measure_in_fresh_workers(Contender& subject);
  void read_noise();
  template <typename Request>
  typename Request::Answer ask(Contender& subject, const Request& request);
  void lose_worker(const Contender& subject);

  std::span<Contender> contenders_;
  Workers& workers_;
  Interrupt& interrupt_;
  const LineUpRules& rules_;
  std::mt19937_64& random_;
  NoiseLog* noise_;
  CeilingWatch* ceilings_;
  StepObserver observer_;
  std::size_t sweep_ = 0;
  std::size_t process_ = 0, sweep_of_process_ = 0;  // that the visits are in, and its first sweep
  double openings_ns_ = 0;                          // what opening them anew took
  std::int64_t began_ns_ = 0;                       // the first sweep
  bool noise_is_stale_ = true;  // something else than visits happened since the last reading
};

}  // namespace breakeven
