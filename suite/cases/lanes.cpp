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

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

std::string word(std::string_view cause, double figure, int digits = 2) {
  return fmt::format("{}:{:.{}f}", cause, figure, digits);
}

// `lost`: what the lanes take longer together than the slowest of them alone.
std::string cause_of_hindrance(const LaneTimes& times, double lost, Kind kind) {
  if (times.lane_by_lane) return word("one-by-one", times.together / times.slowest_alone());
  if (!times.copies_alone.empty()) {
    const double alone = largest(times.copies_alone), together = times.copies_together;
    if (together > 1.1 * alone && together - alone >= lost / 2)
      return word("shared-link", together / alone);
  }
  if (kind == Kind::cpu && times.lost_processor >= 1)
    return word("shared-cores", times.lost_processor, 0);
  const double slowest = times.slowest_alone();
  if (times.clock_ratio < 0.95 && slowest / times.clock_ratio - slowest >= lost / 2)
    return word("clock-drop", times.clock_ratio);
  return word("interference", times.together / slowest);
}

// `lost`: what the slowest lane takes longer alone than an equal share.
std::string cause_of_split(const LaneTimes& times, double lost) {
  const auto lanes = static_cast<double>(times.alone.size());
  const double best = times.best_single(), worst = largest(times.single);
  if (worst > 1.1 * best && (worst - best) / lanes >= lost / 2)
    return word("slow-device", worst / best);
  const auto slowest = std::max_element(times.alone.begin(), times.alone.end());
  if (!times.copies_alone.empty()) {
    const double copies =
        times.copies_alone[static_cast<std::size_t>(slowest - times.alone.begin())];
    if (copies >= lost / 2) return word("copies", copies / *slowest);
  }
  return word("split", *slowest * lanes / best);
}

}  // namespace

std::size_t LaneTimes::best_device() const {
  return static_cast<std::size_t>(std::min_element(single.begin(), single.end()) - single.begin());
}

double LaneTimes::slowest_alone() const {
  return largest(alone);
}

std::string cause_of(const LaneTimes& times, std::size_t feeders, Kind kind) {
  const auto lanes = static_cast<double>(times.alone.size());
  const double equal_share = times.best_single() / lanes;
  if (equal_share / times.together >= 0.9) return "none";
  if (feeders < times.alone.size() && times.together_enqueue >= 0.9 * times.together)
    return word("feeding-thread", times.together_enqueue / times.together);
  const double hindrance = times.together - times.slowest_alone();
  const double split = times.slowest_alone() - equal_share;
  return hindrance >= split ? cause_of_hindrance(times, hindrance, kind)
                            : cause_of_split(times, split);
}

Lanes::Lanes(std::vector<Lane> lanes, std::vector<Lane> singles, std::size_t feeders,
             Feeding feeding)
    : lanes_(std::move(lanes)),
      singles_(std::move(singles)),
      feeders_(feeders),
      feeding_(feeding),
      copies_(std::any_of(lanes_.begin(), lanes_.end(),
                          [](const Lane& lane) { return !lane.copies.tasks.empty(); })),
      handed_over_(lanes_.size()) {
  team_ = std::make_unique<ThreadTeam>(
      feeders, [this](std::size_t member) { lanes_[member].device->bind_thread(); },
      [this](std::size_t member) { feed(member); });
}

// One feeder serves all lanes, else each its own.
void Lanes::feed(std::size_t member) {
  const std::span<const Lane> all(lanes_);
  const auto mine = feeders_ == 1 ? all : all.subspan(member, 1);
  hand_over(mine, handed_over_[member]);
  for (const Lane& lane : mine)
    for (Queue* queue : (lane.*part_).queues) queue->synchronize();
}

void Lanes::hand_over(std::span<const Lane> lanes, std::int64_t& handed_over) {
  std::size_t tasks = 0, longest = 0;
  for (const Lane& lane : lanes) {
    tasks += (lane.*part_).tasks.size();
    longest = std::max(longest, (lane.*part_).tasks.size());
  }
  tasks *= repetitions_;
  const bool in_turn = feeding_ == Feeding::in_turn;
  const std::size_t seen = std::min(tasks, most_handed_over * (in_turn ? lanes.size() : 1));
  std::size_t left = seen;
  const auto hand_over = [&](Task& task) {
    task.enqueue();
    if (--left > 0) return;
    const double took = static_cast<double>(clock_->now() - start_);
    handed_over =
        static_cast<std::int64_t>(took * static_cast<double>(tasks) / static_cast<double>(seen));
  };
  handed_over = 0;
  for (std::size_t i = 0; i < repetitions_; ++i) {
    if (in_turn) {
      for (std::size_t task = 0; task < longest; ++task)
        for (const Lane& lane : lanes)
          if (task < (lane.*part_).tasks.size()) hand_over(*(lane.*part_).tasks[task]);
    } else {
      for (const Lane& lane : lanes)
        for (Task* const task : (lane.*part_).tasks) hand_over(*task);
    }
  }
}

Sample Lanes::run(std::size_t repetitions, Clock& clock) {
  return run_together(repetitions, clock, &Lane::routine);
}

Sample Lanes::run_together(std::size_t repetitions, Clock& clock, Routine Lane::*part) {
  repetitions_ = repetitions;
  clock_ = &clock;
  part_ = part;
  team_->arm();
  start_ = clock.now();
  team_->run();
  const std::int64_t done = clock.now();
  const std::int64_t handed_over = *std::max_element(
      handed_over_.begin(), handed_over_.begin() + static_cast<std::ptrdiff_t>(feeders_));
  return {static_cast<double>(done - start_),
          static_cast<double>(std::min(handed_over, done - start_))};
}

double Lanes::run_alone(const Lane& lane, const Routine& routine, Clock& clock) {
  if (routine.tasks.empty()) return 0;
  lane.device->bind_thread();
  if (warms_up()) run_once(routine);
  return time(routine, 1, clock).wall;
}

// Something else has just run. Work of many milliseconds is not moved by that.
bool Lanes::warms_up() const {
  return turns_.empty() || turns_.back().together < 1e7;
}

double Lanes::lowest_clock() const {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Lane& lane : lanes_) lowest = std::min(lowest, clock_mhz(*lane.device).value_or(0));
  return lowest;
}

void Lanes::take_turn(Clock& clock) {
  Turn turn;
  for (const Lane& lane : lanes_) turn.alone.push_back(run_alone(lane, lane.routine, clock));
  for (const Lane& lane : singles_) turn.single.push_back(run_alone(lane, lane.routine, clock));
  turn.clock_alone = lowest_clock();
  if (copies_)
    for (const Lane& lane : lanes_)
      turn.copies_alone.push_back(run_alone(lane, lane.copies, clock));
  lanes_.front().device->bind_thread();
  if (copies_) {
    if (warms_up()) run_together(1, clock, &Lane::copies);
    turn.copies_together = run_together(1, clock, &Lane::copies).wall;
  }
  if (warms_up()) run(1, clock);
  const double before = involuntary_switches();
  const Sample sample = run(1, clock);
  turn.lost_processor = involuntary_switches() - before;
  turn.clock_together = lowest_clock();
  turn.together = sample.wall;
  turn.together_enqueue = sample.enqueue;
  turns_.push_back(std::move(turn));
}

LaneTimes Lanes::times() const {
  const auto median_of = [this](auto value) {
    std::vector<double> seen;
    for (const Turn& turn : turns_) seen.push_back(value(turn));
    return median(seen);
  };
  const auto medians_of = [&](std::vector<double> Turn::*values) {
    std::vector<double> medians((turns_.front().*values).size());
    for (std::size_t i = 0; i < medians.size(); ++i)
      medians[i] = median_of([&](const Turn& turn) { return (turn.*values)[i]; });
    return medians;
  };
  LaneTimes times;
  times.lane_by_lane = feeders_ < lanes_.size() && feeding_ == Feeding::lane_by_lane;
  times.alone = medians_of(&Turn::alone);
  times.single = medians_of(&Turn::single);
  times.copies_alone = medians_of(&Turn::copies_alone);
  times.together = median_of([](const Turn& turn) { return turn.together; });
  times.together_enqueue = median_of([](const Turn& turn) { return turn.together_enqueue; });
  times.copies_together = median_of([](const Turn& turn) { return turn.copies_together; });
  times.lost_processor = median_of([](const Turn& turn) { return turn.lost_processor; });
  times.clock_ratio = median_of([](const Turn& turn) {
    return turn.clock_alone > 0 && turn.clock_together > 0 ? turn.clock_together / turn.clock_alone
                                                           : 1;
  });
  return times;
}

}  // namespace breakeven
