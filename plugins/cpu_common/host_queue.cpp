// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/host_queue.hpp"

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cpu_common/copy_bytes.hpp"

namespace breakeven::cpu {

namespace {

using HostClock = std::chrono::steady_clock;

class HostEvent final : public Event {
 public:
  void record() { time_ = HostClock::now(); }

  double since(const Event& start) const override {
    const auto& from = static_cast<const HostEvent&>(start);
    if (!time_ || !from.time_) return -1;
    return std::chrono::duration<double>(*time_ - *from.time_).count();
  }

 private:
  std::optional<HostClock::time_point> time_;
};

void check_bounds(const Slice& slice, std::string_view name) {
  const std::string operand(name);
  if (!slice.buffer) throw std::invalid_argument("operand " + operand + " has no buffer");
  if (slice.offset > slice.buffer->bytes() || slice.bytes > slice.buffer->bytes() - slice.offset)
    throw std::invalid_argument("operand " + operand + " ends beyond its buffer of " +
                                std::to_string(slice.buffer->bytes()) + " bytes");
}

std::byte* data_of(const Slice& slice) {
  return slice.buffer->data() ? static_cast<std::byte*>(slice.buffer->data()) + slice.offset
                              : nullptr;
}

std::unique_ptr<Task> copy(const Copy& copy) {
  check_bounds(copy.to, "to");
  check_bounds(copy.from, "from");
  if (copy.to.bytes != copy.from.bytes)
    throw std::invalid_argument("copy of " + std::to_string(copy.from.bytes) + " bytes to " +
                                std::to_string(copy.to.bytes));
  std::byte* to = data_of(copy.to);
  const std::byte* from = data_of(copy.from);
  if (!to || !from) return nullptr;
  return make_task([to, from, bytes = copy.to.bytes] { copy_bytes(to, from, bytes); });
}

}  // namespace

std::unique_ptr<Task> HostQueue::prepare_any(const AnyOperation& operation) {
  if (operation.as<Nothing>()) return make_task([] {});
  if (const auto* c = operation.as<Copy>()) return copy(*c);
  return compute(operation);
}

std::unique_ptr<Task> HostQueue::sequence(std::span<Task* const> tasks) {
  return make_task([all = std::vector<Task*>(tasks.begin(), tasks.end())] {
    for (Task* task : all) task->enqueue();
  });
}

std::unique_ptr<Event> HostQueue::event() {
  return std::make_unique<HostEvent>();
}

void HostQueue::record(Event& event) {
  static_cast<HostEvent&>(event).record();
}

void* HostQueue::operand_data(const Slice& slice, std::size_t count, std::size_t element_bytes,
                              std::string_view name) const {
  check_bounds(slice, name);
  if (&slice.buffer->device() != &device_)
    throw std::invalid_argument("operand " + std::string(name) + " lies on " +
                                std::string(slice.buffer->device().info().name) +
                                " but the queue computes on " + std::string(device_.info().name));
  if (slice.bytes < checked_product(count, element_bytes))
    throw std::invalid_argument("operand " + std::string(name) + " has " +
                                std::to_string(slice.bytes) + " bytes and needs " +
                                std::to_string(count * element_bytes));
  if (slice.offset % element_bytes != 0)
    throw std::invalid_argument("operand " + std::string(name) + " starts inside an element, at " +
                                std::to_string(slice.offset) + " bytes");
  return data_of(slice);
}

std::size_t checked_product(std::size_t a, std::size_t b, std::size_t c) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, c, &product))
    throw std::invalid_argument("sizes multiply to more than memory can hold");
  return product;
}

}  // namespace breakeven::cpu
