// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/stages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace breakeven {

void Stages::add(std::string_view name, std::vector<Task*> tasks) {
  if (!tasks.empty()) stages_.push_back({std::string(name), std::move(tasks)});
}

Routine Stages::all(Queue& queue) const {
  Routine routine{{}, {&queue}, 0};
  for (const Stage& stage : stages_)
    routine.tasks.insert(routine.tasks.end(), stage.tasks.begin(), stage.tasks.end());
  return routine;
}

void Stages::measure_shares(Queue& queue) {
  constexpr std::size_t times = 5;
  std::vector<std::vector<double>> seen(stages_.size());
  for (std::size_t i = 0; i < times; ++i)
    for (std::size_t s = 0; s < stages_.size(); ++s)
      seen[s].push_back(time(Routine{stages_[s].tasks, {&queue}, 0}, 1, steady_clock()).wall);
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    std::sort(seen[s].begin(), seen[s].end());
    stages_[s].median = seen[s][times / 2];
  }
}

std::vector<std::pair<std::string, std::string>> Stages::shares() const {
  double sum = 0;
  for (const Stage& stage : stages_) sum += stage.median;
  std::vector<std::pair<std::string, std::string>> shares;
  if (sum == 0) return shares;
  for (const Stage& stage : stages_)
    shares.emplace_back(stage.name + "_share", fmt::format("{:.3f}", stage.median / sum));
  return shares;
}

}  // namespace breakeven
