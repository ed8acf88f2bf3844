// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/line_up.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "reports/statistics/order_statistics.hpp"
#include "reports/text/quantity.hpp"
#include "suite/protocol/worker_process.hpp"

namespace breakeven {

namespace {

constexpr double visit_ns = 5e6;
constexpr double unlimited = std::numeric_limits<double>::max();
constexpr std::size_t fewest_sweeps_of_process = 2;
constexpr double most_of_audits = 0.03;   // of the time of the visits, beyond one a process
constexpr double cost_of_audit_ns = 3e6;  // before there was one

// So many that the next visit lasts as this one should have: something else may slow a contender
// down, and a visit of milliseconds must not become one of seconds.
std::size_t fitting_samples(const Contender& subject, const Visit& visit) {
  const double lasted = std::accumulate(visit.wall.begin(), visit.wall.end(), 0.0) *
                        static_cast<double>(subject.prepared.repetitions);
  const double enough = std::ceil(static_cast<double>(visit.wall.size()) * visit_ns / lasted);
  const auto most = static_cast<double>(std::max<std::size_t>(1, subject.prepared.samples));
  return lasted > 0 ? static_cast<std::size_t>(std::clamp(enough, 1.0, most)) : 0;
}

double nanoseconds_since(std::int64_t begin) {
  return static_cast<double>(steady_clock().now() - begin);
}

constexpr std::ptrdiff_t guilty = 8, innocent = -4;

// What the audits of a row say together.
struct Evidence {
  std::size_t slow = 0;
  std::ptrdiff_t more_slow = 0, slow_as_a_whole = 0;
  double shortest_ns = std::numeric_limits<double>::max();
  double watched_ns = 0, others_ns = 0;  // of those that were slow as a whole

  void add(const Audit& one, double claimed_ns) {
    shortest_ns = std::min(shortest_ns, one.shortest_ns);
    const bool is_one_more = is_slow(one, claimed_ns);
    slow += is_one_more ? 1 : 0;
    more_slow += is_one_more ? 1 : -1;
    if (!is_slow_as_a_whole(one, claimed_ns)) return;
    ++slow_as_a_whole;
    watched_ns += one.watched_ns;
    others_ns += one.others_ns;
  }
  bool is_crowded() const { return others_ns > watched_ns / 4; }  // of a processor
  bool accuses() const { return more_slow - (is_crowded() ? slow_as_a_whole : 0) >= guilty; }
};

}  // namespace

LineUp::LineUp(std::span<Contender> contenders, Workers& workers, Interrupt& interrupt,
               const LineUpRules& rules, std::mt19937_64& random, NoiseLog* noise,
               CeilingWatch* ceilings, StepObserver observer)
    : contenders_(contenders),
      workers_(workers),
      interrupt_(interrupt),
      rules_(rules),
      random_(random),
      noise_(noise),
      ceilings_(ceilings),
      observer_(std::move(observer)) {}

void LineUp::measure() {
  try {
    prepare();
    began_ns_ = steady_clock().now();
    for (; !matches_going_on().empty(); prepare()) {
      const std::int64_t begin = steady_clock().now();
      sweep();
      stop_matches();
      if (matches_going_on().empty()) continue;
      open_anew_where_cheap();
      const double left = shortest_sweep_ns(rules_.stop, sweep_ - 1) - nanoseconds_since(begin);
      if (left > 0) {
        workers_.pause_all();
        interrupt_.sleep(left * 1e-9);
        noise_is_stale_ = true;
      }
    }
  } catch (const Interrupted&) {
    finish_what_is_complete();
    judge_noise();
    throw;
  }
  judge_noise();
}

void LineUp::prepare() {
  for (;;) {
    const auto next = std::find_if(contenders_.begin(), contenders_.end(),
                                   [](const Contender& c) { return !c.done && !c.ready; });
    if (next == contenders_.end()) return;
    try {
      prepare(*next);
    } catch (const WorkerLost&) {
    }
  }
}

std::vector<std::vector<Contender*>> LineUp::matches_going_on() {
  std::vector<std::vector<Contender*>> matches;
  std::size_t last = contenders_.size();
  for (Contender& subject : contenders_) {
    if (!subject.going_on()) continue;
    if (matches.empty() || subject.match != last) matches.emplace_back();
    last = subject.match;
    matches.back().push_back(&subject);
  }
  return matches;
}

void LineUp::sweep() {
  auto matches = matches_going_on();
  std::shuffle(matches.begin(), matches.end(), random_);
  if (ceilings_ && ceilings_->visit(contenders_, workers_)) noise_is_stale_ = true;
  // A worker that ended while a ceiling was measured took along what was ready in it.
  for (Contender& subject : contenders_)
    if (subject.ready && !subject.done && !workers_.idle(subject.planned->plugin))
      subject.restart();
  for (auto& match : matches) visit_match(match);
  ++sweep_;
}

void LineUp::visit_match(std::vector<Contender*>& match) {
  // Who went first goes last in the next sweep: what drifts favours nobody.
  if (sweep_ % 2 == 0)
    std::shuffle(match.begin(), match.end(), random_);
  else
    std::sort(match.begin(), match.end(),
              [](const Contender* a, const Contender* b) { return a->ended_ns > b->ended_ns; });
  const std::int64_t begin = steady_clock().now();
  if (noise_ && noise_is_stale_) read_noise();
  for (Contender* subject : match) try {
      if (subject->ready && subject->going_on()) visit(*subject);
    } catch (const WorkerLost&) {
    }
  if (noise_) read_noise();
  const double each = nanoseconds_since(begin) / static_cast<double>(match.size());
  for (Contender* subject : match) subject->spent_ns += each;
}

// A match stops as a whole: partners that go on alone would have no pairs.
void LineUp::stop_matches() {
  for (auto& match : matches_going_on()) {
    std::vector<SweptVisits> visits;
    double spent = 0;
    for (const Contender* subject : match) {
      visits.push_back({subject->visit_medians, subject->sweeps, subject->processes});
      spent += subject->spent_ns;
    }
    auto reason = stop(rules_.stop, visits, spent);
    if (!reason && rules_.run_budget_spent()) reason = StopReason::budget;
    if (!reason) continue;
    for (Contender* subject : match) subject->stop = reason;
    finish_match(match);
    noise_is_stale_ = true;
  }
}

// One whose audits others disturbed too much is measured once more, and its partners with it.
void LineUp::finish_match(const std::vector<Contender*>& match) {
  bool is_undecided = false;
  for (Contender* subject : match) {
    if (subject->ready) audit_to_the_end(*subject);
    is_undecided = is_undecided || !subject->undecided.empty();
  }
  if (!is_undecided || match.front()->is_second_attempt || rules_.run_budget_spent()) {
    for (Contender* subject : match)
      if (subject->ready) conclude(*subject);
    return;
  }
  for (Contender* subject : match) {
    subject->is_second_attempt = true;
    if (subject->ready) drop(*subject);
    if (!subject->done) subject->restart();
  }
}

// Fresh processes for those that are going on, once the visits of these are worth it. What they
// have measured is checked before they end.
void LineUp::open_anew_where_cheap() {
  const double share = rules_.share_of_opening * nanoseconds_since(began_ns_);
  const auto matches = matches_going_on();
  double cost = openings_ns_;
  for (const auto& match : matches)
    for (const Contender* subject : match) cost += subject->opening_ns;
  if (sweep_ - sweep_of_process_ < fewest_sweeps_of_process || cost > share ||
      rules_.run_budget_spent())
    return;
  const std::int64_t begin = steady_clock().now();
  for (const auto& match : matches) finish_match(match);
  for (const auto& match : matches)
    for (Contender* subject : match)
      if (subject->status == Status::ok) subject->done = false;
  for (const Contender& subject : contenders_) workers_.discard(subject.planned->plugin);
  ++process_;
  sweep_of_process_ = sweep_;
  prepare();
  openings_ns_ += nanoseconds_since(begin);
}

// After an interrupt. Between two requests a worker is sound, and can still check its results.
void LineUp::finish_what_is_complete() {
  for (Contender& subject : contenders_)
    if (subject.ready && subject.stop && workers_.idle(subject.planned->plugin)) finish(subject);
}

void LineUp::judge_noise() {
  if (!noise_) return;
  constexpr double tolerance = 0.02;  // of a clock
  const std::vector<std::string> found = disturbances(noise_->readings);
  for (Contender& subject : contenders_)
    for (std::size_t i = 0; i < subject.visit_noise.size(); ++i) {
      const std::size_t before = subject.visit_noise[i];
      const auto& clocks = subject.sm_clocks_mhz;
      if (subject.slowed_by_temperature[i])
        subject.disturbances.emplace_back("thermal slowdown");
      else if (clocks.size() == subject.visit_noise.size() &&
               std::abs(clocks[i] / median(clocks) - 1) > tolerance)
        subject.disturbances.emplace_back("another clock");
      else if (before < found.size() && !found[before].empty())
        subject.disturbances.push_back(found[before]);
    }
}

void LineUp::prepare(Contender& subject) {
  const Plugin* const plugin = subject.planned->plugin;
  noise_is_stale_ = true;
  if (workers_.set_aside(plugin)) {
    subject.end(Status::abandoned, "the backend crashed three times and was set aside");
    return observer_(subject);
  }
  const bool first = subject.visits.empty();
  if (first && rules_.run_budget_spent()) {
    subject.end(Status::over_budget, "the budget of the run was spent before its turn");
    subject.stop = StopReason::budget;
    return observer_(subject);
  }
  if (subject.planned->definition->needs_fresh_worker() && first)
    return measure_in_fresh_workers(subject);
  const double error = first ? 0 : subject.prepared.verification.error;
  const std::int64_t begin = steady_clock().now();
  if (first) subject.began_ns = begin;
  subject.prepared = ask(subject, Prepare{subject.id, subject.planned->key, rules_.seed,
                                          first ? rules_.sample_limit_ns : unlimited});
  subject.prepared.verification.error = std::max(error, subject.prepared.verification.error);
  if (!subject.done && first)
    subject.readings_before = ask(subject, AskReadings{subject.planned->key.device});
  subject.ready = !subject.done;
  subject.opening_ns = nanoseconds_since(begin);
  observer_(subject);
}

// What happens first happens once: every sample has a worker of its own.
void LineUp::measure_in_fresh_workers(Contender& subject) {
  const Plugin* const plugin = subject.planned->plugin;
  const auto is_over = [&] { return subject.done && subject.status != Status::ok; };
  const PlannedCase& planned = *subject.planned;
  for (std::optional<StopReason> reason; !is_over() && !reason; ++sweep_) {
    workers_.discard_beside(plugin);  // what others hold of the device would be there already
    subject.done = false;
    subject.prepared =
        ask(subject, Prepare{subject.id, planned.key, rules_.seed, rules_.sample_limit_ns});
    if (is_over()) break;
    if (subject.visits.empty()) {
      subject.began_ns = steady_clock().now();
      subject.readings_before = ask(subject, AskReadings{planned.key.device});
      if (is_over()) break;
    }
    noise_is_stale_ = true;
    subject.ready = true;
    std::vector<Contender*> alone = {&subject};
    visit_match(alone);
    if (is_over() || !subject.ready) break;
    reason = stop(rules_.stop, subject.visit_medians, subject.spent_ns);
    if (!reason && subject.visits.size() == rules_.stop.fewest_visits) reason = StopReason::visits;
    if (!reason && rules_.run_budget_spent()) reason = StopReason::budget;
    subject.stop = reason;
    finish(subject);
  }
  workers_.discard(plugin);
}

void LineUp::read_noise() {
  workers_.pause_all();
  noise_->readings.push_back(noise_->watch.read());
  noise_is_stale_ = false;
}

// Nobody knows beforehand which visits are audited. Where that costs nothing, one of the first
// three of a process is.
bool LineUp::wants_audit(const Contender& subject) {
  if (subject.planned->definition->needs_fresh_worker()) return false;
  const auto in_process = static_cast<std::size_t>(
      std::count(subject.processes.begin(), subject.processes.end(), process_));
  if (subject.is_long() && subject.audits.size() <= process_)
    return in_process >= 2 || random_() % 3 == 0;
  const double cost = subject.audits.empty()
                          ? cost_of_audit_ns
                          : subject.audits_ns / static_cast<double>(subject.audits.size());
  return subject.audits_ns + cost <= most_of_audits * subject.spent_ns && random_() % 8 == 0;
}

// Beside the visits. False: there is nothing to audit, or the case has ended.
bool LineUp::audit(Contender& subject) {
  const Visited seen = ask(subject, TakeVisit{subject.id, 1, true, false});
  if (subject.done || seen.audit.repetitions == 0) return false;
  subject.audits.push_back(seen.audit);
  return true;
}

// The last check is of what was never there before. What is faster than its hardware was ever seen
// to be is audited at more moments. Where no audited repetition of all comes near the claim, others
// that want the machine may have been the reason: there are more audits at later moments until one
// does, or `innocent` more were not slow than were, or `guilty` more were. A claim that the visits
// of those moments do not come near either was luck and accuses nobody, but has no time: what works
// for a while after it noticed an audit looks the same. Where others had the processors, audits
// that were slow as a whole accuse nobody. Without a verdict it is `undecided`.
void LineUp::audit_before_finish(Contender& subject) {
  constexpr double moment = 0.01;  // seconds; five are longer than most other work goes on for
  constexpr int most_moments = 5;
  constexpr int looks_beyond_budget = 4, most_looks = 24;
  constexpr double patience_ns = 1e10;
  constexpr int audits_of_suspect = 4;
  if (subject.planned->definition->needs_fresh_worker() || subject.visits.empty()) return;
  if (!subject.is_long() || subject.audits.size() <= process_) audit(subject);
  const bool is_suspect = ceilings_ && ceilings_->is_above(subject, workers_);
  for (int more = 1; is_suspect && more <= audits_of_suspect && !subject.done; ++more) {
    interrupt_.sleep(moment * more);
    if (!audit(subject)) break;
  }
  if (subject.done || subject.audits.empty()) return;
  double claimed = subject.claimed_ns();
  std::vector<double> claimed_later;
  Evidence found;
  for (const Audit& one : subject.audits) found.add(one, claimed);
  subject.slow_audits = found.slow;
  found.more_slow = std::max<std::ptrdiff_t>(0, found.more_slow);  // only later moments acquit
  const std::int64_t begin = steady_clock().now();
  const auto acquit = [&] {
    const double own = subject.claimed_ns();
    if (claimed > tolerated * own)
      subject.undecided = fmt::format("{} later visits took {} a repetition, those of its time {}",
                                      claimed_later.size(), time_text(claimed), time_text(own));
  };
  const auto is_over = [&](int look) {
    return look > most_looks || (look > guilty && nanoseconds_since(begin) > patience_ns);
  };
  for (int look = 1; found.shortest_ns > tolerated * claimed && !found.accuses(); ++look) {
    if (found.more_slow <= innocent) return acquit();
    if (look > looks_beyond_budget && rules_.run_budget_spent()) {
      ask(subject, Drop{subject.id});
      subject.end(Status::over_budget,
                  "the budget of the run was spent before its audits told whether it computes what "
                  "it is timed for; run it again with more");
      subject.stop = StopReason::budget;
      return;
    }
    if (found.is_crowded() && is_over(look)) {
      subject.undecided = fmt::format(
          "others had {:.2g} processors, and {} audits did not tell whether it computes what it is "
          "timed for",
          found.others_ns / found.watched_ns, subject.audits.size());
      return;
    }
    interrupt_.sleep(moment * std::min(look, most_moments));
    const Visited plain = ask(subject, TakeVisit{subject.id, subject.samples});
    const bool is_whole = !subject.done && !plain.visit.wall.empty() && audit(subject);
    if (!subject.done && !is_whole)
      subject.end(Status::crashed, "the worker answered nonsense: a visit or an audit of nothing");
    if (subject.done) return;
    claimed_later.push_back(median(plain.visit.wall));
    found.add(subject.audits.back(), claimed_later.back());
    subject.slow_audits = found.slow;
    if (claimed_later.size() >= 3) claimed = std::max(subject.claimed_ns(), median(claimed_later));
  }
  if (found.shortest_ns <= tolerated * claimed) return acquit();
  const std::string reason = fmt::format(
      "with new inputs and results that are read a repetition takes {} at best, without {} as a "
      "rule ({} of {} audits)",
      time_text(found.shortest_ns), time_text(claimed), found.slow, subject.audits.size());
  ask(subject, Drop{subject.id});
  subject.end(Status::wrong, reason);
}

void LineUp::visit(Contender& subject) {
  const bool audited = wants_audit(subject);
  Visited seen = ask(subject, TakeVisit{subject.id, subject.samples, audited});
  if (!subject.done && seen.visit.wall.empty())
    subject.end(Status::crashed, "the worker answered nonsense: a visit without samples");
  if (subject.done) return observer_(subject);
  if (seen.audit.repetitions > 0) {
    subject.audits.push_back(seen.audit);
    subject.audits_ns += seen.audit.took_ns;
  }
  subject.audited.push_back(seen.audit.repetitions > 0 && subject.is_long());
  subject.samples = fitting_samples(subject, seen.visit);
  subject.visit_medians.push_back(median(seen.visit.wall));
  subject.visits.push_back(std::move(seen.visit));
  for (const std::vector<double>* samples :
       {&subject.visits.back().wall, &subject.visits.back().device})
    for (const double nanoseconds : *samples)
      subject.sampled_ns += nanoseconds * static_cast<double>(subject.prepared.repetitions);
  subject.sweeps.push_back(sweep_);
  subject.processes.push_back(process_);
  if (noise_) {
    subject.visit_noise.push_back(noise_->readings.size() - 1);
    subject.slowed_by_temperature.push_back(seen.thermal_throttle_ns.value_or(0) > 0);
  }
  if (seen.sm_clock_mhz) subject.sm_clocks_mhz.push_back(*seen.sm_clock_mhz);
  subject.unsteady_visits += seen.stood ? 0 : 1;
  subject.power_throttle_ns += seen.power_throttle_ns.value_or(0);
  subject.ended_ns = steady_clock().now();
  observer_(subject);
}

void LineUp::finish(Contender& subject) {
  audit_to_the_end(subject);
  if (subject.ready) conclude(subject);
}

void LineUp::audit_to_the_end(Contender& subject) {
  const std::int64_t begin = steady_clock().now();
  try {
    audit_before_finish(subject);
  } catch (const WorkerLost&) {
    return;
  }
  subject.audits_ns += nanoseconds_since(begin);
  if (subject.done) observer_(subject);
}

// After its audits.
void LineUp::conclude(Contender& subject) {
  try {
    if (!subject.undecided.empty()) {
      ask(subject, Drop{subject.id});
      if (!subject.done)
        subject.end(Status::over_budget, subject.undecided + "; run it again where less else runs");
      return observer_(subject);
    }
    if (rules_.meters_energy && !subject.done && subject.metered.repetitions == 0)
      subject.metered = ask(subject, Meter{subject.id});
    if (!subject.done)
      subject.readings_after = ask(subject, AskReadings{subject.planned->key.device});
    if (subject.done) return observer_(subject);
    subject.finished = ask(subject, Finish{subject.id});
  } catch (const WorkerLost&) {
    return;
  }
  double& error = subject.prepared.verification.error;
  error = std::max(error, subject.finished.verification.error);
  subject.ready = false;
  if (!subject.done && ceilings_) {
    if (auto why = ceilings_->implausible(subject, workers_))
      subject.end(Status::implausible, std::move(*why));
    noise_is_stale_ = true;
  }
  subject.done = true;
  observer_(subject);
}

void LineUp::drop(Contender& subject) {
  if (!std::exchange(subject.ready, false)) return;
  try {
    ask(subject, Drop{subject.id});
  } catch (const WorkerLost&) {
  }
}

// An answer that is not ok ends the case; what it says beside that is returned.
template <typename Request>
typename Request::Answer LineUp::ask(Contender& subject, const Request& request) {
  interrupt_.check();
  const Plugin* const plugin = subject.planned->plugin;
  const auto crashed = [&](Status how, const std::string& why, std::string output) {
    subject.end(how, why);
    subject.output = std::move(output);
    workers_.count_crash(plugin);
    lose_worker(subject);
  };
  try {
    WorkerClient& worker = workers_.running(plugin);
    auto reply = worker.ask(request, rules_.time_limit);
    std::string output = worker.take_output();
    if (!reply.ok()) {
      const bool held = subject.ready;
      subject.end(reply.outcome.status, reply.outcome.reason);
      subject.output = std::move(output);
      if (reply.outcome.lost) lose_worker(subject);
      if (held) worker.ask(Drop{subject.id}, rules_.time_limit);
    }
    return std::move(reply.value);
  } catch (const Workers::NotUsable& not_usable) {
    subject.end(not_usable.outcome.status, not_usable.outcome.reason);
    return {};
  } catch (const BadAnswer& bad) {
    crashed(Status::crashed, std::string("the worker answered nonsense: ") + bad.what(), "");
  } catch (const WorkerEnded& end) {
    crashed(end.status, end.what(), end.output);
  }
  return {};
}

// Whatever else was ready in it starts anew in a fresh one.
void LineUp::lose_worker(const Contender& subject) {
  const Plugin* const plugin = subject.planned->plugin;
  workers_.discard(plugin);
  for (Contender& other : contenders_)
    if (!other.done && other.planned->plugin == plugin) other.restart();
  observer_(subject);
  throw WorkerLost{};
}

}  // namespace breakeven
