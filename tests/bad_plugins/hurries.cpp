// SPDX-License-Identifier: Apache-2.0
// is done before its work is, which a thread does once for all repetitions
#include <atomic>

#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;
  void synchronize() override {}

 private:
  struct Background final : zoo::SoundTask {
    Background(zoo::Lane& lane, zoo::Work work)
        : SoundTask(lane,
                    [this, todo = std::move(work)] {
                      waits = false;
                      todo();
                    }),
          lane_(lane) {}
    ~Background() override { lane_.drain(); }
    void enqueue() override {
      if (!waits.exchange(true)) SoundTask::enqueue();
    }
    std::atomic<bool> waits = false;
    zoo::Lane& lane_;
  };

  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm] { compute(gemm); };
  }

  std::unique_ptr<breakeven::Task> prepare_gemm(const Gemm& gemm) override {
    if (!SoundQueue::prepare_gemm(gemm)) return nullptr;
    return std::make_unique<Background>(lane_, work_of(gemm));
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([this, copy] {
      lane_.drain();
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
    });
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "hurries",
    .version = "0.1.0",
    .description = "is done before its work is, which a thread does once for all repetitions",
    .create = zoo::create_with_queue<BadQueue>,
};
