// SPDX-License-Identifier: Apache-2.0
#include "suite/run/group.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

namespace {

using nlohmann::json;

Status status_of(WorkerEnded::How how) {
  switch (how) {
    case WorkerEnded::How::hung: return Status::hung;
    case WorkerEnded::How::out_of_memory: return Status::out_of_memory;
    case WorkerEnded::How::crashed: break;
  }
  return Status::crashed;
}

Verification verification_from(const json& answer) {
  Verification verification;
  verification.passed = answer.at("passed").get<bool>();
  verification.method = answer.at("method").get<std::string>();
  // Not finite is null in JSON.
  const auto number = [&](const char* key) {
    return answer.at(key).is_number() ? answer.at(key).get<double>()
                                      : std::numeric_limits<double>::infinity();
  };
  verification.error = number("error");
  verification.tolerance = number("tolerance");
  verification.message = answer.at("message").get<std::string>();
  return verification;
}

// The worker left while a case was in flight: the others of the group start anew in a fresh one.
struct StartAnew {};

}  // namespace

Group::Group(std::span<CaseRun> cases, WorkerPool& workers, Interrupt& interrupt,
             const GroupLimits& limits, std::mt19937_64& random, std::vector<NoiseReading>& noise,
             StepObserver observer)
    : cases_(cases),
      plugin_(*cases.front().planned->plugin),
      workers_(workers),
      interrupt_(interrupt),
      limits_(limits),
      random_(random),
      noise_(noise),
      observer_(std::move(observer)) {}

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
      // Between two requests the worker is sound, and what is complete can still be checked.
      if (workers_.idle(plugin_))
        for (CaseRun& subject : cases_)
          if (!subject.done && subject.stop) finish(subject);
      judge_noise();
      throw;
    }
  }
}

void Group::prepare_all() {
  for (CaseRun& subject : cases_) {
    if (subject.done) continue;
    if (limits_.run_budget_spent()) {
      subject.end(Status::over_budget, "the budget of the run was spent before its turn");
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
  bool first_pass = true;
  for (;;) {
    active.clear();
    for (CaseRun& subject : cases_)
      if (!subject.done && !subject.stop) active.push_back(&subject);
    if (active.empty()) return;
    if (std::exchange(first_pass, false)) {
      const json answer = ask(*active.front(), {{"do", "noise"}});
      if (answer.at("status") == "ok") noise_.push_back(answer.at("noise").get<NoiseReading>());
    }
    std::shuffle(active.begin(), active.end(), random_);
    for (CaseRun* subject : active) visit(*subject);
  }
}

void Group::finish_all() {
  for (CaseRun& subject : cases_)
    if (!subject.done) finish(subject);
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
    const json noise = ask(subject, {{"do", "noise"}});
    if (noise.at("status") == "ok") noise_.push_back(noise.at("noise").get<NoiseReading>());
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
  const json answer = ask(subject, {{"do", "prepare"},
                                    {"id", subject.id},
                                    {"key", subject.planned->key},
                                    {"seed", limits_.seed},
                                    {"budget_ns", limits_.stop.budget_ns}});
  subject.flops = answer.value("flops", 0.0);
  subject.bytes = answer.value("bytes", 0.0);
  if (answer.contains("verification"))
    subject.verification = verification_from(answer.at("verification"));
  if (!took_outcome(subject, answer)) subject.repetitions = answer.at("repetitions").get<std::size_t>();
  observer_(subject);
}

void Group::visit(CaseRun& subject) {
  const json answer = ask(subject, {{"do", "visit"}, {"id", subject.id}});
  if (took_outcome(subject, answer)) return observer_(subject);
  Visit visit;
  answer.at("wall").get_to(visit.wall);
  answer.at("enqueue").get_to(visit.enqueue);
  answer.at("device").get_to(visit.device);
  subject.visit_medians.push_back(median(visit.wall));
  subject.spent_ns += std::accumulate(visit.wall.begin(), visit.wall.end(), 0.0) *
                      static_cast<double>(subject.repetitions);
  subject.visits.push_back(std::move(visit));
  subject.visit_noise.push_back(noise_.size() - 1);
  noise_.push_back(answer.at("noise").get<NoiseReading>());
  subject.stop = stop(limits_.stop, subject.visit_medians, subject.spent_ns);
  if (!subject.stop && limits_.run_budget_spent()) subject.stop = StopReason::budget;
  observer_(subject);
}

void Group::finish(CaseRun& subject) {
  const json answer = ask(subject, {{"do", "finish"}, {"id", subject.id}});
  if (!took_outcome(subject, answer)) {
    const Verification last = verification_from(answer.at("verification"));
    subject.verification.error = std::max(subject.verification.error, last.error);
    answer.at("details").get_to(subject.details);
    subject.done = true;
  }
  observer_(subject);
}

json Group::ask(CaseRun& subject, json request) {
  interrupt_.check();
  try {
    WorkerProcess& worker = workers_.running(plugin_);
    json answer = worker.request(request, Seconds(limits_.time_limit));
    std::string output = worker.take_output();
    if (answer.at("status") != "ok") subject.output = std::move(output);
    return answer;
  } catch (const WorkerPool::NotUsable& not_usable) {
    return not_usable.answer;
  } catch (const WorkerEnded& end) {
    worker_ended(subject, end);
    throw StartAnew{};
  }
}

// True where the answer ends the case.
bool Group::took_outcome(CaseRun& subject, const json& answer) {
  const Status status = status_named(answer.at("status").get<std::string>()).value();
  if (status == Status::ok) return false;
  subject.end(status, answer.value("reason", std::string()));
  if (answer.contains("lost")) throw StartAnew{};
  return true;
}

void Group::worker_ended(CaseRun& subject, const WorkerEnded& end) {
  subject.end(status_of(end.how), end.what());
  subject.output = end.output;
  workers_.discard(plugin_);
  workers_.count_crash(plugin_);
  observer_(subject);
}

}  // namespace breakeven
