// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/queue.hpp"

#include <exception>

#include "plugins/cuda_common/device.hpp"
#include "plugins/cuda_common/stream.hpp"
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

std::unique_ptr<Event> order_on(Device& part) {
  const int ordinal = static_cast<const cuda::CudaDevice&>(part).ordinal();
  return std::make_unique<cuda::CudaEvent>(ordinal, cuda::Timing::none);
}

SpreadEvent::SpreadEvent(std::span<Device* const> parts) {
  for (Device* const part : parts) events_.push_back(order_on(*part));
}

SpreadQueue::SpreadQueue(Device& whole, std::span<Device* const> parts, std::size_t overlap_from)
    : whole_(whole),
      parts_(parts),
      overlap_from_(overlap_from),
      queues_(queues_on(parts)),
      copies_(queues_on(parts)),
      marks_(parts) {}

std::unique_ptr<Task> SpreadQueue::prepare_any(const AnyOperation& operation) {
  return dispatch(operation, Handler{*this});
}

std::unique_ptr<Event> SpreadQueue::event() {
  return std::make_unique<SpreadEvent>(parts_);
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
