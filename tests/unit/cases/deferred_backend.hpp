// SPDX-License-Identifier: Apache-2.0
// A backend whose device runs nothing until it is waited for, whose memory the host cannot touch,
// and which can be told to do wrong. What a case forgets to wait for is never there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/verify/numbers.hpp"

namespace breakeven {

struct Behaviour {
  bool has_pinned = true, has_sequences = true, has_events = true;
  std::function<bool(const AnyOperation&)> supports = [](const AnyOperation&) { return true; };
  std::function<bool(const AnyOperation&)> skips = [](const AnyOperation&) { return false; };
  std::function<void(const AnyOperation&)> afterwards = [](const AnyOperation&) {};
  // Of all devices, which may be fed by threads of their own.
  std::atomic<std::size_t> pending{0};            // handed over and not waited for
  std::size_t allocated = 0, most_allocated = 0;  // bytes
  // Bytes and granules of what was allocated.
  std::map<Memory, std::set<std::pair<std::size_t, std::size_t>>> granules = {};
  std::atomic<std::size_t> microseconds{0};  // on the device's clock: one per operation
};

class DeferredBuffer final : public Buffer {
 public:
  DeferredBuffer(std::size_t bytes, Memory memory, Device& device, Behaviour& behaviour)
      : DeferredBuffer(std::make_unique<std::byte[]>(bytes), bytes, memory, device, behaviour) {
    behaviour.allocated += bytes;
    behaviour.most_allocated = std::max(behaviour.most_allocated, behaviour.allocated);
  }
  ~DeferredBuffer() override { behaviour_.allocated -= bytes(); }
  std::byte* storage() const { return storage_.get(); }

 private:
  DeferredBuffer(std::unique_ptr<std::byte[]> storage, std::size_t bytes, Memory memory,
                 Device& device, Behaviour& behaviour)
      : Buffer(memory == Memory::device ? nullptr : storage.get(), bytes, memory, device),
        storage_(std::move(storage)),
        behaviour_(behaviour) {}
  std::unique_ptr<std::byte[]> storage_;
  Behaviour& behaviour_;
};

inline std::span<std::byte> bytes_at(const Slice& slice) {
  return {static_cast<DeferredBuffer*>(slice.buffer)->storage() + slice.offset, slice.bytes};
}

// What every operation means, one number at a time.
struct Compute {
  void operator()(const Nothing&) const {}
  void operator()(const Copy& copy) const {
    if (copy.to.bytes > 0)
      std::memmove(bytes_at(copy.to).data(), bytes_at(copy.from).data(), copy.to.bytes);
  }
  void operator()(const Gemm& gemm) const {
    const auto a = bytes_at(gemm.a), b = bytes_at(gemm.b), c = bytes_at(gemm.c);
    for (std::size_t q = 0; q < gemm.batch; ++q)
      for (std::size_t i = 0; i < gemm.m; ++i)
        for (std::size_t j = 0; j < gemm.n; ++j) {
          double sum = 0;
          for (std::size_t p = 0; p < gemm.k; ++p)
            sum += element(gemm.type, a, (q * gemm.m + i) * gemm.k + p) *
                   element(gemm.type, b, (q * gemm.k + p) * gemm.n + j);
          set_element(gemm.type, c, (q * gemm.m + i) * gemm.n + j, sum);
        }
  }
  void operator()(const Norm& norm) const {
    const Type type = bytes_of(norm.type) == 2 ? Type::f32 : norm.type;
    for (std::size_t i = 0; i < norm.batch; ++i) {
      double sum = 0;
      for (std::size_t p = 0; p < norm.n; ++p)
        sum += std::pow(element(norm.type, bytes_at(norm.x), i * norm.n + p), 2);
      set_element(type, bytes_at(norm.out), i, std::sqrt(sum));
    }
  }
  void operator()(const Sum& one) const {
    const Type type = bytes_of(one.type) == 2 ? Type::f32 : one.type;
    for (std::size_t i = 0; i < one.batch; ++i) {
      double sum = 0;
      for (std::size_t p = 0; p < one.n; ++p)
        sum += element(one.type, bytes_at(one.x), i * one.n + p);
      set_element(type, bytes_at(one.out), i, sum);
    }
  }
  void operator()(const MultiplyAdd& add) const {
    for (std::size_t i = 0; i < add.n; ++i)
      set_element(
          add.type, bytes_at(add.out), i,
          std::fma(element(add.type, bytes_at(add.a), i), element(add.type, bytes_at(add.b), i),
                   element(add.type, bytes_at(add.c), i)));
  }
  void operator()(const Tanh& tanh) const {
    for (std::size_t i = 0; i < tanh.n; ++i)
      set_element(tanh.type, bytes_at(tanh.out), i,
                  std::tanh(element(tanh.type, bytes_at(tanh.x), i)));
  }
  void operator()(const TanhGradient& gradient) const {
    for (std::size_t i = 0; i < gradient.n; ++i) {
      const double h = element(gradient.type, bytes_at(gradient.h), i);
      set_element(gradient.type, bytes_at(gradient.out), i,
                  element(gradient.type, bytes_at(gradient.d), i) * (1 - h * h));
    }
  }
};

class DeferredEvent final : public Event {
 public:
  double since(const Event& start) const override {
    return 1e-6 * static_cast<double>(time - static_cast<const DeferredEvent&>(start).time);
  }
  std::size_t time = 0;
};

class DeferredQueue final : public Queue {
 public:
  explicit DeferredQueue(Behaviour& behaviour) : behaviour_(behaviour) { steps_.reserve(1 << 17); }

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    if (!behaviour_.supports(operation)) return nullptr;
    return std::make_unique<One>(*this, operation);
  }
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    if (!behaviour_.has_sequences) return nullptr;
    return std::make_unique<Several>(tasks);
  }
  std::unique_ptr<Event> event() override {
    return behaviour_.has_events ? std::make_unique<DeferredEvent>() : nullptr;
  }
  void record(Event& event) override { add({nullptr, static_cast<DeferredEvent*>(&event)}); }
  void wait(const Event&) override {}
  void synchronize() override {
    for (const Step& step : steps_) {
      if (step.event) step.event->time = behaviour_.microseconds;
      if (step.operation) execute(*step.operation);
    }
    behaviour_.pending -= steps_.size();
    steps_.clear();
  }

 private:
  struct Step {
    const AnyOperation* operation;
    DeferredEvent* event;
  };
  struct One final : Task {
    One(DeferredQueue& to, const AnyOperation& what) : queue(to), operation(what) {}
    void enqueue() override { queue.add({&operation, nullptr}); }
    DeferredQueue& queue;
    AnyOperation operation;
  };
  struct Several final : Task {
    explicit Several(std::span<Task* const> all) : tasks(all.begin(), all.end()) {}
    void enqueue() override {
      for (Task* task : tasks) task->enqueue();
    }
    std::vector<Task*> tasks;
  };

  void add(const Step& step) {
    steps_.push_back(step);
    ++behaviour_.pending;
  }
  void execute(const AnyOperation& operation) {
    ++behaviour_.microseconds;
    if (behaviour_.skips(operation)) return;
    dispatch(operation, [](const auto& one) {
      Compute{}(one);
      return std::unique_ptr<Task>();
    });
    behaviour_.afterwards(operation);
  }

  Behaviour& behaviour_;
  std::vector<Step> steps_;
};

class DeferredDevice final : public Device {
 public:
  explicit DeferredDevice(Behaviour& behaviour) : behaviour_(behaviour) {}
  DeviceInfo info() const override { return {"deferred", Kind::gpu, 0, 0}; }
  std::span<const Fact> facts() const override { return {}; }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (memory == Memory::pinned && !behaviour_.has_pinned) return nullptr;
    behaviour_.granules[memory].emplace(bytes, granule);
    return std::make_unique<DeferredBuffer>(bytes, memory, *this, behaviour_);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<DeferredQueue>(behaviour_); }
  bool reaches(const Device&) const override { return true; }
  void bind_thread() override {}

 private:
  Behaviour& behaviour_;
};

class DeferredBackend final : public Backend {
 public:
  explicit DeferredBackend(std::size_t devices = 2) {
    for (std::size_t i = 0; i < devices; ++i) {
      owned_.push_back(std::make_unique<DeferredDevice>(behaviour));
      devices_.push_back(owned_.back().get());
    }
  }
  std::span<Device* const> devices() override { return devices_; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

  Behaviour behaviour;

 private:
  std::vector<std::unique_ptr<Device>> owned_;
  std::vector<Device*> devices_;
};

}  // namespace breakeven
