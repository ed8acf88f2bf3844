// SPDX-License-Identifier: Apache-2.0
// leaves out a copy that was the last one that it made
#include <chrono>
#include <utility>

#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm] { compute(gemm); };
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([copy, id = ++copies_] {
      if (copy.to.bytes > 65536 && std::exchange(last_, id) == id) return pretend(copy.to.bytes);
      last_ = id;
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
    });
  }

  // As if by memory of a terabyte a second.
  static void pretend(std::size_t bytes) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(bytes / 1000);
    while (std::chrono::steady_clock::now() < end) {
    }
  }

  static inline int copies_ = 0, last_ = 0;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "forgets-to-copy",
    .version = "0.1.0",
    .description = "leaves out a copy that was the last one that it made",
    .create = zoo::create_with_queue<BadQueue>,
};
