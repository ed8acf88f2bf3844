// SPDX-License-Identifier: Apache-2.0
// Between the clock's start and its stop nothing allocates and nothing locks.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <new>
#include <vector>

#include "suite/cases/all_cases.hpp"
#include "suite/measure/sampler.hpp"
#include "suite/model/case.hpp"
#include "tests/self/timed_backend.hpp"

// The sanitizers have their own of what is replaced here.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> locks{0};
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

// In the program, so every library finds this one first.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static const Lock lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return lock(mutex);
}
#endif

namespace breakeven {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Notes what was counted at the first and at the last reading of a run.
class WatchingClock final : public Clock {
 public:
  explicit WatchingClock(fakes::FakeClock& clock) : clock_(clock) {}
  std::int64_t now() noexcept override {
    if (readings_++ == 0) first_allocations = allocations, first_locks = locks;
    last_allocations = allocations, last_locks = locks;
    return clock_.now();
  }
  void start_again() { readings_ = 0; }
  std::size_t first_allocations = 0, last_allocations = 0, first_locks = 0, last_locks = 0;

 private:
  fakes::FakeClock& clock_;
  std::size_t readings_ = 0;
};

TEST(Undisturbed, NoAllocationAndNoLockBetweenStartAndStop) {
  fakes::FakeClock clock;
  WatchingClock watching(clock);
  timed::TimedBackend backend(clock, {100, 400, 50});
  Session session{backend, 1};
  std::size_t checked = 0;
  for (const Case* one : all_cases()) {
    if (one->needs_fresh_worker()) continue;
    const std::vector<Key> keys = one->keys({});
    if (keys.empty()) continue;
    const Key& key = keys.front();
    std::unique_ptr<PreparedCase> work;
    try {
      work = one->prepare(key, session);
    } catch (const Unsupported&) {
      continue;
    }
    Sampler sampler(*work, watching, Timer{1, 0});
    if (!sampler.calibrate().reason.empty()) continue;
    ++checked;
    for (int sample = 0; sample < 10; ++sample) {
      watching.start_again();
      sampler.take();
      EXPECT_EQ(watching.first_allocations, watching.last_allocations) << one->name();
      EXPECT_EQ(watching.first_locks, watching.last_locks) << one->name();
    }
    const std::size_t before = allocations;
    sampler.take_on_device();
    EXPECT_EQ(allocations, before) << one->name();
    std::cout << "undisturbed: " << name_of(key) << '\n';
  }
  EXPECT_GT(checked, 0u);
}

TEST(Undisturbed, TheCountersCount) {
  const std::size_t before = allocations, locked = locks;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  const auto number = std::make_unique<int>(1);
  EXPECT_GT(allocations, before + static_cast<std::size_t>(*number) - 1);
  EXPECT_GT(locks, locked);
}

#else

TEST(Undisturbed, IsCheckedWithoutSanitizers) {
  GTEST_SKIP() << "the sanitizers have their own of what is counted here";
}

#endif

}  // namespace
}  // namespace breakeven
