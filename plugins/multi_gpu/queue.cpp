// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/queue.hpp"

#include <exception>

#include "plugins/multi_gpu/operations.hpp"

namespace breakeven::multi_gpu {

namespace {

std::vector<std::unique_ptr<Queue>> queues_on(std::span<Device* const> parts) {
  std::vector<std::unique_ptr<Queue>> queues;
  for (Device* part : parts) queues.push_back(part->queue());
  return queues;
}

struct Handler {
  SpreadQueue& queue;
  template <class One>
  auto operator()(const One& one) const -> decltype(multi_gpu::prepare(one, queue)) {
    return multi_gpu::prepare(one, queue);
  }
};

}  // namespace

SpreadEvent::SpreadEvent(std::span<const std::unique_ptr<Queue>> queues) {
  for (const auto& queue : queues) events_.push_back(queue->event());
}

SpreadQueue::SpreadQueue(Device& whole, std::span<Device* const> parts)
    : whole_(whole), parts_(parts), queues_(queues_on(parts)), marks_(queues_) {}

std::unique_ptr<Task> SpreadQueue::prepare_any(const AnyOperation& operation) {
  return dispatch(operation, Handler{*this});
}

std::unique_ptr<Event> SpreadQueue::event() {
  return std::make_unique<SpreadEvent>(queues_);
}

void SpreadQueue::record(Event& event) {
  const auto& spread = static_cast<const SpreadEvent&>(event);
  for (std::size_t part = 0; part < parts(); ++part) queue(part).record(spread.of_part(part));
}

void SpreadQueue::wait(const Event& event) {
  const auto& spread = static_cast<const SpreadEvent&>(event);
  for (std::size_t part = 0; part < parts(); ++part) queue(0).wait(spread.of_part(part));
  all_follow_first();
}

void SpreadQueue::synchronize() {
  std::exception_ptr failure;
  for (const auto& queue : queues_) {
    try {
      queue->synchronize();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// By way of the first part: 2 (k - 1) waits instead of k (k - 1).
void SpreadQueue::fence() {
  for (std::size_t part = 1; part < parts(); ++part) {
    queue(part).record(marks_.of_part(part));
    queue(0).wait(marks_.of_part(part));
  }
  all_follow_first();
}

void SpreadQueue::all_follow_first() {
  if (parts() == 1) return;
  queue(0).record(marks_.of_part(0));
  for (std::size_t part = 1; part < parts(); ++part) queue(part).wait(marks_.of_part(0));
}

}  // namespace breakeven::multi_gpu
