// SPDX-License-Identifier: Apache-2.0
// Takes away what caches hold, before every sample of a case with a cold cache.
#pragma once

#include <memory>

#include <breakeven/plugin.hpp>

namespace breakeven {

class CacheFlush {
 public:
  virtual ~CacheFlush() = default;
  // Blocks until done. Allocates nothing.
  virtual void flush() = 0;
};

// For work on `device`. On a CPU every processor of the process writes twice its share of the
// largest cache; for a GPU a copy within its memory does, of 256 MiB for each part of it or what
// fits. Throws what allocating throws.
std::unique_ptr<CacheFlush> cache_flush_for(Device& device);

}  // namespace breakeven
