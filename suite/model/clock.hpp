// SPDX-License-Identifier: Apache-2.0
// The host's clock. Tests put their own in its place.
#pragma once

#include <cstdint>

namespace breakeven {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now() noexcept = 0;  // nanoseconds, steady
};

Clock& steady_clock();

}  // namespace breakeven
