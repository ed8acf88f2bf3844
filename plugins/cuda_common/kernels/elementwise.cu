// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/kernels/elementwise.hpp"

#include <cstdint>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/kernels/by_type.cuh"
#include "plugins/cuda_common/kernels/elementwise_body.cuh"

namespace breakeven::cuda {

constexpr unsigned block = 256;

__device__ std::size_t this_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void nothing() {}

template <class Real, bool packed>
__global__ void multiply_add(std::size_t n, const Real* a, const Real* b, const Real* c,
                             Real* out) {
  elementwise<Real, packed>(this_thread(), n, MultiplyAddOf{}, out, a, b, c);
}

template <class Real, bool packed>
__global__ void hyperbolic_tangent(std::size_t n, const Real* x, Real* out) {
  elementwise<Real, packed>(this_thread(), n, TanhOf{}, out, x);
}

template <class Real, bool packed>
__global__ void tanh_gradient(std::size_t n, const Real* h, const Real* d, Real* out) {
  elementwise<Real, packed>(this_thread(), n, TanhGradientOf{}, out, h, d);
}

namespace {

template <class... Pointers>
bool aligned(const Pointers*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) | ...) & 15) == 0;
}

template <class... Arguments>
void launch(void (*kernel)(std::size_t, Arguments...), std::size_t threads, cudaStream_t stream,
            std::size_t n, Arguments... arguments) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((threads + block - 1) / block);
  kernel<<<blocks, block, 0, stream>>>(n, arguments...);
  CUDA_TRY(cudaGetLastError());
}

template <class Real, class... Arguments>
void launch_either(void (*packed)(std::size_t, Arguments...),
                   void (*scalar)(std::size_t, Arguments...), cudaStream_t stream, std::size_t n,
                   Arguments... arguments) {
  if (aligned(arguments...)) {
    launch(packed, threads_for<Real, true>(n), stream, n, arguments...);
  } else {
    launch(scalar, threads_for<Real, false>(n), stream, n, arguments...);
  }
}

}  // namespace

void launch_nothing(cudaStream_t stream) {
  nothing<<<1, 1, 0, stream>>>();
  CUDA_TRY(cudaGetLastError());
}

void launch_multiply_add(Type type, std::size_t n, const void* a, const void* b, const void* c,
                         void* out, cudaStream_t stream) {
  by_type(type, [&]<class Real>(Real) {
    launch_either<Real>(multiply_add<Real, true>, multiply_add<Real, false>, stream, n,
                        static_cast<const Real*>(a), static_cast<const Real*>(b),
                        static_cast<const Real*>(c), static_cast<Real*>(out));
  });
}

void launch_tanh(Type type, std::size_t n, const void* x, void* out, cudaStream_t stream) {
  by_type(type, [&]<class Real>(Real) {
    launch_either<Real>(hyperbolic_tangent<Real, true>, hyperbolic_tangent<Real, false>, stream, n,
                        static_cast<const Real*>(x), static_cast<Real*>(out));
  });
}

void launch_tanh_gradient(Type type, std::size_t n, const void* h, const void* d, void* out,
                          cudaStream_t stream) {
  by_type(type, [&]<class Real>(Real) {
    launch_either<Real>(tanh_gradient<Real, true>, tanh_gradient<Real, false>, stream, n,
                        static_cast<const Real*>(h), static_cast<const Real*>(d),
                        static_cast<Real*>(out));
  });
}

}  // namespace breakeven::cuda
