// SPDX-License-Identifier: Apache-2.0
// From operations to tasks. The operations are the same sources for every flavour; what a flavour
// adds are the functions at the end.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "space.hpp"

namespace breakeven::kokkos {

// What prepare binds a task to: an instance of the execution space is a queue.
struct Target {
  Device& device;
  Space space;
  // In which a product is made on the host; none: the fastest one that is found.
  std::optional<Way> way = {};
  std::string_view gemm = "gemm";  // the routine of a product
};

// By the overload of the operation. Null: not supported.
std::unique_ptr<Task> prepare_any(const AnyOperation& operation, const Target& target);

// One per operation.
std::unique_ptr<Task> prepare(const Nothing& nothing, const Target& target);
std::unique_ptr<Task> prepare(const Gemm& gemm, const Target& target);
std::unique_ptr<Task> prepare(const Norm& norm, const Target& target);
std::unique_ptr<Task> prepare(const MultiplyAdd& operation, const Target& target);
std::unique_ptr<Task> prepare(const Tanh& operation, const Target& target);
std::unique_ptr<Task> prepare(const TanhGradient& operation, const Target& target);
std::unique_ptr<Task> prepare(const Sum& sum, const Target& target);

// Of each flavour: a copy between any two buffers of the backend.
std::unique_ptr<Task> prepare(const Copy& copy, const Target& target);
// Of each flavour: where the first of `bytes` bytes lies for the space that computes; null: not
// reachable from there. Throws std::invalid_argument for a slice that is too short or lies on
// another device.
std::byte* address_of(const Slice& slice, std::size_t bytes, const Target& target);
// Of each flavour: throws where the space did not take the last launch.
void expect_launched();

template <class Call>
class CallTask final : public Task {
 public:
  CallTask(Call call, const TaskInfo& info) : call_(std::move(call)), info_(info) {}
  void enqueue() override {
    call_();
    expect_launched();
  }
  TaskInfo info() const override { return info_; }

 private:
  Call call_;
  TaskInfo info_;
};

template <class Call>
std::unique_ptr<Task> make_task(Call call, const TaskInfo& info = {}) {
  return std::make_unique<CallTask<Call>>(std::move(call), info);
}

// Of a kernel of this plugin; of one that runs on the host, with so many threads, 0 for all.
inline TaskInfo own(std::string_view routine, const Target& target, std::size_t threads = 0) {
  const auto all = static_cast<std::size_t>(target.space.concurrency());
  return {.author = Author::plugin,
          .threads = !on_host       ? 0
                     : threads == 0 ? all
                                    : threads,
          .routine = routine};
}

// The elements of an operand; null where computing cannot reach its memory.
template <class T>
T* operand(const Slice& slice, std::size_t count, const Target& target) {
  return reinterpret_cast<T*>(address_of(slice, count * sizeof(T), target));
}

// Memory that belongs to a task.
template <class T>
class Workspace {
 public:
  Workspace(std::size_t count, const Target& target)
      : buffer_(target.device.allocate(count * sizeof(T), Memory::device)),
        data_(operand<T>({buffer_.get(), 0, count * sizeof(T)}, count, target)) {}
  T* data() const { return data_; }

 private:
  std::shared_ptr<Buffer> buffer_;
  T* data_;
};

}  // namespace breakeven::kokkos
