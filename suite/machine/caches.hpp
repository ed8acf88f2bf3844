// SPDX-License-Identifier: Apache-2.0
// Sizes of the data caches.
#pragma once

#include <cstddef>
#include <vector>

namespace breakeven {

struct Cache {
  unsigned level = 0;     // 1 is the nearest
  std::size_t bytes = 0;  // of one
  std::size_t count = 0;  // of them in the machine
};

// From the nearest to the largest; empty where the machine does not tell.
std::vector<Cache> data_caches();

}  // namespace breakeven
