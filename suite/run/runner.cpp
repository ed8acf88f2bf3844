// SPDX-License-Identifier: Apache-2.0
#include "suite/run/runner.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include <fmt/format.h>

#include "suite/engine/line_up.hpp"
#include "suite/run/line_ups.hpp"
#include "suite/run/rows.hpp"

namespace breakeven {

namespace {

// Readings of the noise that later ones are held against: a long run would heap up millions.
constexpr std::size_t most_noise_remembered = 2000;

// Seconds that preparing and checking a case may take, before there is one to tell.
constexpr double first_overhead = 0.1;

using Cases = std::vector<const PlannedCase*>;

bool is_usable(const PlannedCase* planned) {
  return planned->plugin->usable();
}

std::size_t count_done(std::span<const Contender> contenders) {
  return static_cast<std::size_t>(
      std::count_if(contenders.begin(), contenders.end(),
                    [](const Contender& one) { return one.done && is_usable(one.planned); }));
}

}  // namespace

Limits limits_of(const RunOptions& options) {
  const bool quick = options.selection.preset == Preset::quick;
  Limits limits;
  limits.rounds = options.rounds.value_or(
      options.selection.preset == Preset::full || options.compares_builds ? 5 : 1);
  if (!quick) limits.case_budget = 10;
  const bool is_course = options.selection.preset == Preset::course;
  if (options.run_budget > 0)
    limits.run_target = options.run_budget;
  else if (options.case_budget == 0)
    limits.run_target = limits.rounds * (quick ? 48 : is_course ? 240 : 0);
  limits.precision = options.precision;
  if (options.case_budget > 0) limits.case_budget = options.case_budget;
  // One round of the quick preset ends within a minute on any machine, one of the course within
  // five; what it did not come to says so. Who names sizes or types wants all of them.
  const Selection& wanted = options.selection;
  const bool is_preset = wanted.sizes.empty() && wanted.types.empty() && wanted.counts.empty();
  limits.run_budget = options.run_budget;
  if (options.run_budget == 0 && options.case_budget == 0 && limits.rounds == 1)
    limits.run_budget = quick && is_preset ? 56 : is_course ? 285 : 0;
  limits.time_limit = options.time_limit > 0 ? options.time_limit : 60 + 10 * limits.case_budget;
  return limits;
}

double share_of_a_case(const Limits& limits, double spent, std::size_t cases, double overhead) {
  const double share =
      (limits.run_target - spent) / static_cast<double>(std::max<std::size_t>(1, cases)) - overhead;
  return std::clamp(share, std::min(0.05, limits.case_budget), limits.case_budget);
}

bool meters_energy(const RunOptions& options, std::size_t cases) {
  if (options.meters_energy || options.selection.preset != Preset::full)
    return options.meters_energy;
  const double budget = limits_of(options).run_budget;
  return budget == 0 || 2 * static_cast<double>(cases) <= budget / 4;
}

void run_plan(const RunOptions& options, const Plan& plan, const Row& context,
              const std::vector<std::pair<std::string, unsigned>>& complete, Interrupt& interrupt,
              const std::function<void(const std::vector<Row>&)>& write, RunObserver& observer) {
  const Limits limits = limits_of(options);
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  LineUpRules rules;
  rules.stop.precision = limits.precision;
  rules.stop.budget_ns = limits.case_budget * 1e9;
  rules.sample_limit_ns = limits.case_budget * 1e9;
  rules.time_limit = Seconds(limits.time_limit);
  rules.share_of_opening = 0.1;
  rules.seed = options.seed.value();
  rules.run_budget_spent = [&] { return limits.run_budget > 0 && spent() > limits.run_budget; };

  const std::set<std::pair<std::string, unsigned>> left_out(complete.begin(), complete.end());
  const auto cases_of = [&](unsigned round) {
    Cases planned;
    for (const PlannedCase& one : plan.cases)
      if (!left_out.contains({one.name, round})) planned.push_back(&one);
    return planned;
  };
  std::size_t usable_left = 0;  // in all rounds
  for (unsigned round = 1; round <= limits.rounds; ++round) {
    const Cases planned = cases_of(round);
    usable_left +=
        static_cast<std::size_t>(std::count_if(planned.begin(), planned.end(), is_usable));
  }
  rules.meters_energy = meters_energy(options, usable_left);
  observer.started(usable_left, limits.run_budget);

  std::mt19937_64 random(options.seed.value());
  Workers workers(worker_processes(options.settings, interrupt));
  NoiseWatch watch(steady_clock());
  NoiseLog noise{watch};
  const double twentieth_ns = 5e7 * limits.run_budget;
  CeilingWatch ceilings =
      limits.run_budget > 0 ? CeilingWatch(twentieth_ns, twentieth_ns) : CeilingWatch(3e9);
  std::size_t done_before = 0, measured = 0;
  double in_visits = 0, before_cases = 0;  // seconds
  int next_id = 0;
  for (unsigned round = 1; round <= limits.rounds; ++round) {
    const Cases planned = cases_of(round);
    const Room room = room_for_line_ups(planned, workers);
    std::size_t line_up = 0;
    for (LineUpPlan& one : line_ups_of(planned, room)) {
      ++line_up;
      std::size_t usable = 0;
      for (Contender& contender : one.contenders) {
        contender.id = next_id++;
        contender.round = round;
        contender.line_up = fmt::format("{}.{}.{}", context.text(Column::resumed), round, line_up);
        usable += is_usable(contender.planned);
        if (!contender.done) ceilings.measure_all(*contender.planned, workers);
      }
      if (measured == 0) before_cases = spent();
      const double overhead =
          measured == 0 ? first_overhead
                        : (spent() - before_cases - in_visits) / static_cast<double>(measured);
      if (limits.run_target > 0)
        rules.stop.share_ns = 1e9 * share_of_a_case(limits, spent(), usable_left, overhead);
      usable_left -= usable;
      const auto keep = [&] {
        // What the run did not come to stands last in the report, where --resume takes it back.
        std::stable_partition(one.contenders.begin(), one.contenders.end(),
                              [](const Contender& each) { return !each.awaits_resume(); });
        for (Contender& each : one.contenders)
          if (each.done && each.status == Status::ok && ceilings.refused(*each.planned))
            each.end(Status::out_of_memory,
                     "the device refused memory that it says is free when a ceiling was measured");
        std::vector<Row> rows;
        for (const Contender& each : one.contenders)
          if (each.done) rows.push_back(make_row(context, each, ceilings.ceiling_of(each)));
        write(rows);
        for (const Row& row : rows) observer.measured(row);
      };
      if (noise.readings.size() > most_noise_remembered)
        noise.readings.erase(noise.readings.begin(), noise.readings.end() - most_noise_remembered);
      try {
        LineUp(one.contenders, workers, interrupt, rules, random, &noise, &ceilings,
               [&](const Contender& each) {
                 observer.step(each.planned->name, done_before + count_done(one.contenders));
               })
            .measure();
      } catch (const Interrupted&) {
        keep();
        throw;
      }
      keep();
      done_before += usable;
      measured += usable;
      for (const Contender& each : one.contenders) in_visits += each.spent_ns * 1e-9;
    }
    workers.discard_all();
  }
}

}  // namespace breakeven
