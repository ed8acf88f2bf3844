// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include "task.hpp"

namespace breakeven::kokkos {
namespace {

class SpaceQueue final : public Queue {
 public:
  SpaceQueue(const SpaceDevice& device, Space space) : target_{device, std::move(space)} {}

  std::unique_ptr<Task> prepare(const Operation& operation) override {
    return std::visit([this](const auto& asked) { return prepare_one(asked); }, operation);
  }
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    return target_.device.sequence(tasks, target_.space);
  }
  std::unique_ptr<Event> event() override { return target_.device.event(); }
  void record(Event& event) override { target_.device.record(event, target_.space); }
  void wait(const Event& event) override { target_.device.wait(event, target_.space); }
  void synchronize() override { target_.device.synchronize(target_.space); }

 private:
  std::unique_ptr<Task> prepare_one(const Nothing&) {
    return make_task([] {});
  }
  std::unique_ptr<Task> prepare_one(const Copy& copy) {
    if (copy.to.bytes != copy.from.bytes) {
      throw std::invalid_argument("copy: " + std::to_string(copy.from.bytes) + " bytes to " +
                                  std::to_string(copy.to.bytes) + "; make the slices equally long");
    }
    return target_.device.copy(copy, target_.space);
  }
  template <class Asked>
  std::unique_ptr<Task> prepare_one(const Asked& asked) {
    return kokkos::prepare(asked, target_);
  }

  Target target_;
};

const std::string& label_of(const Device& device) {
  return static_cast<const SpaceDevice&>(device).label();
}

}  // namespace

std::unique_ptr<Queue> make_queue(const SpaceDevice& device, Space space) {
  return std::make_unique<SpaceQueue>(device, std::move(space));
}

std::byte* address_of(const Slice& slice, std::size_t bytes, const SpaceDevice& device) {
  const Device& home = slice.buffer->device();
  if (&home != &device) {
    throw std::invalid_argument("operand on " + label_of(home) + ", queue on " + device.label() +
                                "; copy it there first");
  }
  if (slice.bytes < bytes || slice.offset + slice.bytes > slice.buffer->bytes()) {
    throw std::invalid_argument("operand of " + std::to_string(slice.bytes) + " bytes at " +
                                std::to_string(slice.offset) + " where " + std::to_string(bytes) +
                                " are needed; give a longer slice");
  }
  std::byte* const base = device.address(*slice.buffer);
  return base == nullptr ? nullptr : base + slice.offset;
}

}  // namespace breakeven::kokkos
