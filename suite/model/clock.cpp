// SPDX-License-Identifier: Apache-2.0
#include "suite/model/clock.hpp"

#include <array>
#include <chrono>
#include <ctime>

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

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace breakeven
