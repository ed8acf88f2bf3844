// SPDX-License-Identifier: Apache-2.0
// What goes wrong on a GPU machine becomes the contract's outcomes, each with one clear line.
#include <array>

#include "harness.hpp"
#include "matrices.hpp"

namespace breakeven::test {
namespace {

void expect_reason(const Environment& environment, const std::string& reason) {
  expect_passes(environment, [reason] {
    const char* found = manifest_of("cublas").probe();
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(std::string(found), reason);
  });
}

TEST(Faults, NoDriver) {
  expect_reason({{"FAKE_CUDA_DRIVER", "none"}}, "no NVIDIA driver");
}

TEST(Faults, NoGpu) {
  expect_reason({{"FAKE_CUDA_DEVICES", "0"}}, "no NVIDIA GPU is visible");
}

TEST(Faults, ADriverThatIsNotReady) {
  expect_reason({{"FAKE_CUDA_FAIL", "cudaGetDeviceCount:1:802"}},
                "the links between the GPUs are not up: start nvidia-fabricmanager");
  expect_reason({{"FAKE_CUDA_FAIL", "cudaGetDeviceCount:1:803"}},
                "the NVIDIA driver's libraries are not those of its kernel module: reboot");
}

TEST(Faults, DriverTooOld) {
  expect_passes({{"FAKE_CUDA_DRIVER", "11040"}}, [] {
    const char* found = manifest_of("cublas").probe();
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(std::string(found).find("the NVIDIA driver knows CUDA up to 11.4, this plugin"), 0u);
  });
}

TEST(Faults, OutOfMemoryIsBadAlloc) {
  expect_passes({{"FAKE_CUDA_FAIL", "cudaMalloc:2:2 cudaHostAlloc:1:2"}}, [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices().front();
    const auto first = device.allocate(64, Memory::device);
    EXPECT_THROW(device.allocate(64, Memory::device), std::bad_alloc);
    EXPECT_NE(device.allocate(64, Memory::device), nullptr);
    EXPECT_THROW(device.allocate(64, Memory::pinned), std::bad_alloc);  // as WSL limits it
    EXPECT_THROW(device.allocate(std::size_t{1} << 40, Memory::device), std::bad_alloc);
  });
}

// More than any address reaches is an invalid value to CUDA.
TEST(Faults, ASizeThatCudaCallsInvalidIsBadAlloc) {
  expect_passes({{"FAKE_CUDA_FAIL", "cudaMalloc:1:1 cudaHostAlloc:1:1"}}, [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices().front();
    EXPECT_THROW(device.allocate(std::size_t{1} << 60, Memory::device), std::bad_alloc);
    EXPECT_THROW(device.allocate(std::size_t{1} << 60, Memory::pinned), std::bad_alloc);
  });
}

TEST(Faults, AFailedCallIsNamedWithItsDevice) {
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_FAIL", "cudaMemcpyAsync@1:1:1"}}, [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices()[1];
    const auto queue = device.queue();
    const auto buffer = device.allocate(64, Memory::device);
    const auto copy = queue->prepare(Copy{Slice{buffer.get(), 0, 64}, Slice{buffer.get(), 0, 64}});
    try {
      copy->enqueue();
      ADD_FAILURE() << "the failure was lost";
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find("cudaMemcpyAsync on GPU 1: "), 0u) << text;
      EXPECT_NE(text.find("(cudaErrorInvalidValue)"), text.npos) << text;
    }
    copy->enqueue();
    queue->synchronize();
  });
}

// A kernel that breaks the context: the next wait says so, and so does everything after it.
TEST(Faults, AStickyErrorLosesTheDeviceAndOnlyThatOne) {
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_FAIL", "kernel@1:2:700"}}, [] {
    const auto backend = backend_of("cublas");
    std::array<std::unique_ptr<Queue>, 2> queues{backend->devices()[0]->queue(),
                                                 backend->devices()[1]->queue()};
    const auto work = queues[1]->prepare(Nothing{});
    work->enqueue();
    queues[1]->synchronize();
    work->enqueue();
    EXPECT_THROW(queues[1]->synchronize(), DeviceLost);
    EXPECT_THROW(work->enqueue(), DeviceLost);
    EXPECT_THROW(backend->devices()[1]->allocate(64, Memory::device), DeviceLost);
    queues[0]->prepare(Nothing{})->enqueue();
    queues[0]->synchronize();
  });
}

TEST(Faults, AStickyErrorUnderCublasIsNotHiddenByItsStatus) {
  expect_passes({{"FAKE_CUDA_FAIL", "cublasGemmEx:1:719"}}, [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    Tensor a(device, *queue, Type::f32, 4), b(device, *queue, Type::f32, 4);
    Tensor c(device, *queue, Type::f32, 4);
    const auto gemm = queue->prepare(
        Gemm{.m = 2, .n = 2, .k = 2, .a = a.slice(), .b = b.slice(), .c = c.slice()});
    EXPECT_THROW(gemm->enqueue(), DeviceLost);
  });
}

// What the first product on the last GPU throws.
std::string failure_of_a_product() {
  const auto backend = backend_of("cublas");
  Device& device = *backend->devices().back();
  const auto queue = device.queue();
  const auto m = device.allocate(16, Memory::device);
  const Slice s{m.get(), 0, 16};
  try {
    queue->prepare(Gemm{.m = 2, .n = 2, .k = 2, .a = s, .b = s, .c = s})->enqueue();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Faults, AFailedCallOfCublasIsNamedAsItsManualDoesWithItsDevice) {
  for (const char* call : {"cublasCreate", "cublasGemmEx"})
    expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_FAIL", std::string(call) + "@1:1:1"}},
                  [call] {
                    EXPECT_EQ(failure_of_a_product(),
                              std::string(call) + " on GPU 1: a failure of the fake cuBLAS");
                  });
}

// It says that its own allocation failed, or, where little is left, that it was not initialized.
TEST(Faults, CublasOutOfMemoryIsBadAlloc) {
  const std::string with_room_for_a_workspace = std::to_string(36 << 20);
  for (const Environment& environment :
       {Environment{{"FAKE_CUDA_FAIL", "cublasCreate:1:2"}},
        Environment{{"FAKE_CUDA_MEMORY", with_room_for_a_workspace}}}) {
    expect_passes(environment, [] {
      const auto backend = backend_of("cublas");
      Device& device = *backend->devices().front();
      const auto queue = device.queue();
      const auto m = device.allocate(16, Memory::device);
      const Slice s{m.get(), 0, 16};
      EXPECT_THROW(queue->prepare(Gemm{.m = 2, .n = 2, .k = 2, .a = s, .b = s, .c = s}),
                   std::bad_alloc);
    });
  }
}

TEST(Faults, AFailedRecordingLeavesTheQueueUsable) {
  expect_passes(
      {{"FAKE_CUDA_FAIL", "cublasGemmEx:1:2 cudaLaunchKernel:1:1 cudaLaunchKernel:1:900"}}, [] {
        const auto backend = backend_of("cublas");
        Device& device = *backend->devices().front();
        const auto queue = device.queue();
        Tensor a(device, *queue, Type::f32, 1), b(device, *queue, Type::f32, 1);
        Tensor c(device, *queue, Type::f32, 1);
        a.put({3});
        b.put({5});
        const auto product = queue->prepare(
            Gemm{.m = 1, .n = 1, .k = 1, .a = a.slice(), .b = b.slice(), .c = c.slice()});
        const auto nothing = queue->prepare(Nothing{});
        EXPECT_THROW(queue->sequence(std::array{product.get()}), std::bad_alloc);
        EXPECT_THROW(queue->sequence(std::array{nothing.get()}), std::runtime_error);
        EXPECT_EQ(queue->sequence(std::array{nothing.get()}), nullptr);  // it cannot be recorded
        product->enqueue();
        queue->synchronize();
        expect_near(c.get(), {15}, 0, "after two recordings that failed");
      });
}

void expect_there_and_back(Device& here, Device& there) {
  const auto queue = here.queue();
  Tensor x(here, *queue, Type::f32, 2);
  x.put({3, 4});
  const auto other = there.allocate(8, Memory::device);
  queue->prepare(Copy{Slice{other.get(), 0, 8}, x.slice()})->enqueue();
  queue->prepare(Copy{x.slice(), Slice{other.get(), 0, 8}})->enqueue();
  expect_near(x.get(), {3, 4}, 0, "there and back");
}

TEST(Faults, BeyondItsLastPeerAGpuCopiesThroughTheHost) {
  expect_passes(
      {{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_FAIL", "cudaDeviceEnablePeerAccess:1:711"}}, [] {
        const auto backend = backend_of("cublas");
        Device &here = *backend->devices()[0], &there = *backend->devices()[1];
        expect_there_and_back(here, there);
      });
}

TEST(Faults, WithoutPeerAccessCopiesGoThroughTheHost) {
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_PEERS", "off"}}, [] {
    const auto backend = backend_of("cublas");
    Device &here = *backend->devices()[0], &there = *backend->devices()[1];
    EXPECT_FALSE(here.reaches(there));
    expect_there_and_back(here, there);
  });
}

}  // namespace
}  // namespace breakeven::test
