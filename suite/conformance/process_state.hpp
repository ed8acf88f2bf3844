// SPDX-License-Identifier: Apache-2.0
// What this process holds, to find what a plugin does not give back.
#pragma once

#include <cstddef>
#include <string>

namespace breakeven::conformance {

struct ProcessState {
  std::size_t heap_bytes = 0;  // of malloc, in use
  std::size_t threads = 0, descriptors = 0;

  static ProcessState now();
};

// What has grown, `3 threads, 1048576 bytes`, ignoring `ignored_bytes` of heap; empty: nothing.
std::string growth(const ProcessState& before, const ProcessState& after,
                   std::size_t ignored_bytes);

}  // namespace breakeven::conformance
