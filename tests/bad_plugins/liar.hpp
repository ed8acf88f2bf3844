// SPDX-License-Identifier: Apache-2.0
// A backend that works inside `enqueue`. What lies about its times overrides one thing of it.
#pragma once

#include <cmath>
#include <span>

#include "tests/bad_plugins/sound.hpp"

namespace breakeven::zoo {

class LiarQueue : public SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 protected:
  struct InlineTask : SoundTask {
    using SoundTask::SoundTask;
    void enqueue() override { work()(); }
  };

  std::unique_ptr<breakeven::Task> make_task(Work work) override {
    return std::make_unique<InlineTask>(lane_, std::move(work));
  }

  void compute(const Gemm& gemm) {
    SoundQueue::product(gemm, reinterpret_cast<const float*>(start(gemm.a)),
                        reinterpret_cast<const float*>(start(gemm.b)),
                        reinterpret_cast<float*>(start(gemm.c)));
  }

  // What is done for each repetition of a product.
  virtual Work work_of(const Gemm& gemm) = 0;

  std::unique_ptr<breakeven::Task> prepare_gemm(const Gemm& gemm) override {
    if (!SoundQueue::prepare_gemm(gemm)) return nullptr;
    return make_task(work_of(gemm));
  }

  static std::span<const float> numbers(const Slice& slice) {
    return {reinterpret_cast<const float*>(start(slice)), slice.bytes / sizeof(float)};
  }
  // Every `step`th number, in one.
  static double digest(const Slice& slice, std::size_t step) {
    double sum = 0, place = 1;
    const auto all = numbers(slice);
    for (std::size_t i = 0; i < all.size(); i += step) sum += all[i] * ++place;
    return sum;
  }
  static void keep(const Slice& slice, std::vector<char>& copy) {
    copy.assign(start(slice), start(slice) + slice.bytes);
  }
  static void restore(const std::vector<char>& copy, const Slice& slice) {
    std::memcpy(start(slice), copy.data(), copy.size());
  }
};

}  // namespace breakeven::zoo
