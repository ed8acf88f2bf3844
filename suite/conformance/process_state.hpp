// SPDX-License-Identifier: Apache-2.0
// What this process holds, to find what a plugin does not give back.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace breakeven::conformance {

struct ProcessState {
  std::size_t heap_bytes = 0;  // of malloc, in use
  std::size_t threads = 0, descriptors = 0;

  static ProcessState now();

  // Now, once threads that are ending have ended: the kernel still lists one for a moment after it
  // was joined. Waits for at most `patience` while there are more than `before`.
  static ProcessState settled(const ProcessState& before,
                              std::chrono::milliseconds patience = std::chrono::seconds(2));
};

struct Descendant {
  pid_t process = 0;
  std::string name;
  double seconds = 0;  // of processor time
};

// The processes that descend from this one and have not ended.
std::vector<Descendant> descendants();

// What has grown, `3 threads, 1048576 bytes`, ignoring `ignored_bytes` of heap; empty: nothing.
std::string growth(const ProcessState& before, const ProcessState& after,
                   std::size_t ignored_bytes);

}  // namespace breakeven::conformance
