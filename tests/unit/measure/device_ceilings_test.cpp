// SPDX-License-Identifier: Apache-2.0
// What a device's ceilings are made of, on a device that takes as long as it is told.
#include "suite/measure/device_ceilings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <variant>

#include "suite/measure/cache_flush.hpp"
#include "tests/fakes.hpp"

namespace breakeven {
namespace {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, Memory memory, Device& device)
      : Buffer(std::calloc(bytes, 1), bytes, memory, device) {}
  ~HostBuffer() override { std::free(data()); }
};

std::byte* at(const Slice& slice) {
  return static_cast<std::byte*>(slice.buffer->data()) + slice.offset;
}

// Handing over takes 1 ns, the work is done when it is waited for.
class ToldDevice final : public Device {
 public:
  explicit ToldDevice(fakes::FakeClock& time) : time_(time) {}

  DeviceInfo info() const override { return {"told", Kind::gpu, 0, free_bytes, hardware}; }
  std::span<const Fact> facts() const override { return {}; }
  std::size_t readings(std::span<Reading> into) const override {
    if (!tells_clock) return 0;
    into[0] = {"sm_clock_mhz", mhz()};
    return 1;
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    largest = std::max(largest, bytes);
    return std::make_unique<HostBuffer>(bytes, memory, *this);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<ToldQueue>(*this); }
  bool reaches(const Device&) const override { return false; }
  void bind_thread() override {}

  std::string hardware;
  std::size_t free_bytes = std::size_t{8} << 20, largest = 0;  // what was allocated at once
  std::deque<std::int64_t> launches_ns;  // of one waited for, in order; then 1000
  std::int64_t product_ns = 10'000'000;  // at 1000 MHz

  // Its clock comes up in this time of work, and is lower from `limited_ns` of it on.
  bool tells_clock = false;
  std::int64_t ramp_ns = 0, limited_ns = std::int64_t{1} << 60, worked_ns = 0;
  std::function<double()> limited_mhz = [] { return 600.0; };
  double mhz() const {
    if (worked_ns >= limited_ns) return limited_mhz();
    if (worked_ns >= ramp_ns) return 1000;
    return 250 + 750 * static_cast<double>(worked_ns) / static_cast<double>(ramp_ns);
  }
  std::function<void(const Gemm&)> seen = [](const Gemm&) {};
  bool is_busy() const { return pending_ns_ > 0; }

 private:
  class ToldTask final : public Task {
   public:
    ToldTask(ToldDevice& device, Operation operation)
        : device_(device), operation_(std::move(operation)) {}
    void enqueue() override {
      device_.handed_over_ = device_.time_.time += 1;
      if (const auto* copy = std::get_if<Copy>(&operation_))
        std::memmove(at(copy->to), at(copy->from), copy->to.bytes);
      if (const auto* gemm = std::get_if<Gemm>(&operation_)) {
        device_.seen(*gemm);
        const auto took = static_cast<std::int64_t>(static_cast<double>(device_.product_ns) * 1000 /
                                                    device_.mhz());
        device_.worked_ns += took;
        device_.pending_ns_ += took;
      }
      if (std::holds_alternative<Nothing>(operation_)) {
        device_.pending_ns_ += device_.launches_ns.empty() ? 1000 : device_.launches_ns.front();
        if (!device_.launches_ns.empty()) device_.launches_ns.pop_front();
      }
    }

   private:
    ToldDevice& device_;
    Operation operation_;
  };
  class ToldQueue final : public Queue {
   public:
    explicit ToldQueue(ToldDevice& device) : device_(device) {}
    std::unique_ptr<Task> prepare(const Operation& operation) override {
      if (const auto* gemm = std::get_if<Gemm>(&operation))
        if (gemm->type != Type::f32 || gemm->math != Math::native) return nullptr;
      return std::make_unique<ToldTask>(device_, operation);
    }
    std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
    std::unique_ptr<Event> event() override { return nullptr; }
    void record(Event&) override {}
    void wait(const Event&) override {}
    void synchronize() override {
      const std::int64_t done = device_.handed_over_ + std::exchange(device_.pending_ns_, 0);
      device_.time_.time = std::max(device_.time_.time, done);
    }

   private:
    ToldDevice& device_;
  };

  fakes::FakeClock& time_;
  std::int64_t pending_ns_ = 0, handed_over_ = 0;
};

double value(const Ceilings& ceilings, std::string_view name) {
  const Ceiling* ceiling = find(ceilings, name);
  return ceiling ? ceiling->value : -1;
}

TEST(DeviceCeilings, TheBestOfSomeTriesCountsAndTheFirstRunDoesNot) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  device.launches_ns = {5, 900, 700, 2000, 800, 900};
  EXPECT_EQ(value(device_ceilings(device, clock), "launch"), 1 + 700);
}

TEST(DeviceCeilings, WhatIsHandedOverIsWaitedForInsideTheClock) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  const Ceilings ceilings = device_ceilings(device, clock);
  EXPECT_EQ(value(ceilings, "launch"), 1 + 1000);
  EXPECT_EQ(value(ceilings, "launch_amortised"), 1 + 1000);
  EXPECT_DOUBLE_EQ(value(ceilings, "gemm_f32"), 2.0 * 256 * 256 * 256 / 10'000'001 * 1e9);
  EXPECT_EQ(value(ceilings, "gemm_f64"), -1);
}

TEST(DeviceCeilings, EachPartOfADeviceGetsAnArrayBeyondItsCaches) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  for (const char* one : {"", "GPU-1"}) {
    device.hardware = one;
    EXPECT_EQ(largest_array_bytes(device), std::size_t{256} << 20);
  }
  device.hardware = "GPU-1 GPU-2 GPU-3";
  EXPECT_EQ(largest_array_bytes(device), 3 * (std::size_t{256} << 20));
}

TEST(DeviceCeilings, AFlushGoesBeyondTheCachesOfEachPart) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  device.hardware = "GPU-1 GPU-2";
  device.free_bytes = std::size_t{4} << 30;
  cache_flush_for(device);
  EXPECT_EQ(device.largest, 2 * (std::size_t{256} << 20));
}

constexpr double product_flops = 2.0 * 256 * 256 * 256;

// Bursts alone would be those of a clock that is still coming up.
TEST(DeviceCeilings, ABurstIsThatOfAClockThatStands) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  device.tells_clock = true;
  device.ramp_ns = 400'000'000;
  EXPECT_NEAR(value(device_ceilings(device, clock), "gemm_f32") / (product_flops / 10e-3), 1, 0.01);
}

TEST(DeviceCeilings, WhatAPowerLimitLeavesIsSustained) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  device.tells_clock = true;
  device.limited_ns = 700'000'000;
  const std::vector<std::string> both = {"gemm_f32", "gemm_f32_sustained"};
  const Ceilings ceilings = device_ceilings(device, clock, both);
  EXPECT_NEAR(value(ceilings, "gemm_f32") / (product_flops / 10e-3), 1, 0.01);
  EXPECT_NEAR(value(ceilings, "gemm_f32_sustained") / (product_flops / 10e-3), 0.6, 0.01);
  EXPECT_NEAR(value(ceilings, "gemm_f32_sustained_low") / (product_flops / 10e-3), 0.6, 0.01);
  EXPECT_EQ(value(ceilings, "gemm_f32_sustained_clock"), 600);
  EXPECT_EQ(ceilings.size(), 4U);
}

// It takes seconds: only who names it waits for it.
TEST(DeviceCeilings, WhatIsSustainedIsMeasuredForASecondAndOnlyWhereItIsNamed) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  EXPECT_EQ(value(device_ceilings(device, clock), "gemm_f32_sustained"), -1);
  const std::int64_t before = clock.time;
  const std::vector<std::string> name = {"gemm_f32_sustained"};
  const Ceilings ceilings = device_ceilings(device, clock, name);
  EXPECT_GT(clock.time - before, 1'000'000'000);
  EXPECT_LT(clock.time - before, 1'300'000'000);
  EXPECT_NEAR(value(ceilings, "gemm_f32_sustained"), product_flops / 10e-3, 1e5);
  EXPECT_EQ(value(ceilings, "gemm_f32"), -1);
  EXPECT_EQ(value(ceilings, "gemm_f32_sustained_clock"), -1);
}

TEST(DeviceCeilings, WhatIsNotSteadyWithinThreeSecondsSaysSoByItsLowest) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  device.limited_ns = 0;
  device.limited_mhz = [&] { return clock.time / 100'000'000 % 3 == 0 ? 500 : 1000; };
  const std::vector<std::string> name = {"gemm_f32_sustained"};
  const Ceilings ceilings = device_ceilings(device, clock, name);
  EXPECT_LT(value(ceilings, "gemm_f32_sustained_low"), 0.9 * value(ceilings, "gemm_f32_sustained"));
  EXPECT_GT(clock.time, 3'000'000'000);
  EXPECT_LT(clock.time, 4'000'000'000);
}

// They have one chassis and may have one budget of power.
TEST(DeviceCeilings, WhatSeveralSustainIsMeasuredWhileAllOfThemWork) {
  fakes::FakeClock clock;
  ToldDevice device(clock), second(clock), third(clock);
  device.tells_clock = second.tells_clock = true;
  device.limited_ns = second.limited_ns = 0;
  device.limited_mhz = [&] { return second.is_busy() ? 500.0 : 1000.0; };
  second.limited_mhz = [&] { return device.is_busy() ? 500.0 : 900.0; };
  Device* const others[] = {&second, &third};
  const std::vector<std::string> names = {"gemm_f32_sustained", "gemm_f32_sustained*2"};
  const Ceilings ceilings = device_ceilings(device, clock, names, others);
  EXPECT_NEAR(value(ceilings, "gemm_f32_sustained") / (product_flops / 10e-3), 1, 0.01);
  EXPECT_NEAR(value(ceilings, "gemm_f32_sustained*2") / (product_flops / 10e-3), 1, 0.01);
  EXPECT_EQ(value(ceilings, "gemm_f32_sustained_clock"), 1000);
  EXPECT_EQ(value(ceilings, "gemm_f32_sustained*2_clock"), 900);  // the lower one
  EXPECT_EQ(third.largest, 0U);
  EXPECT_EQ(ceilings.size(), 6U);
}

// Zeros and constants would let a device compute faster.
TEST(DeviceCeilings, ProductsAreThoseOfRandomRealsOfBothSigns) {
  fakes::FakeClock clock;
  ToldDevice device(clock);
  std::size_t products = 0;
  device.seen = [&](const Gemm& gemm) {
    ++products;
    for (const Slice& slice : {gemm.a, gemm.b}) {
      const auto* values = reinterpret_cast<const float*>(at(slice));
      const std::size_t count = slice.bytes / sizeof(float);
      std::size_t negative = 0, repeated = 0;
      for (std::size_t i = 0; i < count; ++i) {
        negative += values[i] < 0;
        repeated += i > 0 && values[i] == values[i - 1];
        ASSERT_LT(std::abs(values[i]), 1);
      }
      EXPECT_NEAR(static_cast<double>(negative) / static_cast<double>(count), 0.5, 0.05);
      EXPECT_LT(repeated, count / 100);
    }
  };
  device_ceilings(device, clock);
  EXPECT_GT(products, 0U);
}

}  // namespace
}  // namespace breakeven
