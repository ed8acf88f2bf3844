// SPDX-License-Identifier: Apache-2.0
// The host's clocks. Tests put their own in the place of the steady one.
#pragma once

#include <cstdint>
#include <string>

namespace breakeven {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now() noexcept = 0;  // nanoseconds, steady
};

Clock& steady_clock();

// The date and time in UTC, as strftime() writes them: "%Y-%m-%d". Of more than 63 bytes: empty.
std::string utc_now(const char* format);

}  // namespace breakeven
