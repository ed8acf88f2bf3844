// SPDX-License-Identifier: Apache-2.0
// records only the last task of a sequence
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

  std::unique_ptr<breakeven::Task> sequence(std::span<breakeven::Task* const> tasks) override {
    return SoundQueue::sequence(tasks.last(1));
  }

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm] { compute(gemm); };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "drops-repeats",
    .version = "0.1.0",
    .description = "records only the last task of a sequence",
    .create = zoo::create_with_queue<BadQueue>,
};
