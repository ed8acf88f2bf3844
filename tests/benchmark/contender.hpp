// SPDX-License-Identifier: Apache-2.0
// One plugin with one product made ready on its first device.
#pragma once

#include <breakeven/plugin.hpp>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace breakeven {

// a and b of a product, random reals in [-1,1) of f32, f64, bf16 or f16, which all contenders read:
// how fast memory comes from the caches differs from one place to the next, by half where it is
// large. Huge pages, where there are any. Throws std::bad_alloc also where a, b and c together are
// more than the machine has.
class Operands {
 public:
  explicit Operands(const Gemm& gemm);

  std::span<std::byte> a() const { return a_; }
  std::span<std::byte> b() const { return b_; }
  // How far behind a page's begin c is to lie, as if it followed b.
  std::size_t place_of_c() const { return place_of_c_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::span<std::byte> a_, b_;
  std::size_t place_of_c_;
};

class Contender {
 public:
  // A plugin's file, and options that it has. Throws Refusal or std::runtime_error where it cannot
  // be used.
  Contender(const std::string& file, std::span<const Variable> settings);

  void bind_thread() { device_->bind_thread(); }
  // With operands that were made for it and outlive the last run. Where c lies in its page changes
  // the times of small products by several percent: it is the same for every contender. Throws
  // std::runtime_error where the plugin does not support the product.
  void prepare(Gemm gemm, const Operands& operands);
  void run(std::size_t repetitions) {
    for (std::size_t i = 0; i < repetitions; ++i) task_->enqueue();
    queue_->synchronize();
  }
  // Of what the last run left. Throws std::runtime_error where it is wrong.
  void check() const;

 private:
  std::unique_ptr<Backend> backend_;
  Device* device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> a_, b_, c_;
  std::unique_ptr<Task> task_;
  Gemm gemm_;
};

}  // namespace breakeven
