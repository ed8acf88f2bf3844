// SPDX-License-Identifier: Apache-2.0
// Work of several parts, put together in prepare and handed over as one task.
#pragma once

#include <memory>
#include <vector>

#include <breakeven/plugin.hpp>

#include "plugins/multi_gpu/queue.hpp"
#include "plugins/multi_gpu/spread_buffer.hpp"

namespace breakeven::multi_gpu {

class Plan {
 public:
  explicit Plan(SpreadQueue& queue) : queue_(queue) {}

  void add(std::size_t part, const AnyOperation& operation);
  void add(std::unique_ptr<Task> task);  // null: the plan is not supported
  void fence() { steps_.emplace_back(); }

  // A point in the order of one of the parts' queues, here and every time the task is handed over.
  Event& mark(std::size_t part, Queue& queue);
  void wait(Queue& queue, Event& mark);
  void follow(std::size_t part, Queue& behind, Queue& ahead) { wait(behind, mark(part, ahead)); }

  // Every stretch that lies in one memory on both sides. The queue of the target's part copies, or
  // the source's where the target is on the host, or that part's queue for copies; the caller puts
  // the fences.
  enum class Where : bool { in_order, beside };
  void copy(const Pieces& to, const Pieces& from, Where where = Where::in_order);

  // Memory of the finished task.
  Slice workspace(std::size_t part, std::size_t bytes, Memory memory = Memory::device);

  // Null where a part does not support its share.
  std::unique_ptr<Task> finish();

 private:
  SpreadQueue& queue_;
  std::vector<std::unique_ptr<Task>> steps_;  // null: a fence
  std::vector<std::unique_ptr<Buffer>> memory_;
  std::vector<std::unique_ptr<Event>> marks_;
  bool supported_ = true;
  double copied_bytes_ = 0;
};

}  // namespace breakeven::multi_gpu
