// SPDX-License-Identifier: Apache-2.0
// The same work through a plugin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <breakeven/plugin.hpp>

#include "tests/gpu/blocks.hpp"

namespace breakeven::gpu {

// Throws std::runtime_error with the plugin's reason where it cannot be used here.
std::unique_ptr<Backend> load(const std::string& plugin);

// A queue of one device, its buffers and its tasks.
class Bench {
 public:
  explicit Bench(Device& device) : device_(device), queue_(device.queue()) {}

  Queue& queue() { return *queue_; }
  Slice memory(std::size_t bytes, Memory memory = Memory::device);
  Slice reals(Type type, std::size_t count, unsigned seed);

  // Throws std::runtime_error where it is not supported.
  Task& prepare(const Operation& operation);
  Task& product(Type type, Math math, std::size_t n, std::size_t batch = 1);

 private:
  Device& device_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

Block run(Bench& bench, Task& task);      // until done
Block enqueue(Bench& bench, Task& task);  // until handed over

}  // namespace breakeven::gpu
