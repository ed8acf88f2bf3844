// SPDX-License-Identifier: Apache-2.0
// Making and destroying: what comes back, and what stays behind.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <thread>

#include "suite/conformance/bench.hpp"
#include "suite/conformance/operations.hpp"
#include "suite/conformance/process_state.hpp"
#include "suite/conformance/rule.hpp"
#include "suite/machine/surroundings.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven::conformance::rules {
namespace {

// A device is used in earnest: a product where there is one, else memory and a queue.
void use(Device& device, std::uint64_t seed, std::size_t n = 24) {
  Bench bench(device);
  try {
    ExactProduct product(bench, n, seed);
    product.task().enqueue();
    bench.queue().synchronize();
    product.require_right("in one of several uses");
  } catch (const NotApplicable&) {
    bench.queue().synchronize();
  }
}

constexpr std::size_t ignored_bytes = 16 << 10;  // runtimes keep books

double seconds_of_descendants() {
  double sum = 0;
  for (const Descendant& one : descendants()) sum += one.seconds;
  return sum;
}

std::size_t free_device_bytes(const Device& device) {
  const DeviceInfo info = device.info();
  return info.kind == Kind::cpu ? 0 : info.free_bytes;
}

}  // namespace

void quiet(Subject& subject) {
  for (const auto& step :
       {std::function<void()>([&] { subject.manifest(); }), std::function<void()>([&] {
          if (subject.manifest().probe) subject.manifest().probe();
        }),
        std::function<void()>([&] {
          const auto backend = subject.create();
          use(*backend->devices()[0], 1);
        })})
    step();
  if (const std::string printed = one_line(subject.printed(), 80); !printed.empty())
    throw Broken(fmt::format("it printed: {}", printed));
}

void stages(Subject& subject) {
  const Manifest& manifest = subject.manifest();
  const auto begin = std::chrono::steady_clock::now();
  if (manifest.probe) manifest.probe();
  const auto backend = subject.create();
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double sum = 0;
  for (const Stage& stage : backend->stages()) {
    require_key(stage.name);
    if (!(stage.seconds >= 0))
      throw Broken(fmt::format("its stage {} took {} s", stage.name, stage.seconds));
    sum += stage.seconds;
  }
  if (sum > took)
    throw Broken(fmt::format("its stages took {:.3g} s, probe and create {:.3g} s", sum, took));
}

// What it started may not compute between rest and wake; afterwards everything works as before.
void rest(Subject& subject) {
  const auto backend = subject.create();
  use(*backend->devices()[0], 1);
  for (std::uint64_t time = 1; time <= 2; ++time) {
    backend->rest();
    const double before = seconds_of_descendants();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const double used = seconds_of_descendants() - before;
    backend->wake();
    if (used > 0.02)
      throw Broken(fmt::format("what it started used {:.0f} ms of a processor in 300 ms of rest",
                               1e3 * used));
    use(*backend->devices()[0], 1 + time);
  }
}

void surroundings(Subject& subject) {
  const Surroundings before = all_surroundings(subject.file());
  const auto require_same = [&](std::string_view step) {
    if (const auto changed = changes(before, all_surroundings(subject.file())); !changed.empty())
      throw Broken(fmt::format("{} changed {}", step, changed));
  };
  auto backend = subject.create();
  require_same("create");
  {
    Bench bench(*backend->devices()[0]);
    for (const Question& question : one_of_each(bench)) {
      if (!question.is_supported(bench)) continue;
      bench.run(question.operation);
      require_same(question.name);
    }
  }
  backend.reset();
  require_same("the end of the backend");
}

// A little is left to threads that look around now and then.
void idle(Subject& subject) {
  constexpr int times = 10;
  constexpr std::chrono::milliseconds while_it_sleeps{200};
  const auto backend = subject.create();
  use(*backend->devices()[0], 1, 256);
  double used = 0;
  for (int time = 0; time < times; ++time) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(while_it_sleeps);
    used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (used < 0.01) return;
  }
  throw Broken(
      fmt::format("its threads still used {:.0f} ms of processors in {} ms, two seconds after all "
                  "was done: let them sleep",
                  1e3 * used, while_it_sleeps.count()));
}

void processes(Subject& subject) {
  {
    const auto backend = subject.create();
    use(*backend->devices()[0], 1);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  auto left = descendants();
  for (; !left.empty() && std::chrono::steady_clock::now() < end; left = descendants())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (const Descendant& one : left) kill(one.process, SIGKILL);
  if (!left.empty())
    throw Broken(
        fmt::format("it started '{}', which goes on after the backend's end: end it and "
                    "wait for it in the destructor",
                    left.front().name));
}

void create_again(Subject& subject) {
  ProcessState before;
  for (int time = 1; time <= 3; ++time) {
    if (time == 3) before = ProcessState::now();
    const auto backend = subject.create();
    use(*backend->devices()[0], 1);
  }
  if (const auto grown = growth(before, ProcessState::settled(before), ignored_bytes);
      !grown.empty())
    throw Broken(fmt::format("the third create, use and destroy left {} behind", grown));
}

void two_instances(Subject& subject) {
  auto first = subject.create();
  const auto second = subject.create();
  use(*first->devices()[0], 1);
  use(*second->devices()[0], 2);
  use(*first->devices()[0], 3);
  first.reset();
  use(*second->devices()[0], 4);
}

void leaks(Subject& subject) {
  constexpr int uses = 200;
  const auto backend = subject.create();
  Device& device = *backend->devices()[0];
  const auto use_often = [&] {
    for (int i = 0; i < uses; ++i) use(device, 1);
  };
  const auto device_bytes_left = [&] {
    const std::size_t before = free_device_bytes(device);
    use_often();
    return before - std::min(before, free_device_bytes(device));
  };
  use_often();  // caches fill
  const auto before = ProcessState::now();
  std::size_t left = device_bytes_left();
  if (const auto grown = growth(before, ProcessState::settled(before), ignored_bytes);
      !grown.empty())
    throw Broken(fmt::format("{} times queue, buffers, task and back left {} behind", uses, grown));
  // Other processes use the device too, or its node: what leaks does so every time.
  constexpr std::size_t ignored_device_bytes = 64 << 20;
  for (int time = 1; time < 3 && left > ignored_device_bytes; ++time) left = device_bytes_left();
  if (left > ignored_device_bytes)
    throw Broken(fmt::format("{} times queue, buffers, task and back left {} bytes on the device",
                             uses, left));
}

}  // namespace breakeven::conformance::rules
