// SPDX-License-Identifier: Apache-2.0
// One plugin with one product made ready on its first device.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <string>

namespace breakeven {

// Random reals in [-1,1), of f32, f64, bf16 or f16.
void fill(Type type, void* data, std::size_t bytes, unsigned seed);

class Contender {
 public:
  Contender(const char* plugin, std::span<const Variable> settings);

  void bind_thread() { device_->bind_thread(); }
  // Random operands in [-1,1), the same ones for every contender, which lie in their pages as if
  // they followed each other: where that is changes the times of small products by several percent.
  // a and b are those of `lender`, if there is one: it was prepared alike and lives while this one
  // runs. Throws std::runtime_error where the plugin does not support the product.
  void prepare(Gemm gemm, const Contender* lender = nullptr);
  void run(std::size_t repetitions) {
    for (std::size_t i = 0; i < repetitions; ++i) task_->enqueue();
    queue_->synchronize();
  }

 private:
  std::string name_;
  std::unique_ptr<Backend> backend_;
  Device* device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> a_, b_, c_;
  std::unique_ptr<Task> task_;
};

}  // namespace breakeven
