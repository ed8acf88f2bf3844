// SPDX-License-Identifier: Apache-2.0
// computes in f32 whatever the type is
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> prepare_gemm(const Gemm& gemm) override {
    if (gemm.type <= Type::bf16 && gemm.math <= Math::tf32) return SoundQueue::prepare_gemm(gemm);
    Gemm as_f32 = gemm;
    as_f32.type = Type::f32;
    as_f32.math = Math::native;
    return SoundQueue::prepare_gemm(as_f32);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "takes-every-type",
    .version = "0.1.0",
    .description = "computes in f32 whatever the type is",
    .create = zoo::create_with_queue<BadQueue>,
};
