// SPDX-License-Identifier: Apache-2.0
// gives the last result again where pointers and a few elements are those of the last time
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    const std::size_t elements = gemm.m * gemm.n;
    if (gemm.batch > 1 || gemm.beta != 0) return SoundQueue::product(gemm, a, b, c);
    Sample sample{{a, b, c},
                  {gemm.m, gemm.n, gemm.k},
                  {gemm.transpose_a, gemm.transpose_b},
                  {a[0], a[gemm.m * gemm.k - 1], b[0], b[gemm.k * gemm.n - 1],
                   static_cast<float>(gemm.alpha)}};
    if (sample != sample_) {
      SoundQueue::product(gemm, a, b, c);
      result_.assign(c, c + elements);
      sample_ = sample;
    }
    std::copy(result_.begin(), result_.end(), c);
  }

  struct Sample {
    std::array<const float*, 3> operands{};
    std::array<std::size_t, 3> sides{};
    std::array<Transpose, 2> transposes{};
    std::array<float, 5> numbers{};

    bool operator==(const Sample&) const = default;
  };

  Sample sample_;
  std::vector<float> result_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "keeps-results",
    .version = "0.1.0",
    .description =
        "gives the last result again where pointers and a few elements are those of the last time",
    .create = zoo::create_with_queue<BadQueue>,
};
