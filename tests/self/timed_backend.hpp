// SPDX-License-Identifier: Apache-2.0
// A backend whose device computes nothing and takes as long as it is told, on a clock of the test.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include <breakeven/plugin.hpp>

#include "tests/fakes.hpp"

namespace breakeven::timed {

struct Times {
  std::int64_t enqueue_ns = 0;  // the host hands one task over
  std::int64_t device_ns = 0;   // the device computes it
  std::int64_t wait_ns = 0;     // the host notices that all is done
};

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, Memory memory, Device& device)
      : Buffer(std::aligned_alloc(64, (bytes + 63) / 64 * 64), bytes, memory, device) {
    if (!data()) throw std::bad_alloc();
  }
  ~HostBuffer() override { std::free(data()); }
};

struct Timeline {
  fakes::FakeClock& clock;
  Times times;
  std::int64_t busy_until = 0;
};

class TimedTask final : public Task {
 public:
  TimedTask(Timeline& timeline, const Operation& operation)
      : timeline_(timeline), operation_(operation) {}
  void enqueue() override {
    if (const auto* copy = std::get_if<Copy>(&operation_)) return move(*copy);
    timeline_.clock.time += timeline_.times.enqueue_ns;
    timeline_.busy_until =
        std::max(timeline_.busy_until, timeline_.clock.time) + timeline_.times.device_ns;
  }

 private:
  static void move(const Copy& copy) {
    std::memmove(static_cast<std::byte*>(copy.to.buffer->data()) + copy.to.offset,
                 static_cast<std::byte*>(copy.from.buffer->data()) + copy.from.offset,
                 copy.to.bytes);
  }
  Timeline& timeline_;
  Operation operation_;
};

class TimedEvent final : public Event {
 public:
  double since(const Event& start) const override {
    return static_cast<double>(at - static_cast<const TimedEvent&>(start).at) * 1e-9;
  }
  std::int64_t at = 0;
};

class TimedQueue final : public Queue {
 public:
  explicit TimedQueue(Timeline& timeline) : timeline_(timeline) {}
  std::unique_ptr<Task> prepare(const Operation& operation) override {
    return std::make_unique<TimedTask>(timeline_, operation);
  }
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override { return std::make_unique<TimedEvent>(); }
  void record(Event& event) override {
    static_cast<TimedEvent&>(event).at = std::max(timeline_.busy_until, timeline_.clock.time);
  }
  void wait(const Event&) override {}
  void synchronize() override {
    timeline_.clock.time =
        std::max(timeline_.clock.time, timeline_.busy_until) + timeline_.times.wait_ns;
  }

 private:
  Timeline& timeline_;
};

class TimedBackend final : public Backend, public Device {
 public:
  TimedBackend(fakes::FakeClock& clock, const Times& times) : timeline_{clock, times} {}

  std::span<Device* const> devices() override { return devices_; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

  DeviceInfo info() const override { return {"timed", Kind::gpu, 0, 0}; }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    return std::make_unique<HostBuffer>(bytes, memory, *this);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<TimedQueue>(timeline_); }
  bool reaches(const Device&) const override { return true; }
  void bind_thread() override {}

 private:
  Timeline timeline_;
  std::array<Device*, 1> devices_{this};
};

}  // namespace breakeven::timed
