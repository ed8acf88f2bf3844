// SPDX-License-Identifier: Apache-2.0
#include "suite/model/clock.hpp"

#include <chrono>

namespace breakeven {
namespace {

class SteadyClock final : public Clock {
 public:
  std::int64_t now() noexcept override {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

Clock& steady_clock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace breakeven
