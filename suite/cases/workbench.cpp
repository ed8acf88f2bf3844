// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 3> memory_names{"pageable", "pinned", "device"};

std::string_view name_of_memory(Memory memory) {
  return memory_names.at(static_cast<std::size_t>(memory));
}

struct Describe {
  std::string operator()(const Nothing&) const { return "an empty operation"; }
  std::string operator()(const Copy& copy) const {
    return fmt::format("a copy from {} to {} memory", name_of_memory(copy.from.buffer->memory()),
                       name_of_memory(copy.to.buffer->memory()));
  }
  std::string operator()(const Gemm& gemm) const {
    return fmt::format("a{} product of {}x{}x{} in {}", gemm.batch > 1 ? " batched" : "", gemm.m,
                       gemm.n, gemm.k, type_name(gemm.type, gemm.math));
  }
  std::string operator()(const Norm& norm) const { return of("a norm", norm.type); }
  std::string operator()(const MultiplyAdd& add) const { return of("multiply-add", add.type); }
  std::string operator()(const Tanh& tanh) const { return of("tanh", tanh.type); }
  std::string operator()(const TanhGradient& gradient) const {
    return of("the gradient of tanh", gradient.type);
  }
  static std::string of(std::string_view what, Type type) {
    return fmt::format("{} in {}", what, stored_name(type));
  }
};

}  // namespace

Device& device_of(Session& session, std::size_t index) {
  const auto devices = session.backend.devices();
  if (index >= devices.size())
    throw Unsupported{devices.size() == 1 ? std::string("one device")
                                          : fmt::format("{} devices", devices.size())};
  return *devices[index];
}

Memory memory_named(std::string_view name) {
  for (std::size_t i = 0; i < memory_names.size(); ++i)
    if (memory_names[i] == name) return static_cast<Memory>(i);
  throw std::invalid_argument(fmt::format("unknown memory '{}'", name));
}

Workbench::Workbench(Device& device) : device_(device), queue_(device.queue()) {}

Workbench::~Workbench() {
  try {
    queue_->synchronize();
    for (const auto& queue : more_queues_) queue->synchronize();
  } catch (const std::exception&) {
    // The failure was thrown where the work was waited for, or nobody asked for its result.
  }
}

Queue& Workbench::add_queue() {
  return *more_queues_.emplace_back(device_.queue());
}

Slice Workbench::allocate(std::size_t bytes, Memory memory, std::size_t granule) {
  auto buffer = device_.allocate(bytes, memory, granule);
  if (!buffer) throw Unsupported{fmt::format("no {} memory", name_of_memory(memory))};
  buffers_.push_back(std::move(buffer));
  return {buffers_.back().get(), 0, bytes};
}

Task& Workbench::prepare(const Operation& operation, Queue& queue) {
  auto task = queue.prepare(operation);
  if (!task) throw Unsupported{std::visit(Describe{}, operation)};
  return *tasks_.emplace_back(std::move(task));
}

Task& Workbench::sequence(std::span<Task* const> tasks) {
  auto task = queue_->sequence(tasks);
  if (!task) throw Unsupported{"a recorded sequence of tasks"};
  return *tasks_.emplace_back(std::move(task));
}

void Workbench::copy(const Slice& to, const Slice& from) {
  const Operation operation = Copy{to, from};
  const auto task = queue_->prepare(operation);
  if (!task) throw Unsupported{std::visit(Describe{}, operation)};
  task->enqueue();
  queue_->synchronize();
}

void Workbench::upload(std::span<const std::byte> from, const Slice& to) {
  if (from.empty()) return;
  const auto staging = device_.allocate(from.size(), Memory::pageable);
  if (!staging || staging->data() == nullptr) throw Unsupported{"no pageable memory"};
  std::memcpy(staging->data(), from.data(), from.size());
  copy(to, {staging.get(), 0, from.size()});
}

std::vector<std::byte> Workbench::download(const Slice& from) {
  std::vector<std::byte> data(from.bytes);
  if (data.empty()) return data;
  const auto staging = device_.allocate(data.size(), Memory::pageable);
  if (!staging || staging->data() == nullptr) throw Unsupported{"no pageable memory"};
  copy({staging.get(), 0, data.size()}, from);
  std::memcpy(data.data(), staging->data(), data.size());
  return data;
}

void Workbench::poison(const Slice& slice) {
  std::vector<std::byte> data(slice.bytes);
  breakeven::poison(data);
  upload(data, slice);
}

void Workbench::poison_end(const Slice& slice) {
  const std::size_t bytes = std::min<std::size_t>(slice.bytes, 64);
  poison({slice.buffer, slice.offset + slice.bytes - bytes, bytes});
}

}  // namespace breakeven
