// SPDX-License-Identifier: Apache-2.0
// What every case needs of a backend: one queue on one device, and the memory and the tasks that
// live as long. Whatever a backend cannot give is thrown as Unsupported with what was missing.
// Nothing here is for use inside the clock.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/case.hpp"

namespace breakeven {

// Throws Unsupported where the backend has no device of this index.
Device& device_of(Session& session, std::size_t index);

Memory memory_named(std::string_view name);

class Workbench {
 public:
  // Notes in `making`, where there is one, how the tasks that compute are made.
  explicit Workbench(Device& device, Making* making = nullptr);
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;
  // Waits for what is still queued, so that memory may go.
  ~Workbench();

  Device& device() const { return device_; }
  Queue& queue() const { return *queue_; }
  Queue& add_queue();

  // Kept until the workbench goes; the whole buffer.
  Slice allocate(std::size_t bytes, Memory memory = Memory::device, std::size_t granule = 1);

  Task& prepare(const AnyOperation& operation) { return prepare(operation, *queue_); }
  Task& prepare(const AnyOperation& operation, Queue& queue);
  Task& sequence(std::span<Task* const> tasks);

  // Blocking copies between any memory and the caller's.
  void upload(std::span<const std::byte> from, const Slice& to);
  std::vector<std::byte> download(const Slice& from);
  void poison(const Slice& slice);
  // Its last 64 bytes alone: it takes no time, and no check passes until they are written again.
  void poison_end(const Slice& slice);

 private:
  void copy(const Slice& to, const Slice& from);

  Device& device_;
  Making* making_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Queue>> more_queues_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace breakeven
