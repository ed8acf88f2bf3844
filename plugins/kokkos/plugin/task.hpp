// SPDX-License-Identifier: Apache-2.0
// From operations to tasks: a task is a call with everything it needs bound to it.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <string>
#include <utility>

#include "device.hpp"

namespace breakeven::kokkos {

template <class Call>
class CallTask final : public Task {
 public:
  explicit CallTask(Call call) : call_(std::move(call)) {}
  void enqueue() override { call_(); }

 private:
  Call call_;
};

template <class Call>
std::unique_ptr<Task> make_task(Call call) {
  return std::make_unique<CallTask<Call>>(std::move(call));
}

// What prepare binds a task to.
struct Target {
  const SpaceDevice& device;
  Space space;
};

// Throws std::invalid_argument where the slice lies on another device or is too short.
std::byte* address_of(const Slice& slice, std::size_t bytes, const SpaceDevice& device);

// The elements of an operand; null where computing cannot reach its memory.
template <class T>
T* operand(const Slice& slice, std::size_t count, const Target& target) {
  return reinterpret_cast<T*>(address_of(slice, count * sizeof(T), target.device));
}

// One per operation; null: not supported.
std::unique_ptr<Task> prepare(const Gemm& gemm, const Target& target);
std::unique_ptr<Task> prepare(const Norm& norm, const Target& target);
std::unique_ptr<Task> prepare(const MultiplyAdd& operation, const Target& target);
std::unique_ptr<Task> prepare(const Tanh& operation, const Target& target);
std::unique_ptr<Task> prepare(const TanhGradient& operation, const Target& target);

}  // namespace breakeven::kokkos
