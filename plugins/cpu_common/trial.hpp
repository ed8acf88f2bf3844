// SPDX-License-Identifier: Apache-2.0
// Which way to make a product is fastest, found by making it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "plugins/cpu_common/way.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace breakeven::cpu {

inline constexpr std::size_t page_bytes = 4096;
// The first place in `memory` whose distance from the begin of its page is that of `like`; less
// than a page on. Small products take longer or shorter by how operands share the first cache,
// which these distances decide.
inline std::byte* placed_like(const void* like, void* memory) {
  const auto to = reinterpret_cast<std::uintptr_t>(like);
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (to - from) % page_bytes;
}

// How large products are: c is m × n, and there are k steps.
struct Extents {
  std::size_t m = 0, n = 0, k = 0, batch = 1;

  std::size_t elements() const { return batch * (m * k + k * n + m * n); }
  double operations() const { return 2.0 * double(m) * double(n) * double(k) * double(batch); }
};

// Products of more operations for each thread are not tried, nor are those that turn out to take
// longer; and after so many seconds no other way is.
inline constexpr double most_operations = 3e9, most_seconds = 0.02, most_seconds_of_all = 0.2;

inline bool may_be_tried(const Extents& extents, std::size_t threads) {
  const double operations = extents.operations();
  return operations > 0 && operations <= most_operations * double(threads);
}

// What is tried in place of products whose operands have more bytes: fewer of them, or else a
// product of fewer rows or columns, whose rows lie in their pages as those of the whole do. Steps
// are fewer only where there are few rows and columns, since an operand that is used again should
// come from the same cache.
inline constexpr std::size_t most_bytes = std::size_t(96) << 20;
inline Extents part_to_try(Extents extents, std::size_t element_bytes) {
  constexpr std::size_t few = 64;
  auto& [m, n, k, batch] = extents;
  const std::size_t page = page_bytes / element_bytes;
  while (extents.elements() > most_bytes / element_bytes) {
    std::size_t& longest = batch > 1 ? batch : std::max(m, n) < few ? k : m >= n ? m : n;
    const std::size_t less = longest * 3 / 4, alike = less + (longest - less) % page;
    longest = batch > 1 || alike == longest ? less : alike;
  }
  return extents;
}

using Run = std::function<void()>;

// Writes what lies there to memory and takes it out of all caches.
inline void flush(const void* data, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const auto* at = static_cast<const char*>(data);
  for (const char* const end = at + bytes; at < end; at += line) {
#if defined(__SSE2__)
    _mm_clflush(at);
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(at) : "memory");
#endif
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// What puts c into memory, where it may matter: few steps are made for each element, and third
// caches, which other programs fill, too, hold c now and then. A smaller c stays near.
template <class T>
Run to_put_far(const T* c, const Extents& extents) {
  constexpr std::size_t megabyte = std::size_t(1) << 20;
  const std::size_t bytes = extents.batch * extents.m * extents.n * sizeof(T);
  const bool matters = bytes > 5 * megabyte && bytes <= 32 * megabyte && extents.k <= 100;
  return matters ? Run([c, bytes] { flush(c, bytes); }) : Run();
}

template <class Clock>
double seconds_since(typename Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Clock>
double seconds_of(const Run& run, std::size_t times = 1) {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < times; ++i) run();
  return seconds_since<Clock>(start);
}

// Of two runs that took turns. Of each the shortest turn counts, since what else a machine does
// makes work only longer; but the other one should have been faster in two of three as well.
struct Turns {
  double first = std::numeric_limits<double>::max(), other = first;
  int number = 0, won = 0;
  bool are_won() const { return 3 * won >= 2 * number; }
};

inline constexpr double gain = 0.97, hopeless = 1.05;

// They end early where the other one is hopeless. `put_far`, where given, comes before every run
// that is timed.
template <class Clock>
Turns take_turns(const Run& other, const Run& first, double seconds, const Run& put_far = {}) {
  constexpr double long_enough = 30e-6, at_once = 1.2;
  const auto times = put_far ? 1 : std::size_t(std::clamp(long_enough / seconds, 1.0, 2000.0));
  const int most = seconds > 5e-4 ? 3 : 7;
  // The first run finds its memory and code, and the caches as the other one left them.
  const auto turn_of = [&put_far, times](const Run& run) {
    run();
    if (put_far) put_far();
    return seconds_of<Clock>(run, times);
  };
  Turns turns;
  while (turns.number < most) {
    const double of_first = turn_of(first), of_other = turn_of(other);
    turns.first = std::min(turns.first, of_first), turns.other = std::min(turns.other, of_other);
    turns.won += of_other < of_first ? 1 : 0;
    // One turn is enough for what takes long, so that others are tried in time.
    const double limit = turns.number++ > 0 ? hopeless : most == 3 ? at_once : HUGE_VAL;
    if (!put_far && turns.other > limit * turns.first) break;
  }
  return turns;
}

// Whether `other` takes less than 97 % of the time of `first`, which is `seconds` or nearly. Where
// c may be in a cache or in memory, where `put_far` puts it, the times in both places count
// together: there what is a sixth faster with c in a cache can take three times as long.
template <class Clock>
bool is_faster(const Run& other, const Run& first, double seconds, const Run& put_far = {}) {
  const Turns near = take_turns<Clock>(other, first, seconds);
  const bool is_faster_near = near.are_won() && near.other < gain * near.first;
  if (!put_far || near.other > hopeless * near.first) return is_faster_near;
  const Turns far = take_turns<Clock>(other, first, seconds, put_far);
  const double of_first = near.first + far.first, of_other = near.other + far.other;
  return is_faster_near ? of_other < of_first : far.are_won() && of_other < gain * of_first;
}

// How long it takes, or infinite if the first run, which is no measurement, or another one shows
// that trials would take too long.
template <class Clock>
double seconds_to_try(const Run& run) {
  constexpr double too_long = std::numeric_limits<double>::infinity();
  if (seconds_of<Clock>(run) > 3 * most_seconds) return too_long;
  double seconds = seconds_of<Clock>(run);
  for (int i = 0; i < 4 && seconds < 2e-3; ++i) seconds = std::min(seconds, seconds_of<Clock>(run));
  return seconds > most_seconds ? too_long : std::max(seconds, 1e-9);
}

// Whether what `prepare(true)` makes is faster than what `prepare(false)` does. Not, where memory
// does not suffice.
template <class Clock = std::chrono::steady_clock, class Prepare>
bool other_is_faster(const Prepare& prepare) {
  try {
    const Run first = prepare(false);
    const double seconds = seconds_to_try<Clock>(first);
    return std::isfinite(seconds) && is_faster<Clock>(prepare(true), first, seconds);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The way in which what `prepare(way)` makes is fastest; it may make nothing of a way that is none
// of its own. Where memory does not suffice the fastest one until then.
template <class Clock = std::chrono::steady_clock, class Prepare>
Way fastest_way(const Prepare& prepare, const Run& put_far = {}) {
  Way fastest;
  try {
    const auto start = Clock::now();
    Run best = prepare(fastest);
    const double seconds = seconds_to_try<Clock>(best);
    if (!std::isfinite(seconds)) return fastest;
    for_every_other_way(fastest, [&](const Way& way) {
      if (seconds_since<Clock>(start) > most_seconds_of_all) return false;
      Run other = prepare(way);
      const bool is_better = other && is_faster<Clock>(other, best, seconds, put_far);
      if (is_better) best = std::move(other), fastest = way;
      return is_better;
    });
  } catch (const std::bad_alloc&) {
  }
  return fastest;
}

// What was found out about products, each once as long as the process lives: a value for each.
// Where memory does not suffice it is the one that the type begins with: the way of the rules.
template <class Key, class Value = Way>
class Known {
 public:
  template <class Find>
  Value of(const Key& key, const Find& find) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = values_.try_emplace(key);
    if (!is_new) return at->second;
    try {
      at->second = find();
    } catch (const std::bad_alloc&) {
    } catch (...) {
      values_.erase(at);
      throw;
    }
    return at->second;
  }

 private:
  std::map<Key, Value> values_;
  std::mutex mutex_;
};

}  // namespace breakeven::cpu
