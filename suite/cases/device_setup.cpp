// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/device_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "suite/verify/numbers.hpp"
#include "suite/verify/vector_operations.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 3> memory_names{"pageable", "pinned", "device"};

std::string_view name_of_memory(Memory memory) {
  return memory_names.at(static_cast<std::size_t>(memory));
}

std::string describe(const AnyOperation& operation) {
  if (const auto* copy = operation.as<Copy>())
    return fmt::format("a copy from {} to {} memory", name_of_memory(copy->from.buffer->memory()),
                       name_of_memory(copy->to.buffer->memory()));
  if (const auto* gemm = operation.as<Gemm>())
    return fmt::format("a{} product of {}x{}x{} in {}", gemm->batch > 1 ? " batched" : "", gemm->m,
                       gemm->n, gemm->k, type_name(gemm->type, gemm->math));
  for (const VectorOperation& known : vector_operations())
    if (const auto type = known.type_of(operation))
      return fmt::format("{} in {}", known.description, stored_name(*type));
  return "an empty operation";
}

// Empty where the host cannot touch it.
std::span<std::byte> touchable(const Slice& slice) {
  auto* const data = static_cast<std::byte*>(slice.buffer->data());
  return data ? std::span(data + slice.offset, slice.bytes) : std::span<std::byte>();
}

// Whether something is computed, so that it matters how.
bool computes(const AnyOperation& operation) {
  return !operation.as<Nothing>() && !operation.as<Copy>();
}

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

DeviceSetup::DeviceSetup(Device& device, Making* making)
    : device_(device), making_(making), queue_(device.queue()) {}

DeviceSetup::~DeviceSetup() {
  try {
    queue_->synchronize();
    for (const auto& queue : more_queues_) queue->synchronize();
  } catch (const std::exception&) {
    // The failure was thrown where the work was waited for, or nobody asked for its result.
  }
}

Queue& DeviceSetup::add_queue() {
  return *more_queues_.emplace_back(device_.queue());
}

Slice DeviceSetup::allocate(std::size_t bytes, Memory memory, std::size_t granule) {
  auto buffer = device_.allocate(bytes, memory, granule);
  if (!buffer) throw Unsupported{fmt::format("no {} memory", name_of_memory(memory))};
  buffers_.push_back(std::move(buffer));
  return {buffers_.back().get(), 0, bytes};
}

Task& DeviceSetup::prepare(const AnyOperation& operation, Queue& queue) {
  auto task = queue.prepare_any(operation);
  if (!task) throw Unsupported{describe(operation)};
  if (making_ && computes(operation)) making_->add(task->info());
  return *tasks_.emplace_back(std::move(task));
}

Task& DeviceSetup::sequence(std::span<Task* const> tasks) {
  auto task = queue_->sequence(tasks);
  if (!task) throw Unsupported{"a recorded sequence of tasks"};
  return *tasks_.emplace_back(std::move(task));
}

void DeviceSetup::copy(const Slice& to, const Slice& from) {
  const AnyOperation operation = Copy{to, from};
  const auto task = queue_->prepare_any(operation);
  if (!task) throw Unsupported{describe(operation)};
  task->enqueue();
  queue_->synchronize();
}

std::unique_ptr<Buffer> DeviceSetup::staging(std::size_t bytes) {
  auto buffer = device_.allocate(bytes, Memory::pageable);
  if (!buffer || buffer->data() == nullptr) throw Unsupported{"no pageable memory"};
  return buffer;
}

// `work` gets what lies in the piece, what lies in the slice, and where in it that is.
template <typename Work>
void DeviceSetup::in_pieces(const Slice& slice, Work work) {
  if (!piece_) piece_ = staging(piece_bytes);
  for (std::size_t at = 0; at < slice.bytes; at += piece_bytes) {
    const std::size_t bytes = std::min(piece_bytes, slice.bytes - at);
    work(Slice{piece_.get(), 0, bytes}, Slice{slice.buffer, slice.offset + at, bytes}, at);
  }
}

void DeviceSetup::upload(std::span<const std::byte> from, const Slice& to) {
  if (from.empty()) return;
  if (renewing_) written_.push_back(to);
  in_pieces(to, [&](const Slice& here, const Slice& there, std::size_t at) {
    std::memcpy(piece_->data(), from.data() + at, here.bytes);
    copy(there, here);
  });
}

void DeviceSetup::write(std::span<const std::byte> from, const Slice& to) {
  const std::span<std::byte> there = touchable(to);
  if (there.empty()) return upload(from, to);
  if (renewing_) written_.push_back(to);
  std::memcpy(there.data(), from.data(), from.size());
}

std::vector<std::byte> DeviceSetup::download(const Slice& from) {
  std::vector<std::byte> data(from.bytes);
  if (data.empty()) return data;
  // What the host may touch has to be there, without being asked for.
  if (from.buffer->memory() != Memory::device && from.buffer->data() != nullptr) {
    std::memcpy(data.data(), static_cast<const std::byte*>(from.buffer->data()) + from.offset,
                data.size());
    return data;
  }
  in_pieces(from, [&](const Slice& here, const Slice& there, std::size_t at) {
    copy(here, there);
    std::memcpy(data.data() + at, piece_->data(), here.bytes);
  });
  return data;
}

void DeviceSetup::poison(const Slice& slice) {
  if (renewing_) written_.push_back(slice);
  if (const std::span<std::byte> there = touchable(slice); !there.empty())
    return breakeven::poison(there);
  if (!poison_) {
    poison_ = staging(piece_bytes);
    breakeven::poison({static_cast<std::byte*>(poison_->data()), piece_bytes});
  }
  for (std::size_t at = 0; at < slice.bytes; at += piece_bytes) {
    const std::size_t bytes = std::min(piece_bytes, slice.bytes - at);
    copy({slice.buffer, slice.offset + at, bytes}, {poison_.get(), 0, bytes});
  }
}

void DeviceSetup::begin_renewal() {
  renewing_ = true;
  written_.clear();
}

void DeviceSetup::bring_to_caches(const Slice& slice) {
  if (touchable(slice).empty())
    read(slice);
  else if (renewing_)
    written_.push_back(slice);
}

bool DeviceSetup::touch() {
  constexpr std::size_t line = 64;
  bool all = true;
  for (const Slice& slice : written_) {
    auto* const bytes = static_cast<volatile std::byte*>(slice.buffer->data());
    all = all && bytes;
    for (std::size_t at = 0; bytes && at < slice.bytes; at += line)
      bytes[slice.offset + at] = bytes[slice.offset + at];
  }
  return all;
}

template <typename Poison>
void DeviceSetup::at_places(const Slice& slice, Poison poison) {
  constexpr std::size_t places = 4, bytes = 64;
  if (slice.bytes <= places * bytes) return poison(slice);
  for (std::size_t i = 0; i < places; ++i)
    poison(Slice{slice.buffer, slice.offset + random() % (slice.bytes / bytes) * bytes, bytes});
}

void DeviceSetup::poison_places(const Slice& slice) {
  at_places(slice, [this](const Slice& place) { poison(place); });
}

bool DeviceSetup::poison_places_unseen(const Slice& slice) {
  if (touchable(slice).empty()) return false;
  at_places(slice, [this](const Slice& place) {
    breakeven::poison(poisoned_.emplace_back(touchable(place)));
  });
  return true;
}

bool DeviceSetup::is_poison_gone() {
  const bool gone =
      std::none_of(poisoned_.begin(), poisoned_.end(),
                   [](std::span<const std::byte> place) { return holds_poison(place); });
  poisoned_.clear();
  return gone;
}

bool DeviceSetup::read(const Slice& slice) {
  bool clean = true;
  in_pieces(slice, [&](const Slice& here, const Slice& there, std::size_t) {
    copy(here, there);
    clean = clean && !holds_poison({static_cast<const std::byte*>(piece_->data()), here.bytes});
  });
  return clean;
}

}  // namespace breakeven
