// SPDX-License-Identifier: Apache-2.0
#include "suite/find/contestant.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "reports/statistics/order_statistics.hpp"
#include "suite/worker/answers.hpp"

namespace breakeven {
namespace {

constexpr int only_case = 1;  // a worker here holds one case at a time
constexpr Seconds limit_of_open{60};
constexpr double block_ns = 5e6;

}  // namespace

bool Contestant::enter(const Key& key) {
  drop();
  run_ = {};
  run_.id = only_case;
  samples_ = 0;
  const auto answer = ask({{"do", "prepare"},
                           {"id", run_.id},
                           {"key", key},
                           {"seed", limits_.seed},
                           {"budget_ns", limits_.sample_seconds * 1e9}},
                          prepare_from);
  run_.work = answer.work;
  run_.verification = answer.verification;
  run_.repetitions = answer.repetitions;
  holds_case_ = !run_.done;
  return holds_case_;
}

std::optional<double> Contestant::block() {
  auto answer =
      ask({{"do", "visit"}, {"id", run_.id}, {"samples", samples_}, {"noise", false}}, visit_from);
  if (run_.done) {
    return std::nullopt;
  }
  const std::vector<double>& wall = answer.visit.wall;
  const double lasted =
      std::accumulate(wall.begin(), wall.end(), 0.0) * static_cast<double>(run_.repetitions);
  if (samples_ == 0) {
    most_samples_ = wall.size();
  }
  const double enough = std::ceil(static_cast<double>(wall.size()) * block_ns / lasted);
  samples_ = static_cast<std::size_t>(std::clamp(enough, 1.0, static_cast<double>(most_samples_)));
  run_.visit_medians.push_back(median(answer.visit.wall));
  run_.visits.push_back(std::move(answer.visit));
  return run_.visit_medians.back();
}

bool Contestant::finish() {
  FinishAnswer answer = ask({{"do", "finish"}, {"id", run_.id}}, finish_from);
  if (run_.done) {
    return false;
  }
  run_.verification.error = std::max(run_.verification.error, answer.verification.error);
  run_.details = std::move(answer.details);
  run_.done = true;
  holds_case_ = false;
  return true;
}

void Contestant::abandon(Status status, const std::string& reason) {
  drop();
  run_.end(status, reason);
}

void Contestant::drop() {
  if (worker_ && std::exchange(holds_case_, false)) {
    ask({{"do", "drop"}, {"id", run_.id}}, outcome_from);
  }
}

void Contestant::pause() {
  if (worker_) {
    worker_->pause();
  }
}

WorkerProcess& Contestant::worker() {
  if (!worker_) {
    worker_ = std::make_unique<WorkerProcess>(
        WorkerStart{plugin_.resolved, settings_of(plugin_.name, settings_), plugin_.environment},
        interrupt_);
    const Outcome outcome = outcome_from(worker_->request({{"do", "open"}}, limit_of_open));
    if (outcome.status != Status::ok) {
      worker_.reset();
      throw NotUsable{outcome};
    }
  }
  return *worker_;
}

// An answer that is not ok ends the run; what it says beside that is returned.
template <typename Answer>
Answer Contestant::ask(const nlohmann::json& request, Answer (*read)(const nlohmann::json&)) {
  interrupt_.check();
  try {
    const nlohmann::json answer = worker().request(request, Seconds(limits_.request_seconds));
    std::string output = worker_->take_output();
    const Outcome outcome = outcome_from(answer);
    if (outcome.status == Status::ok) {
      return read(answer);
    }
    run_.end(outcome.status, outcome.reason);
    run_.output = std::move(output);
    if (outcome.lost) {
      worker_.reset();
    }
  } catch (const NotUsable& not_usable) {
    run_.end(not_usable.outcome.status, not_usable.outcome.reason);
  } catch (const BadAnswer& bad) {
    run_.end(Status::crashed, std::string("the worker answered nonsense: ") + bad.what());
    worker_.reset();
  } catch (const WorkerEnded& end) {
    run_.end(status_of(end.how), end.what());
    run_.output = end.output;
    worker_.reset();
  }
  return {};
}

}  // namespace breakeven
