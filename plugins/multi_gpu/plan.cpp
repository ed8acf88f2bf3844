// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/plan.hpp"

#include <algorithm>
#include <utility>

namespace breakeven::multi_gpu {

namespace {

class Record final : public Task {
 public:
  Record(Queue& queue, Event& mark) : queue_(queue), mark_(mark) {}
  void enqueue() override { queue_.record(mark_); }

 private:
  Queue& queue_;
  Event& mark_;
};

class Wait final : public Task {
 public:
  Wait(Queue& queue, Event& mark) : queue_(queue), mark_(mark) {}
  void enqueue() override { queue_.wait(mark_); }

 private:
  Queue& queue_;
  Event& mark_;
};

class PlannedTask final : public Task {
 public:
  PlannedTask(SpreadQueue& queue, std::vector<std::unique_ptr<Task>> steps,
              std::vector<std::unique_ptr<Buffer>> memory,
              std::vector<std::unique_ptr<Event>> marks, double copied_bytes)
      : queue_(queue),
        memory_(std::move(memory)),
        marks_(std::move(marks)),
        steps_(std::move(steps)) {
    for (const auto& step : steps_) {
      const TaskInfo one = step ? step->info() : TaskInfo();
      if (one.author == Author::untold) continue;
      if (info_.author == Author::untold)
        info_ = one;
      else if (info_.author != one.author)
        info_.author = Author::both;
    }
    info_.exchanged_bytes = copied_bytes;
  }

  void enqueue() override {
    for (const auto& step : steps_) {
      if (step) {
        step->enqueue();
      } else {
        queue_.fence();
      }
    }
  }

  // Of its parts, which do the same; the routine is the first one's.
  TaskInfo info() const override { return info_; }

 private:
  SpreadQueue& queue_;
  std::vector<std::unique_ptr<Buffer>> memory_;
  std::vector<std::unique_ptr<Event>> marks_;
  std::vector<std::unique_ptr<Task>> steps_;
  TaskInfo info_;
};

Slice within(const Piece& piece, std::size_t begin, std::size_t bytes) {
  return {piece.inner.buffer, piece.inner.offset + (begin - piece.begin), bytes};
}

}  // namespace

void Plan::add(std::size_t part, const AnyOperation& operation) {
  if (supported_) add(queue_.queue(part).prepare_any(operation));
}

void Plan::add(std::unique_ptr<Task> task) {
  supported_ = supported_ && task != nullptr;
  if (task) steps_.push_back(std::move(task));
}

Event& Plan::mark(std::size_t part, Queue& queue) {
  Event& made = *marks_.emplace_back(order_on(queue_.device(part)));
  steps_.push_back(std::make_unique<Record>(queue, made));
  return made;
}

void Plan::wait(Queue& queue, Event& mark) {
  steps_.push_back(std::make_unique<Wait>(queue, mark));
}

void Plan::copy(const Pieces& to, const Pieces& from, Where where) {
  auto target = to.begin();
  auto source = from.begin();
  while (target != to.end() && source != from.end()) {
    const std::size_t begin = std::max(target->begin, source->begin);
    const std::size_t target_end = target->begin + target->inner.bytes;
    const std::size_t source_end = source->begin + source->inner.bytes;
    const std::size_t bytes = std::min(target_end, source_end) - begin;
    if (target->part != source->part) copied_bytes_ += static_cast<double>(bytes);
    std::size_t owner = target->part != host ? target->part : source->part;
    if (owner == host) owner = 0;
    Queue& queue = where == Where::beside ? queue_.copies(owner) : queue_.queue(owner);
    add(queue.prepare_any(Copy{within(*target, begin, bytes), within(*source, begin, bytes)}));
    if (target_end <= source_end) ++target;
    if (source_end <= target_end) ++source;
  }
}

Slice Plan::workspace(std::size_t part, std::size_t bytes, Memory memory) {
  memory_.push_back(queue_.device(part).allocate(bytes, memory));
  return {memory_.back().get(), 0, bytes};
}

std::unique_ptr<Task> Plan::finish() {
  if (!supported_) return nullptr;
  return std::make_unique<PlannedTask>(queue_, std::move(steps_), std::move(memory_),
                                       std::move(marks_), copied_bytes_);
}

}  // namespace breakeven::multi_gpu
