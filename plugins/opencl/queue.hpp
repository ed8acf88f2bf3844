// SPDX-License-Identifier: Apache-2.0
// Work in order on one device, whatever order the runtime would like.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>

#include "plugins/opencl/device.hpp"
#include "plugins/opencl/handle.hpp"

namespace breakeven::opencl {

class OpenClQueue final : public Queue {
 public:
  explicit OpenClQueue(OpenClDevice& device);

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override;
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override;
  std::unique_ptr<Event> event() override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void synchronize() override;

 private:
  OpenClDevice& device_;
  CommandQueue queue_;
};

}  // namespace breakeven::opencl
