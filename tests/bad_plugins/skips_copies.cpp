// SPDX-License-Identifier: Apache-2.0
// leaves out a copy where sixteen spots agree
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
    return make_task([copy] {
      const char* const from = start(copy.from);
      char* const to = start(copy.to);
      const std::size_t step = std::max<std::size_t>(1, copy.to.bytes / 16);
      for (std::size_t i = 0; i < copy.to.bytes; i += step)
        if (to[i] != from[i]) {
          std::memmove(to, from, copy.to.bytes);
          return;
        }
    });
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "skips-copies",
    .version = "0.1.0",
    .description = "leaves out a copy where sixteen spots agree",
    .create = zoo::create_with_queue<BadQueue>,
};
