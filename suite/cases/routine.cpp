// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/routine.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace breakeven {

namespace {

void synchronize(const Routine& routine) {
  for (Queue* queue : routine.queues) queue->synchronize();
}

std::size_t tasks_between_waits(const Routine& routine) {
  if (routine.is_ring) return 1;
  const std::size_t all = std::max<std::size_t>(routine.tasks.size(), 1);
  return routine.wait_every == 0 ? all : std::min(all, routine.wait_every);
}

// Runs the routine from task `begin` on.
void run_from(const Routine& routine, std::size_t begin, std::size_t step) {
  const std::size_t count = routine.tasks.size();
  while (begin < count) {
    const std::size_t end = std::min(count, begin + step);
    for (; begin < end; ++begin) routine.tasks[begin]->enqueue();
    synchronize(routine);
  }
}

// What a single task costs must not drown in the loops around it.
void run_singles(std::span<Task* const> tasks, Queue& queue, std::size_t begin, std::size_t end) {
  std::size_t next = begin % tasks.size();
  for (std::size_t i = begin; i < end; ++i) {
    tasks[next]->enqueue();
    queue.synchronize();
    if (++next == tasks.size()) next = 0;
  }
}

}  // namespace

Sample time(const Routine& routine, std::size_t repetitions, Clock& clock) {
  const std::size_t step = tasks_between_waits(routine);
  const std::size_t count = routine.is_ring ? 1 : routine.tasks.size();
  const std::size_t first = std::min(step, count), seen = std::min(first, most_handed_over);
  const bool is_single = count == 1 && routine.queues.size() == 1;

  const std::int64_t start = clock.now();
  for (std::size_t i = 0; i < seen; ++i) routine.tasks[i]->enqueue();
  const std::int64_t handed_over = clock.now();
  for (std::size_t i = seen; i < first; ++i) routine.tasks[i]->enqueue();
  synchronize(routine);
  if (is_single) {
    run_singles(routine.tasks, *routine.queues.front(), 1, repetitions);
  } else {
    run_from(routine, step, step);
    for (std::size_t i = 1; i < repetitions; ++i) run_from(routine, 0, step);
  }
  const std::int64_t done = clock.now();

  const auto wall = static_cast<double>(done - start);
  const double times_handed_over = static_cast<double>(repetitions) * static_cast<double>(count) /
                                   static_cast<double>(std::max<std::size_t>(seen, 1));
  return {wall, static_cast<double>(handed_over - start) * times_handed_over, times_handed_over};
}

void run_once(const Routine& routine) {
  run_from(routine, 0, tasks_between_waits(routine));
}

DeviceClock::DeviceClock(Queue& queue)
    : queue_(queue), start_(queue.event()), stop_(start_ ? queue.event() : nullptr) {}

std::optional<double> DeviceClock::time(const Routine& routine, std::size_t repetitions) {
  const std::size_t count = routine.is_ring ? 1 : routine.tasks.size();
  if (!stop_ || routine.queues.size() != 1 || tasks_between_waits(routine) < count)
    return std::nullopt;
  queue_.record(*start_);
  for (std::size_t i = 0; i < repetitions * count; ++i)
    routine.tasks[i % routine.tasks.size()]->enqueue();
  queue_.record(*stop_);
  queue_.synchronize();
  const double seconds = stop_->since(*start_);
  if (seconds < 0) return std::nullopt;
  return seconds * 1e9;
}

}  // namespace breakeven
