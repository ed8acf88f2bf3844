// SPDX-License-Identifier: Apache-2.0
// What happens when: waiting, events, sequences, threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
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
