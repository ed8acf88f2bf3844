// SPDX-License-Identifier: Apache-2.0
// The backend `serial` as a build that became 3 % slower would be: each task is followed by a delay
// of 3 % of what it took. For measure_pairs.py.
#include <array>
#include <breakeven/plugin.hpp>
#include <chrono>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/serial/queue.hpp"

namespace breakeven {

namespace {

using Clock = std::chrono::steady_clock;

class SlowedTask final : public Task {
 public:
  explicit SlowedTask(std::unique_ptr<Task> task) : task_(std::move(task)) {}

  void enqueue() override {
    const auto begin = Clock::now();
    task_->enqueue();
    const auto end = Clock::now();
    const auto until = end + (end - begin) * 3 / 100;
    while (Clock::now() < until) {
    }
  }
  TaskInfo info() const override { return task_->info(); }

 private:
  std::unique_ptr<Task> task_;
};

class SlowedQueue final : public cpu::HostQueue {
 public:
  explicit SlowedQueue(Device& device)
      : HostQueue(device), sound_(device, serial::best_variant(), {}) {}

 private:
  std::unique_ptr<Task> compute(const AnyOperation& operation) override {
    auto task = sound_.prepare_any(operation);
    return task ? std::make_unique<SlowedTask>(std::move(task)) : nullptr;
  }

  serial::SerialQueue sound_;
};

class SlowedCore final : public cpu::HostDevice {
 public:
  using HostDevice::HostDevice;
  std::unique_ptr<Queue> queue() override { return std::make_unique<SlowedQueue>(*this); }
};

class SlowedBackend final : public Backend {
 public:
  std::span<Device* const> devices() override { return devices_; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

 private:
  cpu::Processors processors_;
  SlowedCore core_{processors_, 0};
  std::array<Device*, 1> devices_{&core_};
};

}  // namespace

}  // namespace breakeven

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "serial",
    .version = "0.1.0",
    .description = "one core, 3 % slower than it might be",
    .options = {},
    .probe = []() -> const char* { return nullptr; },
    .create = [](std::span<const breakeven::Variable>) -> std::unique_ptr<breakeven::Backend> {
      return std::make_unique<breakeven::SlowedBackend>();
    },
};
