// SPDX-License-Identifier: Apache-2.0
// A queue that is one queue on each part, and one for copies beside it. Work on a part's own memory
// follows that part's order; what crosses parts, or touches the host, stands between fences.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <breakeven/plugin.hpp>

namespace breakeven::multi_gpu {

// Orders, but gives no time: the parts have no common clock.
class SpreadEvent final : public Event {
 public:
  explicit SpreadEvent(std::span<Device* const> parts);
  double since(const Event&) const override { return -1; }
  Event& of_part(std::size_t part) const { return *events_[part]; }

 private:
  std::vector<std::unique_ptr<Event>> events_;
};

// One that only orders, which is cheaper than the contract's.
std::unique_ptr<Event> order_on(Device& part);

class SpreadQueue final : public Queue {
 public:
  SpreadQueue(Device& whole, std::span<Device* const> parts, std::size_t overlap_from);

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override;
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void synchronize() override;  // all parts, also where one has failed

  // Later work of every part starts after earlier work of all parts.
  void fence();

  const Device& whole() const noexcept { return whole_; }
  std::size_t parts() const noexcept { return parts_.size(); }
  Device& device(std::size_t part) const { return *parts_[part]; }
  Queue& queue(std::size_t part) const { return *queues_[part]; }
  // What is put there is followed by waits of the part's own queue.
  Queue& copies(std::size_t part) const { return *copies_[part]; }
  // Bytes of b on a part from which on it is gathered while it is multiplied.
  std::size_t overlap_from() const noexcept { return overlap_from_; }

 private:
  void all_follow_first();

  Device& whole_;
  std::span<Device* const> parts_;
  std::size_t overlap_from_;
  std::vector<std::unique_ptr<Queue>> queues_, copies_;
  SpreadEvent marks_;
};

}  // namespace breakeven::multi_gpu
