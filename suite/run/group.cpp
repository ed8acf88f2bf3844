// SPDX-License-Identifier: Apache-2.0
#include "suite/run/group.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

namespace {

using nlohmann::json;

// The worker left while a case was in flight: the others of the group start anew in a fresh one.
struct StartAnew {};

}  // namespace

Group::Group(std::span<CaseRun> cases, WorkerPool& workers, Interrupt& interrupt,
             const GroupLimits& limits, std::mt19937_64& random, std::vector<NoiseReading>& noise,
             StepObserver observer, BeforeSweep before_sweep)
    : cases_(cases),
      plugin_(*cases.front().planned->plugin),
      workers_(workers),
      interrupt_(interrupt),
      limits_(limits),
      random_(random),
      noise_(noise),
      observer_(std::move(observer)),
      before_sweep_(std::move(before_sweep)) {}

void Group::measure() {
  while (std::any_of(cases_.begin(), cases_.end(), [](const CaseRun& c) { return !c.done; })) {
    if (workers_.set_aside(plugin_)) {
      for (CaseRun& subject : cases_)
        if (!subject.done) {
          subject.end(Status::abandoned, "the backend crashed three times and was set aside");
          observer_(subject);
        }
      return;
    }
    try {
      prepare_all();
      visit_until_stopped();
      finish_all();
      judge_noise();
    } catch (const StartAnew&) {
      workers_.discard(plugin_);
      for (CaseRun& subject : cases_)
        if (!subject.done) subject.restart();
    } catch (const Interrupted&) {
      finish_what_is_complete();
      throw;
    }
  }
}

void Group::prepare_all() {
  for (CaseRun& subject : cases_) {
    if (subject.done) continue;
    if (limits_.run_budget_spent()) {
      subject.end(Status::over_budget, std::string(budget_spent_before));
      observer_(subject);
    } else if (subject.planned->definition->needs_fresh_worker()) {
      measure_in_fresh_workers(subject);
    } else {
      prepare(subject);
    }
  }
}

void Group::visit_until_stopped() {
  std::vector<CaseRun*> active;
  for (std::size_t sweep = 0;; ++sweep) {
    const auto start = std::chrono::steady_clock::now();
    active.clear();
    for (CaseRun& subject : cases_)
      if (!subject.done && !subject.stop) active.push_back(&subject);
    if (active.empty()) return;
    const bool was_busy = before_sweep_();
    if (sweep == 0) {
      read_noise(*active.front());
      for (CaseRun* subject : active) subject->readings_before = readings(*subject);
    } else if (was_busy) {
      read_noise(*active.front());
    }
    std::shuffle(active.begin(), active.end(), random_);
    for (CaseRun* subject : active) visit(*subject);

    const bool goes_on = std::any_of(active.begin(), active.end(), [](const CaseRun* subject) {
      return !subject->done && !subject->stop;
    });
    if (!goes_on) continue;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    interrupt_.sleep(shortest_sweep_ns(limits_.stop, sweep) * 1e-9 - spent.count());
  }
}

void Group::finish_all() {
  for (CaseRun& subject : cases_)
    if (!subject.done) subject.readings_after = readings(subject);
  for (CaseRun& subject : cases_)
    if (!subject.done) finish(subject);
}

// After an interrupt. Between two requests the worker is sound, and can still check its results.
void Group::finish_what_is_complete() {
  try {
    if (workers_.idle(plugin_))
      for (CaseRun& subject : cases_)
        if (!subject.done && subject.stop) finish(subject);
  } catch (const StartAnew&) {
  }
  judge_noise();
}

void Group::judge_noise() {
  const std::vector<std::string> found = disturbances(noise_);
  for (CaseRun& subject : cases_)
    for (const std::size_t before : subject.visit_noise)
      if (before < found.size() && !found[before].empty())
        subject.disturbances.push_back(found[before]);
}

// What happens first happens once: every sample has a worker of its own.
void Group::measure_in_fresh_workers(CaseRun& subject) {
  while (!subject.done && !subject.stop) {
    workers_.discard(plugin_);
    prepare(subject);
    if (subject.done) return;
    read_noise(subject);
    visit(subject);
    if (subject.done) return;
    const std::optional<StopReason> stop = subject.stop;
    if (subject.visits.size() == limits_.stop.fewest_visits && !stop)
      subject.stop = StopReason::visits;
    finish(subject);
    if (subject.done && subject.status == Status::ok && !subject.stop) subject.done = false;
  }
  workers_.discard(plugin_);
}

void Group::prepare(CaseRun& subject) {
  subject.began_ns = steady_clock().now();
  const auto answer = ask(subject,
                          {{"do", "prepare"},
                           {"id", subject.id},
                           {"key", subject.planned->key},
                           {"seed", limits_.seed},
                           {"budget_ns", limits_.sample_limit_ns}},
                          prepare_from);
  subject.work = answer.work;
  subject.verification = answer.verification;
  subject.repetitions = answer.repetitions;
  observer_(subject);
}

void Group::read_noise(CaseRun& subject) {
  noise_.push_back(ask(subject, {{"do", "noise"}}, noise_from));
}

std::vector<std::pair<std::string, std::string>> Group::readings(CaseRun& subject) {
  const nlohmann::json request = {{"do", "readings"}, {"device", subject.planned->key.device}};
  return ask(subject, request, readings_from);
}

void Group::visit(CaseRun& subject) {
  const auto begin = std::chrono::steady_clock::now();
  VisitAnswer answer = ask(subject, {{"do", "visit"}, {"id", subject.id}}, visit_from);
  if (subject.done) return observer_(subject);
  subject.visit_medians.push_back(median(answer.visit.wall));
  subject.spent_ns +=
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  subject.ended_ns = steady_clock().now();
  subject.visits.push_back(std::move(answer.visit));
  subject.visit_noise.push_back(noise_.size() - 1);
  noise_.push_back(answer.noise);
  subject.joules += answer.joules.value_or(0);
  subject.power_throttle_ns += answer.power_throttle_ns.value_or(0);
  subject.stop = stop(limits_.stop, subject.visit_medians, subject.spent_ns);
  if (!subject.stop && limits_.run_budget_spent()) subject.stop = StopReason::budget;
  observer_(subject);
}

void Group::finish(CaseRun& subject) {
  FinishAnswer answer = ask(subject, {{"do", "finish"}, {"id", subject.id}}, finish_from);
  subject.verification.error = std::max(subject.verification.error, answer.verification.error);
  subject.details = std::move(answer.details);
  subject.binding = std::move(answer.binding);
  subject.done = true;
  observer_(subject);
}

// An answer that is not ok ends the case; what it says beside that is returned.
template <typename Answer>
Answer Group::ask(CaseRun& subject, const json& request, Answer (*read)(const json&)) {
  interrupt_.check();
  try {
    WorkerProcess& worker = workers_.running(plugin_);
    const json answer = worker.request(request, Seconds(limits_.time_limit));
    std::string output = worker.take_output();
    const Outcome outcome = outcome_from(answer);
    if (outcome.status == Status::ok) return read(answer);
    subject.end(outcome.status, outcome.reason);
    subject.output = std::move(output);
    observer_(subject);
    if (outcome.lost) throw StartAnew{};
    try {
      return read(answer);
    } catch (const BadAnswer&) {
      return {};
    }
  } catch (const WorkerPool::NotUsable& not_usable) {
    subject.end(not_usable.outcome.status, not_usable.outcome.reason);
    return {};
  } catch (const BadAnswer& bad) {
    worker_ended(subject,
                 WorkerEnded(WorkerEnded::How::crashed,
                             std::string("the worker answered nonsense: ") + bad.what(), ""));
    throw StartAnew{};
  } catch (const WorkerEnded& end) {
    worker_ended(subject, end);
    throw StartAnew{};
  }
}

void Group::worker_ended(CaseRun& subject, const WorkerEnded& end) {
  subject.end(status_of(end.how), end.what());
  subject.output = end.output;
  workers_.discard(plugin_);
  workers_.count_crash(plugin_);
  observer_(subject);
}

}  // namespace breakeven
