// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/lanes.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

namespace {

// How often the process' threads were put off their processors against their will.
double involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nivcsw);
}

std::optional<double> clock_mhz(const Device& device) {
  std::array<Reading, 64> read;
  const std::size_t count = std::min(device.readings(read), read.size());
  for (const Reading& reading : std::span(read).first(count))
    if (reading.key == "sm_clock_mhz") return reading.value;
  return std::nullopt;
}

}  // namespace

std::string cause_of(const LaneTimes& times, std::size_t feeders, Kind kind) {
  const auto lanes = static_cast<double>(times.alone.size());
  if (times.best_single / times.together / lanes >= 0.9) return "none";
  const double slowest = *std::max_element(times.alone.begin(), times.alone.end());
  const double fastest = *std::min_element(times.alone.begin(), times.alone.end());
  if (feeders < times.alone.size() && times.together_enqueue >= 0.9 * times.together)
    return "feeding-thread:" + fmt::format("{:.2f}", times.together_enqueue / times.together);
  if (kind == Kind::cpu && times.lost_processor >= 1 && times.together > 1.1 * slowest)
    return "shared-cores:" + fmt::format("{:.0f}", times.lost_processor);
  if (slowest > 1.1 * fastest) return "slow-device:" + fmt::format("{:.2f}", slowest / fastest);
  if (times.clock_ratio < 0.95) return "clock-drop:" + fmt::format("{:.2f}", times.clock_ratio);
  if (times.together > 1.1 * slowest)
    return "interference:" + fmt::format("{:.2f}", times.together / slowest);
  return "split:" + fmt::format("{:.2f}", slowest * lanes / times.best_single);
}

Lanes::Lanes(std::vector<Lane> lanes, std::size_t feeders)
    : lanes_(std::move(lanes)), feeders_(feeders), handed_over_(lanes_.size()) {
  team_ = std::make_unique<ThreadTeam>(
      feeders, [this](std::size_t member) { lanes_[member].device->bind_thread(); },
      [this](std::size_t member) { feed(member); });
}

// One feeder serves all lanes in turn, else each its own.
void Lanes::feed(std::size_t member) {
  const std::size_t begin = feeders_ == 1 ? 0 : member;
  const std::size_t end = feeders_ == 1 ? lanes_.size() : member + 1;
  for (std::size_t i = 0; i < repetitions_; ++i)
    for (std::size_t lane = begin; lane < end; ++lane)
      for (Task* task : lanes_[lane].routine.tasks) task->enqueue();
  handed_over_[member] = clock_->now();
  for (std::size_t lane = begin; lane < end; ++lane)
    for (Queue* queue : lanes_[lane].routine.queues) queue->synchronize();
}

Sample Lanes::run(std::size_t repetitions, Clock& clock) {
  repetitions_ = repetitions;
  clock_ = &clock;
  team_->arm();
  const std::int64_t start = clock.now();
  team_->run();
  const std::int64_t done = clock.now();
  const std::int64_t handed_over = *std::max_element(
      handed_over_.begin(), handed_over_.begin() + static_cast<std::ptrdiff_t>(feeders_));
  return {static_cast<double>(done - start), static_cast<double>(handed_over - start)};
}

Sample Lanes::run_alone(const Lane& lane, Clock& clock) {
  lane.device->bind_thread();
  return time(lane.routine, 1, clock);
}

LaneTimes Lanes::measure(const std::vector<Lane>& singles, Clock& clock) {
  constexpr int most_turns = 11, fewest_turns = 3;
  constexpr std::int64_t patience_ns = 2'000'000'000;
  std::vector<std::vector<double>> alone(lanes_.size()), single(singles.size());
  std::vector<double> together, enqueue, lost;
  double slowest_clock_alone = std::numeric_limits<double>::infinity();
  double slowest_clock_together = slowest_clock_alone;
  const auto note_clocks = [&](double& slowest) {
    for (const Lane& lane : lanes_)
      if (const auto mhz = clock_mhz(*lane.device)) slowest = std::min(slowest, *mhz);
  };
  const std::int64_t begin = clock.now();
  for (int turn = 0; turn < most_turns; ++turn) {
    if (turn >= fewest_turns && clock.now() - begin > patience_ns) break;
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      alone[i].push_back(run_alone(lanes_[i], clock).wall);
    for (std::size_t i = 0; i < singles.size(); ++i)
      single[i].push_back(run_alone(singles[i], clock).wall);
    note_clocks(slowest_clock_alone);
    lanes_.front().device->bind_thread();
    const double before = involuntary_switches();
    const Sample sample = run(1, clock);
    lost.push_back(involuntary_switches() - before);
    note_clocks(slowest_clock_together);
    together.push_back(sample.wall);
    enqueue.push_back(sample.enqueue);
  }
  LaneTimes times;
  for (const auto& seen : alone) times.alone.push_back(median(seen));
  times.best_single = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < single.size(); ++i)
    if (const double seen = median(single[i]); seen < times.best_single) {
      times.best_single = seen;
      times.best_device = i;
    }
  times.together = median(together);
  times.together_enqueue = median(enqueue);
  times.lost_processor = median(lost);
  if (slowest_clock_alone < std::numeric_limits<double>::infinity() && slowest_clock_alone > 0)
    times.clock_ratio = slowest_clock_together / slowest_clock_alone;
  return times;
}

}  // namespace breakeven
