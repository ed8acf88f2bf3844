// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/bare.hpp"

#include <cstring>

#include "plugins/cublas/handle.hpp"
#include "plugins/cuda_common/check.hpp"
#include "tests/gpu/numbers.hpp"

namespace breakeven::gpu {

namespace {

std::size_t workspace_bytes() {
  cudaDeviceProp gpu{};
  CUDA_TRY(cudaGetDeviceProperties(&gpu, 0));
  return cublas::recommended_workspace(10 * gpu.major + gpu.minor);
}

void* uploaded(const std::vector<std::byte>& bytes) {
  void *device = nullptr, *host = nullptr;
  cudaStream_t stream = nullptr;
  CUDA_TRY(cudaMalloc(&device, bytes.size()));
  CUDA_TRY(cudaHostAlloc(&host, bytes.size(), cudaHostAllocDefault));
  CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::memcpy(host, bytes.data(), bytes.size());
  CUDA_TRY(cudaMemcpyAsync(device, host, bytes.size(), cudaMemcpyHostToDevice, stream));
  CUDA_TRY(cudaStreamSynchronize(stream));
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
  return device;
}

cudaDataType stored(Type type) {
  switch (type) {
    case Type::f64:
      return CUDA_R_64F;
    case Type::f16:
      return CUDA_R_16F;
    case Type::bf16:
      return CUDA_R_16BF;
    case Type::f32:
      break;
  }
  return CUDA_R_32F;
}

}  // namespace

BareProduct::BareProduct(Type type, Math math, std::size_t n)
    : type_(type), math_(math), n_(static_cast<int>(n)) {
  const cublas::Library& cublas = cublas::library();
  CUDA_TRY(cudaSetDevice(0));
  CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  const std::size_t bytes = workspace_bytes();
  CUDA_TRY(cudaMalloc(&workspace_, bytes));
  cublas::check(cublas.create(&handle_), "cublasCreate");
  cublas::check(cublas.set_stream(handle_, stream_), "cublasSetStream");
  cublas::check(cublas.set_workspace(handle_, workspace_, bytes), "cublasSetWorkspace");
  cublas::check(cublas.set_math_mode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
                "cublasSetMathMode");
  a_ = uploaded(random_reals(type, n * n, 1));
  b_ = uploaded(random_reals(type, n * n, 2));
  c_ = uploaded(random_reals(type, n * n, 3));
}

BareProduct::~BareProduct() {
  cudaSetDevice(0);
  cublas::library().destroy(handle_);
  for (void* memory : {workspace_, a_, b_, c_}) cudaFree(memory);
  cudaStreamDestroy(stream_);
}

void BareProduct::enqueue_one() {
  const double wide[] = {1, 0};
  const float narrow[] = {1, 0};
  const bool f64 = type_ == Type::f64;
  const void* alpha = f64 ? static_cast<const void*>(&wide[0]) : &narrow[0];
  const void* beta = f64 ? static_cast<const void*>(&wide[1]) : &narrow[1];
  const cublasComputeType_t compute = f64                   ? CUBLAS_COMPUTE_64F
                                      : math_ == Math::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                            : CUBLAS_COMPUTE_32F;
  const cudaDataType type = stored(type_);
  cublas::check(
      cublas::library().gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, alpha, b_, type, n_, a_,
                             type, n_, beta, c_, type, n_, compute, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

Seconds BareProduct::run(std::size_t count) {
  CUDA_TRY(cudaSetDevice(0));
  const Seconds start = now();
  for (std::size_t i = 0; i < count; ++i) enqueue_one();
  CUDA_TRY(cudaStreamSynchronize(stream_));
  return now() - start;
}

Seconds BareProduct::enqueue(std::size_t count) {
  CUDA_TRY(cudaSetDevice(0));
  const Seconds start = now();
  for (std::size_t i = 0; i < count; ++i) enqueue_one();
  const Seconds taken = now() - start;
  CUDA_TRY(cudaStreamSynchronize(stream_));
  return taken;
}

BareCopy::BareCopy(std::size_t bytes, cudaMemcpyKind kind) : bytes_(bytes), kind_(kind) {
  CUDA_TRY(cudaSetDevice(0));
  CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  CUDA_TRY(cudaMalloc(&device_, bytes));
  CUDA_TRY(cudaHostAlloc(&host_, bytes, cudaHostAllocPortable));
  std::memset(host_, 1, bytes);
}

BareCopy::~BareCopy() {
  cudaFree(device_);
  cudaFreeHost(host_);
  cudaStreamDestroy(stream_);
}

Seconds BareCopy::run(std::size_t count) {
  CUDA_TRY(cudaSetDevice(0));
  const bool down = kind_ == cudaMemcpyDeviceToHost;
  const Seconds start = now();
  for (std::size_t i = 0; i < count; ++i)
    CUDA_TRY(
        cudaMemcpyAsync(down ? host_ : device_, down ? device_ : host_, bytes_, kind_, stream_));
  CUDA_TRY(cudaStreamSynchronize(stream_));
  return now() - start;
}

}  // namespace breakeven::gpu
