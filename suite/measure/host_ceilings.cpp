// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/host_ceilings.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <thread>

#include "suite/machine/arm_processors.hpp"
#include "suite/machine/caches.hpp"
#include "suite/measure/confirmed_best.hpp"
#include "suite/measure/peak_kernels.hpp"
#include "suite/measure/typical.hpp"
#include "suite/model/type_names.hpp"

namespace breakeven {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds window{2e-3};        // shorter than a time slice: other load misses some of them
constexpr int windows = 8;             // of one pass
constexpr int windows_of_a_visit = 3;  // a case beside it has a visit of milliseconds too
// A ceiling is passed over again, with all others in between, until its two best passes agree.
constexpr int most_passes = 6;
constexpr Seconds bursts{10e-3};
constexpr int steps_of_a_burst = 20;                            // 100 us at most
constexpr std::size_t fma_rounds = 3000;                        // about 5 us
constexpr std::size_t chunk_length = 2048;                      // doubles of one array per step
constexpr std::size_t smallest_memory = std::size_t{64} << 20;  // bytes, all threads together

// Does a piece of work and returns how much that was; made and called by the thread it belongs to,
// which is so many of all.
using Step = std::function<double()>;
using MakeStep = std::function<Step(std::size_t thread)>;

struct alignas(128) Done {
  std::atomic<double> amount{0};
};

std::vector<int> allowed_processors() {
  std::vector<int> result;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &set)) result.push_back(processor);
  }
  return result;
}

void pin(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

std::vector<int> fastest_of(const std::vector<int>& processors) {
  std::vector<int> result;
  unsigned most = 0;
  for (const int processor : processors) {
    const unsigned capacity = capacity_of(unsigned(processor));
    if (capacity > most) result.clear();
    most = std::max(most, capacity);
    if (capacity == most) result.push_back(processor);
  }
  return result;
}

// Amount per second of all threads together, in a typical window. One thread has no processor of
// its own: the scheduler finds it the freest of the fastest sort.
double typical_rate(const std::vector<int>& processors, const MakeStep& make, int windows_wanted) {
  std::vector<Done> done(processors.size());
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    threads.emplace_back([&, i] {
      pin(processors.size() > 1 ? std::vector{processors[i]} : fastest_of(allowed_processors()));
      const Step step = make(i);
      double amount = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        amount += step();
        done[i].amount.store(amount, std::memory_order_relaxed);
      }
    });
  }
  const auto total = [&] {
    double sum = 0;
    for (const Done& one : done) sum += one.amount.load(std::memory_order_relaxed);
    return sum;
  };
  const auto all_began = [&] {
    return std::all_of(done.begin(), done.end(), [](const Done& one) { return one.amount > 0; });
  };
  while (!all_began()) std::this_thread::sleep_for(window);
  std::this_thread::sleep_for(windows_wanted == windows ? 3 * window : window);  // caches settle

  std::vector<double> rates;
  double before = total();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < windows_wanted; ++i) {
    std::this_thread::sleep_for(window);
    const double now_done = total();
    const auto now = std::chrono::steady_clock::now();
    rates.push_back((now_done - before) / Seconds(now - start).count());
    before = now_done;
    start = now;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return typical_of(std::move(rates));
}

// Of one thread while nothing else had its processor, times all processors of the machine.
double burst_rate(const MakeStep& make) {
  std::vector<double> rates;
  std::thread([&] {
    pin(fastest_of(allowed_processors()));
    const Step step = make(0);
    const auto end = std::chrono::steady_clock::now() + bursts;
    for (auto before = end - bursts; before < end;) {
      double amount = 0;
      for (int i = 0; i < steps_of_a_burst; ++i) amount += step();
      const auto now = std::chrono::steady_clock::now();
      rates.push_back(amount / Seconds(now - before).count());
      before = now;
    }
  }).join();
  return quantile(rates, 0.9) * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
}

// Read by the kernels, so that the compiler knows nothing of the values.
volatile double opaque_factor = 0.9999, opaque_summand = 1e-4;
std::atomic<double> sink{0};

MakeStep fma_step(double (*kernel)(std::size_t, double, double), double flops) {
  return [=](std::size_t) -> Step {
    return [=] {
      sink.store(kernel(fma_rounds, opaque_factor, opaque_summand), std::memory_order_relaxed);
      return flops * static_cast<double>(fma_rounds);
    };
  };
}

struct Free {
  void operator()(double* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
};
using Array = std::shared_ptr<double[]>;

// Of an array that no other thread has: ThreadSanitizer's notes on it would take most of the time.
__attribute__((no_sanitize("thread"))) void fill_with_ones(double* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = 1;
}

Array make_array(std::size_t n) {
  Array array(static_cast<double*>(::operator new[](n * sizeof(double), std::align_val_t{64})),
              Free{});
  fill_with_ones(array.get(), n);
  return array;
}

// Goes around in `bytes` of working set, a chunk at a time.
class Position {
 public:
  explicit Position(std::size_t n) : n_(n) {}
  std::size_t length() const { return std::min(chunk_length, n_); }
  std::size_t next() {
    const std::size_t now = at_;
    at_ = at_ + 2 * length() <= n_ ? at_ + length() : 0;
    return now;
  }

 private:
  std::size_t n_, at_ = 0;
};

std::size_t elements(std::size_t bytes, std::size_t arrays) {
  return std::max<std::size_t>(bytes / arrays / 64, 1) * 8;
}

// What the threads work on, each in memory of its own that it wrote first: what is large takes
// longer to fill than to measure, so that all kernels share it.
class WorkingMemory {
 public:
  WorkingMemory(std::size_t bytes, std::size_t threads)
      : bytes_(bytes), arrays_(std::make_shared<std::vector<Array>>(threads)) {}

  std::size_t bytes() const { return bytes_; }
  Array of(std::size_t thread) const {
    Array& array = (*arrays_)[thread];
    if (!array) array = make_array(elements(bytes_, 1));
    return array;
  }

 private:
  std::size_t bytes_;  // of one thread
  std::shared_ptr<std::vector<Array>> arrays_;
};

MakeStep triad_step(void (*kernel)(double*, const double*, const double*, std::size_t),
                    const WorkingMemory& memory) {
  return [=](std::size_t thread) -> Step {
    const std::size_t n = elements(memory.bytes(), 3);
    return [=, out = memory.of(thread), position = Position(n)]() mutable {
      double* const to = out.get() + position.next();
      kernel(to, to + n, to + 2 * n, position.length());
      return 3.0 * sizeof(double) * static_cast<double>(position.length());
    };
  };
}

MakeStep read_step(double (*kernel)(const double*, std::size_t), const WorkingMemory& memory) {
  return [=](std::size_t thread) -> Step {
    const std::size_t n = elements(memory.bytes(), 1);
    return [=, a = memory.of(thread), position = Position(n)]() mutable {
      sink.store(kernel(a.get() + position.next(), position.length()), std::memory_order_relaxed);
      return static_cast<double>(sizeof(double) * position.length());
    };
  };
}

struct WorkingSet {
  std::string name;
  std::size_t bytes = 0;  // of one thread
  bool in_cache = true;
};

std::vector<WorkingSet> working_sets(std::size_t threads) {
  std::vector<WorkingSet> result;
  std::size_t largest = 0;
  const std::vector<Cache> caches = data_caches();
  for (const Cache& cache : caches) {
    const std::size_t sharing =
        cache.count >= threads ? 1 : threads / std::max<std::size_t>(1, cache.count);
    // Code and others on the machine have a part of it, of the last a large one.
    const std::size_t quarters = cache.level == caches.back().level ? 2 : 3;
    result.push_back({fmt::format("l{}", cache.level), cache.bytes / sharing / 4 * quarters, true});
    largest =
        std::max(largest, cache.bytes * std::max<std::size_t>(1, std::min(cache.count, threads)));
  }
  // A triad has a third of it for each array: twice the last cache, beyond which no rate changes.
  result.push_back({"memory", std::max(smallest_memory, 6 * largest) / threads, false});
  return result;
}

// A ceiling, and the way to it.
struct Attempt {
  Ceiling ceiling;
  std::function<double(int windows)> measure;
  ConfirmedBest best = {};

  // What a virtual machine takes to give each thread its memory: 0.6 ns for each byte.
  double ns_to_touch() const { return 0.6 * ceiling.bytes; }
};
// Beside a last cache of 300 MB memory takes longer, and a short run does without its ceilings.
constexpr double longest_touch_ns = 0.5e9;

void add(std::vector<Attempt>& attempts, std::string_view suffix, std::vector<int> processors) {
  const PeakKernels& kernels = widest_kernels();
  const auto attempt = [&](std::string name, std::string unit, double bytes, const MakeStep& make) {
    attempts.push_back(
        {{std::move(name), 0, std::move(unit), bytes},
         [processors, make](int count) { return typical_rate(processors, make, count); }});
  };
  attempt(fmt::format("fma_f32_{}", suffix), "flop/s", 0,
          fma_step(kernels.fma_f32, kernels.fma_f32_flops));
  attempt(fmt::format("fma_f64_{}", suffix), "flop/s", 0,
          fma_step(kernels.fma_f64, kernels.fma_f64_flops));
  if (kernels.fma_bf16)
    attempt(fmt::format("fma_bf16_{}", suffix), "flop/s", 0,
            fma_step(kernels.fma_bf16, kernels.fma_bf16_flops));
  for (const WorkingSet& set : working_sets(processors.size())) {
    const auto bytes = static_cast<double>(set.bytes);
    const WorkingMemory memory(set.bytes, processors.size());
    const std::string triad = fmt::format("triad_{}_{}", suffix, set.name);
    attempt(triad, "byte/s", bytes, triad_step(kernels.triad, memory));
    if (!set.in_cache && kernels.triad_past_caches)
      attempt(triad, "byte/s", bytes, triad_step(kernels.triad_past_caches, memory));
    attempt(fmt::format("read_{}_{}", suffix, set.name), "byte/s", bytes,
            read_step(kernels.sum, memory));
  }
}

// The best of those with one name: a ceiling may have several ways to it.
void keep_best(Ceilings& best, const Ceiling& seen) {
  if (!best.empty() && best.back().name == seen.name)
    best.back().value = std::max(best.back().value, seen.value);
  else
    best.push_back(seen);
}

std::vector<Attempt> all_attempts() {
  const std::vector<int> all = allowed_processors();
  std::vector<Attempt> attempts;
  add(attempts, "core", {all.front()});
  add(attempts, "all", all);
  return attempts;
}

// AMX has 2048 operations of bf16 in a cycle where AVX-512 has 64 of f32, and a core of SME as many
// of f32 as four or more of NEON; without such units VDPBF16PS has twice those of f32, BFMMLA four
// times.
double gain_of_matrices(Type type, Math math) {
  const bool is_reduced = type == Type::f16 || type == Type::bf16 || math != Math::native;
  constexpr double most = 32;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned amx_tile = 1U << 24;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & amx_tile) != 0 && is_reduced)
    return most;
#elif defined(__aarch64__)
  constexpr unsigned long sme = 1UL << 23;
  if ((getauxval(AT_HWCAP2) & sme) != 0) return most;
#endif
  return is_reduced ? 4 : 1;
}

Ceilings bursts_named(std::span<const std::string> names) {
  const PeakKernels& kernels = widest_kernels();
  const auto is_wanted = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Ceilings found;
  for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64})
    for (const Math math : {Math::native, Math::tf32}) {
      const std::string name = fmt::format("burst_{}", type_name(type, math));
      if (!is_wanted(name) || (math == Math::tf32 && type != Type::f32)) continue;
      const double rate =
          burst_rate(type == Type::f64 ? fma_step(kernels.fma_f64, kernels.fma_f64_flops)
                                       : fma_step(kernels.fma_f32, kernels.fma_f32_flops));
      found.push_back({name, rate * gain_of_matrices(type, math), "flop/s"});
    }
  if (is_wanted("burst_bytes")) {
    const WorkingMemory memory(working_sets(1).front().bytes, 1);
    found.push_back({"burst_bytes",
                     std::max(burst_rate(triad_step(kernels.triad, memory)),
                              burst_rate(read_step(kernels.sum, memory))),
                     "byte/s"});
  }
  return found;
}

}  // namespace

Ceilings host_ceilings(double budget_ns) {
  std::vector<Attempt> attempts = all_attempts();
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
               .count() > budget_ns;
  };
  for (int pass = 0; pass < most_passes; ++pass)
    for (Attempt& attempt : attempts) {
      if (pass > 0 && is_over()) break;
      if (attempt.ns_to_touch() > std::max(budget_ns, longest_touch_ns)) continue;
      if (pass >= 2 && attempt.best.is_confirmed()) continue;
      attempt.best.saw(attempt.measure(windows));
      attempt.ceiling.value = attempt.best.value();
    }
  Ceilings best;
  for (const Attempt& attempt : attempts)
    if (attempt.ceiling.value > 0) keep_best(best, attempt.ceiling);
  return best;
}

Ceilings host_ceilings_now(std::span<const std::string> names) {
  Ceilings best = bursts_named(names);
  for (Attempt& attempt : all_attempts()) {
    if (std::find(names.begin(), names.end(), attempt.ceiling.name) == names.end()) continue;
    attempt.ceiling.value = attempt.measure(windows_of_a_visit);
    keep_best(best, attempt.ceiling);
  }
  return best;
}

}  // namespace breakeven
