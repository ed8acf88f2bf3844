// SPDX-License-Identifier: Apache-2.0
// What one repetition of a case consists of, and the clocks around it. Runs allocate nothing, take
// no lock and read the clock three times.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/prepared_case.hpp"

namespace breakeven {

// Hands over the tasks in order; waits for all queues after every `wait_every` of them, and at the
// end.
struct Routine {
  std::vector<Task*> tasks;
  std::vector<Queue*> queues;
  std::size_t wait_every = 0;  // 0: only at the end
  // Each task is a repetition of its own, the same on operands of its own; they take turns.
  bool is_ring = false;
};

// More than so many tasks may not fit a device's queue, and handing over then waits for the device:
// the clock of `enqueue` sees no more of them, and the rest is taken to be like them.
inline constexpr std::size_t most_handed_over = 500;

// Nanoseconds of all repetitions; each waits at its end. `enqueue` is what handing over takes until
// the first wait, times how often that happens: exact for one wait.
Sample time(const Routine& routine, std::size_t repetitions, Clock& clock);

// All tasks, those of a ring too.
void run_once(const Routine& routine);

// Events around a routine.
class DeviceClock {
 public:
  explicit DeviceClock(Queue& queue);

  // Nanoseconds; the repetitions are queued without waits. None where the device has no clock, or
  // the routine waits in between or has several queues: the clock would count the pauses.
  std::optional<double> time(const Routine& routine, std::size_t repetitions);

 private:
  Queue& queue_;
  std::unique_ptr<Event> start_, stop_;
};

}  // namespace breakeven
