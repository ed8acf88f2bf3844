// SPDX-License-Identifier: Apache-2.0
// The double notices a synchronisation that is taken away: the same scenario passes with it and
// fails without it, by a stale result or, under ThreadSanitizer, by a race.
#include <chrono>
#include <csignal>
#include <thread>

#include "harness.hpp"
#include "matrices.hpp"

namespace breakeven::test {
namespace {

// Multiply on one queue, read back on it, and look at what came after a pause.
void read_back(std::chrono::milliseconds pause = {}) {
  const auto backend = backend_of("cublas");
  Device& device = *backend->devices().back();
  const auto queue = device.queue();
  Tensor x(device, *queue, Type::f32, 100);
  x.put(Values(100, 3));
  const auto square =
      queue->prepare(MultiplyAdd{Type::f32, 100, x.slice(), x.slice(), x.slice(), x.slice()});
  square->enqueue();
  x.enqueue_get();
  std::this_thread::sleep_for(pause);
  queue->synchronize();
  expect_near(x.seen(), Values(100, 12), 0, "3 · 3 + 3");
}

// Multiply on a slow device, read back by the queue of a fast one after an event.
void hand_over() {
  const auto backend = backend_of("cublas");
  Device& device = *backend->devices()[1];
  const auto first = device.queue(), second = backend->devices()[0]->queue();
  Tensor x(device, *first, Type::f32, 100);
  x.put(Values(100, 3));
  const auto square =
      first->prepare(MultiplyAdd{Type::f32, 100, x.slice(), x.slice(), x.slice(), x.slice()});
  const auto fetch = second->prepare(Copy{x.host(), x.slice()});
  const auto done = first->event();
  for (int i = 0; i < 4; ++i) square->enqueue();
  first->record(*done);
  second->wait(*done);
  fetch->enqueue();
  second->synchronize();
  double expected = 3;
  for (int i = 0; i < 4; ++i) expected = expected * expected + expected;
  expect_near(x.seen(), Values(100, expected), 1e-3 * expected, "squared four times");
}

// Slow enough that a loaded machine does not make up for the wait that is missing.
Environment slow(const char* skipped) {
  return {{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_SLOW", "1:50000"}, {"FAKE_CUDA_SKIP", skipped}};
}

TEST(MissingWait, SynchronizeIsNeededToReadBack) {
  expect_passes(slow(""), [] { read_back(); });
  expect_fails(slow("cudaStreamSynchronize"), [] { read_back(); });
}

TEST(MissingWait, AnEventIsNeededToHandOver) {
  expect_passes(slow(""), hand_over);
  expect_fails(slow("cudaStreamWaitEvent"), hand_over);
}

// The threads of a block, which sum up what their warps left in shared memory.
TEST(MissingWait, ABarrierIsNeededToSumOverABlock) {
  const auto norm = [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    Tensor x(device, *queue, Type::f32, 2048), out(device, *queue, Type::f32, 2);
    x.put(Values(2048, 2));
    queue->prepare(Norm{Type::f32, 1024, 2, x.slice(), out.slice()})->enqueue();
    expect_near(out.get(), {64, 64}, 1e-3, "2 · √1024");
  };
  expect_passes({}, norm);
  expect_fails({{"FAKE_CUDA_SKIP", "__syncthreads"}}, norm);
#ifdef ACCESSES_ARE_WATCHED  // whatever the result
  EXPECT_EXIT(
      run_and_exit({{"FAKE_CUDA_SKIP", "__syncthreads"}}, norm), testing::KilledBySignal(SIGABRT),
      "square_sums<float, true>, block 0: thread .* a byte that with no barrier in between");
#endif
}

#ifdef __SANITIZE_THREAD__
// Where the result happens to be there in time, the race is seen all the same.
TEST(MissingWait, ThreadSanitizerSeesItWhateverTheResult) {
  // The copy has long been done when the host looks.
  const auto late = [] { read_back(std::chrono::milliseconds(500)); };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expect_passes({}, late);
  EXPECT_EXIT(run_and_exit({{"FAKE_CUDA_SKIP", "cudaStreamSynchronize"}}, late),
              testing::ExitedWithCode(66), "data race");
}
#endif

}  // namespace
}  // namespace breakeven::test
