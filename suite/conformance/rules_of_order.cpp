// SPDX-License-Identifier: Apache-2.0
// What happens when: waiting, events, sequences, threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "suite/conformance/allocation_count.hpp"
#include "suite/conformance/bench.hpp"
#include "suite/conformance/long_work.hpp"
#include "suite/conformance/rule.hpp"

namespace breakeven::conformance::rules {
namespace {

using Time = std::chrono::steady_clock;

double seconds_since(Time::time_point start) {
  return std::chrono::duration<double>(Time::now() - start).count();
}

}  // namespace

void repeats(Subject& subject) {
  constexpr int times = 1000;
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  ExactProduct product(bench, 33, 1);
  for (int time = 1; time <= times; ++time) {
    if (time % 250 == 0) {
      bench.queue().synchronize();
      product.poison_output();
    }
    product.task().enqueue();
    if (time % 250 != 0) continue;
    bench.queue().synchronize();
    product.require_right(fmt::format("after {} repeats", time).c_str());
  }
}

// Places that nobody can know beforehand, while pointers and all other elements stay.
void inputs(Subject& subject) {
  constexpr std::size_t n = 211, changes = 12;
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  ExactProduct product(bench, n, 1);
  std::random_device random;
  std::string when = "at first";
  for (std::size_t time = 0; time <= changes; ++time) {
    product.task().enqueue();
    bench.queue().synchronize();
    product.require_right(when.c_str());
    when = fmt::format("once {} had changed,", product.change_a_place(random()));
  }
}

// What libraries note down for themselves on the host is theirs; memory for a matrix is made
// before.
void enqueue_allocates(Subject& subject) {
  if (!largest_allocation())
    throw NotApplicable("operator new is not watched in a build with a sanitizer");
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  ExactProduct product(bench, 64, 1);
  for (int i = 0; i < 10; ++i) product.task().enqueue();
  bench.queue().synchronize();
  largest_allocation();
  constexpr int times = 100;
  for (int i = 0; i < times; ++i) product.task().enqueue();
  const std::size_t bytes = *largest_allocation(), operand = product.output().slice.bytes;
  bench.queue().synchronize();
  if (bytes >= operand)
    throw Broken(fmt::format(
        "one of {} enqueues of a warm task asked operator new for {} bytes; an operand has {}",
        times, bytes, operand));
}

void synchronize(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]), reader(bench.device());
  LongWork work(bench);
  work.grow([&] {
    bench.queue().synchronize();
    // Another queue reads, so that nothing waits for this one by accident.
    const Bytes output = reader.read(work.last().output());
    const auto start = Time::now();
    bench.queue().synchronize();
    const double again = seconds_since(start);
    work.last().require_right(output, "right after synchronize");
    if (again > 0.02)
      throw Broken(fmt::format("a second synchronize waited for another {:.0f} ms", again * 1e3));
  });
}

// A part of the result is read twice. The shortest first time is held against the longest second
// one, so that a busy machine alone does not look like work.
void reading(Subject& subject) {
  constexpr std::size_t largest = 4096, bytes = 4096;
  constexpr int times = 5;
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  // On a busy machine anything may take long once: of the whole and of the first reading the
  // shortest counts, of the second one the median.
  double first = 0, second = 0, shortest = 0, longest = 0;
  for (std::size_t n = 256; n <= largest && shortest < 0.03 && longest < 2; n *= 2) {
    ExactProduct product(bench, n, 1);
    Operand part;
    part.slice = product.output().slice;
    part.slice.bytes = bytes;
    first = shortest = std::numeric_limits<double>::infinity();
    std::vector<double> again_took;
    for (int time = 0; time <= times; ++time) {  // the first warms up
      const auto begin = Time::now();
      product.task().enqueue();
      bench.queue().synchronize();
      const auto done = Time::now();
      bench.read(part);
      const double took = seconds_since(done);
      const double all = seconds_since(begin);
      longest = std::max(longest, all);
      const auto again = Time::now();
      bench.read(part);
      if (time == 0) continue;
      again_took.push_back(seconds_since(again));
      first = std::min(first, took);
      shortest = std::min(shortest, all);
    }
    std::sort(again_took.begin(), again_took.end());
    second = again_took[times / 2];
  }
  if (first > 4 * second + 1e-3)
    throw Broken(fmt::format(
        "reading {} bytes of a result took {:.1f} ms at least, reading them again {:.3f} ms: "
        "the work was done when it was read",
        bytes, 1e3 * first, 1e3 * second));
}

void events(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]), other(bench.device());
  const auto start = bench.queue().event(), end = bench.queue().event();
  if (!start || !end) throw NotApplicable("it has no events");

  other.queue().wait(*start);  // never recorded: orders nothing
  other.queue().synchronize();

  LongWork work(bench);
  const Operand copied = bench.operand(Bytes(work.last().output().slice.bytes));
  const auto copy =
      other.queue().prepare_any(Copy{.to = copied.slice, .from = work.last().output().slice});
  work.grow([&] {
    bench.queue().record(*end);
    if (!copy) return bench.queue().synchronize();
    other.queue().wait(*end);
    copy->enqueue();
    other.queue().synchronize();
    const Bytes seen = bench.read(copied);
    bench.queue().synchronize();
    work.last().require_right(seen, "behind Queue::wait");
  });

  bench.queue().synchronize();
  const auto wall_start = Time::now();
  bench.queue().record(*start);
  work.enqueue();
  bench.queue().record(*end);
  bench.queue().synchronize();
  const double wall = seconds_since(wall_start), device = end->since(*start);
  if (device < 0) return;  // cannot tell
  if (device > 1.02 * wall + 1e-4)
    throw Broken(
        fmt::format("its events say {:.3g} s where the wall clock says {:.3g} s", device, wall));
}

void sequence(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  ExactProduct first(bench, 48, 1), second(bench, 40, 2);
  const std::array tasks = {&first.task(), &second.task()};
  const auto all = bench.queue().sequence(tasks);
  if (!all) throw NotApplicable("it has no sequences");
  for (int time = 0; time < 3; ++time) {
    first.poison_output();
    second.poison_output();
    all->enqueue();
    bench.queue().synchronize();
    first.require_right("as the first of a sequence");
    second.require_right("as the second of a sequence");
  }

  // One task twice: what the first time gave is kept elsewhere and wiped out before the second.
  const Slice output = first.output().slice;
  const Operand kept = bench.operand(Bytes(output.bytes)),
                wipe = bench.operand(Bytes(output.bytes));
  const auto keep = bench.queue().prepare_any(Copy{.to = kept.slice, .from = output});
  const auto clear = bench.queue().prepare_any(Copy{.to = output, .from = wipe.slice});
  if (!keep || !clear) return;
  const std::array twice = {&first.task(), keep.get(), clear.get(), &first.task()};
  const auto repeated = bench.queue().sequence(twice);
  if (!repeated) return;
  first.poison_output();
  repeated->enqueue();
  bench.queue().synchronize();
  first.require_right(bench.read(kept), "the first time in a sequence");
  first.require_right("as a task that a sequence repeats");
}

void threads(Subject& subject) {
  constexpr std::size_t count = 4;
  constexpr int times = 20;
  const auto backend = subject.create();
  Device& device = *backend->devices()[0];
  std::mutex mutex;
  std::string failure, reason;
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < count; ++i) {
    running.emplace_back([&, i] {
      try {
        Bench bench(device);
        for (int time = 0; time < times; ++time) {
          ExactProduct product(bench, 40 + i, i);
          product.task().enqueue();
          bench.queue().synchronize();
          product.require_right("beside other threads");
        }
      } catch (const NotApplicable& why) {
        const std::lock_guard lock(mutex);
        reason = why.what();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failure = error.what();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  if (!failure.empty()) throw Broken(failure);
  if (!reason.empty()) throw NotApplicable(reason);
}

}  // namespace breakeven::conformance::rules
