// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as something to wait for, beside a worker's answer.
#pragma once

#include <stdexcept>
#include <string>

namespace breakeven {

struct Interrupted : std::runtime_error {
  explicit Interrupted(int signal);
  int signal;
};

// Blocks both signals from here on. The first one is reported through `descriptor`; noticing it
// restores the default, so that a second one ends the process at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int descriptor() const noexcept { return descriptor_; }  // readable when a signal came
  // Takes note of a signal that came, for the next check(); does not block.
  void notice();
  // Throws Interrupted when a signal came; does not block. Once.
  void check();
  // Waits so long, and throws as soon as a signal comes.
  void sleep(double seconds);

 private:
  int descriptor_ = -1;
  int noticed_ = 0;  // the number of the signal
};

}  // namespace breakeven
