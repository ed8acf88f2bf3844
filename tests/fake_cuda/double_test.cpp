// SPDX-License-Identifier: Apache-2.0
// The double is as strict as it claims.
#include <cstddef>
#include <cstring>
#include <thread>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "double/memory.hpp"
#include "harness.hpp"

namespace breakeven::test {
namespace {

struct Place {
  cudaStream_t stream = nullptr;
  char* device = nullptr;
  char* host = nullptr;

  Place() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(reinterpret_cast<void**>(&device), 64);
    cudaHostAlloc(reinterpret_cast<void**>(&host), 64, 0);
    std::memset(host, 1, 64);
  }
};

TEST(FakeCuda, HostFaultsOnDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const Place place;
        volatile char touched = *place.device;
        static_cast<void>(touched);
      },
      "");
}

TEST(FakeCuda, CopyInTheWrongDirectionFails) {
  expect_passes({}, [] {
    const Place p;
    EXPECT_EQ(cudaMemcpyAsync(p.device, p.host, 64, cudaMemcpyDeviceToHost, p.stream),
              cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemcpyAsync(p.host, p.device, 64, cudaMemcpyHostToDevice, p.stream),
              cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemcpyAsync(p.device, p.host, 64, cudaMemcpyHostToDevice, p.stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(p.device, p.host, 65, cudaMemcpyHostToDevice, p.stream),
              cudaErrorInvalidValue);
  });
}

TEST(FakeCuda, WorkIsNotDoneBeforeItIsWaitedFor) {
  expect_passes({{"FAKE_CUDA_SLOW", "*:20000"}}, [] {
    const Place p;
    cudaEvent_t start = nullptr, end = nullptr;
    cudaEventCreateWithFlags(&start, 0);
    cudaEventCreateWithFlags(&end, 0);
    cudaEventRecord(start, p.stream);
    cudaMemcpyAsync(p.device, p.host, 64, cudaMemcpyHostToDevice, p.stream);
    cudaEventRecord(end, p.stream);
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamSynchronize(p.stream), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    EXPECT_GE(milliseconds, 20);
  });
}

TEST(FakeCuda, StreamsBelongToOneDevice) {
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    const Place p;
    cudaEvent_t event = nullptr;
    cudaSetDevice(1);
    cudaEventCreateWithFlags(&event, 0);
    EXPECT_EQ(cudaEventRecord(event, p.stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  });
}

TEST(FakeCuda, WritingBesideAnAllocationIsSeenWhenItIsFreed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const Place p;
        fake_cuda::range_of(p.device, 64).bytes[64] = std::byte{0};
        cudaFree(p.device);
      },
      "wrote beside an allocation of 64 bytes on GPU 0");
}

// cuBLAS manual, table of cublasGemmEx.
TEST(FakeCuda, ProductsOfTypesThatDoNotGoTogetherFail) {
  expect_passes({}, [] {
    const Place p;
    cublasHandle_t handle = nullptr;
    cublasCreate(&handle);
    cublasSetStream(handle, p.stream);
    cublasSetWorkspace(handle, p.device, 64);
    const auto status = [&](cudaDataType from, cudaDataType to, cublasComputeType_t computed) {
      const double wide = 1;
      const float narrow = 1;
      const void* const one =
          computed == CUBLAS_COMPUTE_64F ? static_cast<const void*>(&wide) : &narrow;
      return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, one, p.device, from, 1,
                          p.device + 16, from, 1, one, p.device + 32, to, 1, computed,
                          CUBLAS_GEMM_DEFAULT);
    };
    for (const cudaDataType from : {CUDA_R_16F, CUDA_R_16BF})
      for (const cudaDataType to : {from, CUDA_R_32F})
        EXPECT_EQ(status(from, to, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_SUCCESS) << from << to;
    const auto refused = CUBLAS_STATUS_NOT_SUPPORTED;
    EXPECT_EQ(status(CUDA_R_16BF, CUDA_R_16F, CUBLAS_COMPUTE_32F), refused);
    EXPECT_EQ(status(CUDA_R_16BF, CUDA_R_64F, CUBLAS_COMPUTE_32F), refused);
    EXPECT_EQ(status(CUDA_R_32F, CUDA_R_16BF, CUBLAS_COMPUTE_32F), refused);
    EXPECT_EQ(status(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32), refused);
    EXPECT_EQ(status(CUDA_R_64F, CUDA_R_32F, CUBLAS_COMPUTE_64F), refused);
    EXPECT_EQ(status(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F), refused);
    cudaStreamSynchronize(p.stream);
  });
}

TEST(FakeCuda, MemoryIsRegisteredOnceAndByWholePages) {
  expect_passes({}, [] {
    const Place p;
    alignas(4096) static std::byte pages[3 * 4096];
    EXPECT_EQ(cudaHostRegister(pages + 64, 4096, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(pages, 4097, 0), cudaSuccess);
    EXPECT_EQ(cudaHostRegister(pages, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostRegister(pages + 4096, 8192, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostRegister(pages + 8192, 4096, 0), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pages), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostUnregister(pages + 4096), cudaErrorHostMemoryNotRegistered);
    EXPECT_EQ(cudaHostUnregister(pages), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(pages), cudaErrorHostMemoryNotRegistered);
  });
}

// A graph holds copies from pinned memory alone.
TEST(FakeCuda, RegisteredMemoryIsPinned) {
  expect_passes({}, [] {
    const Place p;
    alignas(4096) static std::byte pages[4096];
    const auto recorded = [&] {
      cudaGraph_t graph = nullptr;
      cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal);
      const cudaError_t status =
          cudaMemcpyAsync(p.device, pages, 64, cudaMemcpyHostToDevice, p.stream);
      cudaStreamEndCapture(p.stream, &graph);
      return status;
    };
    EXPECT_EQ(recorded(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaHostRegister(pages, 4096, 0), cudaSuccess);
    EXPECT_EQ(recorded(), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(p.device, pages + 4090, 7, cudaMemcpyHostToDevice, p.stream),
              cudaErrorInvalidValue);
  });
}

TEST(FakeCuda, AllocatingWhileAStreamIsCapturedFails) {
  expect_passes({}, [] {
    const Place p;
    void* more = nullptr;
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&more, 64), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamEndCapture(p.stream, &graph), cudaSuccess);
  });
}

}  // namespace
}  // namespace breakeven::test
