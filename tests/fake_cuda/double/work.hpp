// SPDX-License-Identifier: Apache-2.0
// Something to do later.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace fake_cuda {

// What is made while work is handed over. The suite counts the calls of operator new there, and
// means the plugin's.
struct FromMalloc {
  static void* operator new(std::size_t bytes) {
    if (void* const memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
  }
  static void operator delete(void* memory) { std::free(memory); }
};

class Work {
 public:
  Work() = default;
  template <class Function>
  Work(Function function) : step_(new Holder<Function>(std::move(function))) {}

  explicit operator bool() const { return step_ != nullptr; }
  void operator()() const { step_->run(); }

 private:
  struct Step : FromMalloc {
    virtual ~Step() = default;
    virtual void run() = 0;
  };
  template <class Function>
  struct Holder final : Step {
    explicit Holder(Function held) : function(std::move(held)) {}
    void run() override { function(); }
    Function function;
  };

  std::unique_ptr<Step> step_;
};

}  // namespace fake_cuda
