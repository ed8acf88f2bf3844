// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/long_work.hpp"

#include <chrono>
#include <thread>

namespace breakeven::conformance {
namespace {

using Time = std::chrono::steady_clock;

constexpr auto long_enough = std::chrono::milliseconds(30);
constexpr auto stray_work = std::chrono::seconds(1);
constexpr std::size_t most_repetitions = 1 << 13;

std::size_t side(const Device& device) {
  return device.info().kind == Kind::gpu ? 1024 : 192;
}

}  // namespace

LongWork::LongWork(Bench& bench)
    : first_(bench, side(bench.device()), 1), last_(bench, side(bench.device()), 2) {}

void LongWork::enqueue() {
  for (std::size_t i = 0; i < repetitions_; ++i) first_.task().enqueue();
  last_.task().enqueue();
}

void LongWork::grow(const std::function<void()>& check) {
  for (; repetitions_ <= most_repetitions; repetitions_ *= 2) {
    last_.poison_output();
    const auto start = Time::now();
    enqueue();
    try {
      check();
    } catch (...) {
      std::this_thread::sleep_for(stray_work);  // it may still use what is destroyed next
      throw;
    }
    if (Time::now() - start > long_enough) return;
  }
}

}  // namespace breakeven::conformance
