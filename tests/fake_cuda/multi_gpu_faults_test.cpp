// SPDX-License-Identifier: Apache-2.0
// One device that fails or lags must not hang the others, nor give a wrong result.
#include "harness.hpp"
#include "matrices.hpp"

namespace breakeven::test {
namespace {

// A chain of spread products and copies whose every step reads what other parts just wrote.
void chain(int steps) {
  const auto backend = backend_of("multi-gpu");
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const std::size_t n = 8;
  Values x = integers(n * n, 1, 1);
  const Values shift = [] {
    Values ones(64);
    for (std::size_t i = 0; i < 8; ++i) ones[i * 8 + (i + 1) % 8] = 1;
    return ones;
  }();
  Tensor a(device, *queue, Type::f32, n * n, n * 4), b(device, *queue, Type::f32, n * n, n * 4);
  Tensor c(device, *queue, Type::f32, n * n, n * 4);
  a.put(shift);
  b.put(x);
  Gemm gemm{.m = n, .n = n, .k = n, .a = a.slice(), .b = b.slice(), .c = c.slice()};
  const auto turn = queue->prepare(gemm), back = queue->prepare(Copy{b.slice(), c.slice()});
  for (int step = 0; step < steps; ++step) {
    turn->enqueue();
    back->enqueue();
    x = product(gemm, shift, x, {});
  }
  expect_near(b.get(), x, 0, "chain");
}

TEST(MultiGpuFaults, ASlowDeviceIsWaitedFor) {
  for (const char* slow : {"0:1000", "1:1000", "2:1000"})
    expect_passes({{"FAKE_CUDA_DEVICES", "3"}, {"FAKE_CUDA_SLOW", slow}}, [] { chain(5); });
}

TEST(MultiGpuFaults, WithoutItsWaitsTheChainBreaks) {
  expect_fails({{"FAKE_CUDA_DEVICES", "3"},
                {"FAKE_CUDA_SLOW", "1:20000"},
                {"FAKE_CUDA_SKIP", "cudaStreamWaitEvent"}},
               [] { chain(5); });
}

// The message of the DeviceLost that the scenario ends with.
std::string lost(const std::function<void()>& scenario) {
  try {
    scenario();
  } catch (const DeviceLost& error) {
    return error.what();
  }
  return "nothing was lost";
}

TEST(MultiGpuFaults, AFailingDeviceIsNamedAndNothingHangs) {
  for (const char* fault : {"kernel@1:3:700", "copy@1:4:719"})
    expect_passes({{"FAKE_CUDA_DEVICES", "3"}, {"FAKE_CUDA_FAIL", fault}}, [] {
      const std::string message = lost([] { chain(5); });
      EXPECT_NE(message.find("on GPU 1"), message.npos) << message;
    });
}

TEST(MultiGpuFaults, OnePartOutOfMemoryIsBadAllocAndLeavesTheOthersFree) {
  expect_passes({{"FAKE_CUDA_DEVICES", "3"}, {"FAKE_CUDA_FAIL", "cudaMalloc@1:1:2"}}, [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const std::size_t before = device.info().free_bytes;
    EXPECT_THROW(device.allocate(30000, Memory::device, 100), std::bad_alloc);
    EXPECT_EQ(device.info().free_bytes, before);
    EXPECT_NE(device.allocate(30000, Memory::device, 100), nullptr);
  });
}

}  // namespace
}  // namespace breakeven::test
