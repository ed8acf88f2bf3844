// SPDX-License-Identifier: Apache-2.0
// Loaded before all others (LD_PRELOAD) it gives a process the clock of the double, once that is
// loaded; until then, and where it never is, the real one.
#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace {

std::atomic<std::int64_t (*)()> used{nullptr};

int real(clockid_t clock, timespec* time) {
  static const auto function =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  return function(clock, time);
}

}  // namespace

extern "C" {

// Answers what the real clock says now.
std::int64_t fake_clock_use(std::int64_t (*clock)()) {
  timespec time{};
  real(CLOCK_MONOTONIC, &time);
  used = clock;
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  auto* const fake = used.load();
  if (clock != CLOCK_MONOTONIC || !fake) return real(clock, time);
  const std::int64_t now = fake();
  time->tv_sec = now / 1'000'000'000;
  time->tv_nsec = now % 1'000'000'000;
  return 0;
}
}
