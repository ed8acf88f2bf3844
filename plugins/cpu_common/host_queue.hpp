// SPDX-License-Identifier: Apache-2.0
// A queue that does its work inside enqueue, in the calling thread: what was handed over is done,
// so waiting costs nothing and an event is a reading of the host's clock.
#pragma once

#include <breakeven/plugin.hpp>
#include <string_view>

namespace breakeven::cpu {

class HostQueue : public Queue {
 public:
  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) final;
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) final;
  std::unique_ptr<Event> event() final;
  void record(Event& event) final;
  void wait(const Event&) final {}
  void synchronize() final {}

 protected:
  explicit HostQueue(Device& device) : device_(device) {}

  // The memory of an operand of a computing operation. Throws std::invalid_argument where it lies
  // on another device (naming both) or is smaller than `bytes`.
  template <class T>
  T* operand(const Slice& slice, std::size_t count, std::string_view name) const {
    return static_cast<T*>(operand_data(slice, count, sizeof(T), name));
  }

  // What is neither nothing nor a copy. Null: not supported.
  virtual std::unique_ptr<Task> compute(const AnyOperation& operation) = 0;

 private:
  void* operand_data(const Slice& slice, std::size_t count, std::size_t element_bytes,
                     std::string_view name) const;

  Device& device_;
};

// Throws std::invalid_argument where it does not fit: sizes are checked, not wrapped.
std::size_t checked_product(std::size_t a, std::size_t b, std::size_t c = 1);

// A task that calls `work()`, which must not allocate.
template <class Work>
std::unique_ptr<Task> make_task(Work work, const TaskInfo& info = {}) {
  class WorkTask final : public Task {
   public:
    WorkTask(Work w, const TaskInfo& told) : work_(std::move(w)), info_(told) {}
    void enqueue() override { work_(); }
    TaskInfo info() const override { return info_; }

   private:
    Work work_;
    TaskInfo info_;
  };
  return std::make_unique<WorkTask>(std::move(work), info);
}

}  // namespace breakeven::cpu
