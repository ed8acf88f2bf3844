// SPDX-License-Identifier: Apache-2.0
// takes its operands as f16 from the ninth repetition on
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, times = 0]() mutable {
      if (++times <= 8) return compute(gemm);
      const auto rounded = [](const Slice& slice) {
        std::vector<float> values(numbers(slice).begin(), numbers(slice).end());
        for (float& value : values) value = std::round(value * 0x1p10F) * 0x1p-10F;
        return values;
      };
      product(gemm, rounded(gemm.a).data(), rounded(gemm.b).data(),
              reinterpret_cast<float*>(start(gemm.c)));
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "rounds-to-half",
    .version = "0.1.0",
    .description = "takes its operands as f16 from the ninth repetition on",
    .create = zoo::create_with_queue<BadQueue>,
};
