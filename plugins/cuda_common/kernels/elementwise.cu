// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/kernels/elementwise.hpp"

#include <cstdint>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/kernels/by_type.cuh"
#include "plugins/cuda_common/kernels/elementwise_kernels.cuh"

namespace breakeven::cuda {
namespace {

constexpr unsigned block = 256;

bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}
bool aligned(float) {
  return true;
}

template <class... Arguments>
void launch(void (*kernel)(std::size_t, Arguments...), std::size_t threads, cudaStream_t stream,
            std::size_t n, Arguments... arguments) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((threads + block - 1) / block);
  kernel<<<blocks, block, 0, stream>>>(n, arguments...);
  CUDA_TRY(cudaGetLastError());
}

template <class Widest, class... Arguments>
void launch_either(void (*packed)(std::size_t, Arguments...),
                   void (*scalar)(std::size_t, Arguments...), cudaStream_t stream, std::size_t n,
                   Arguments... arguments) {
  if ((aligned(arguments) && ...)) {
    launch(packed, threads_for<Widest, true>(n), stream, n, arguments...);
  } else {
    launch(scalar, threads_for<Widest, false>(n), stream, n, arguments...);
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

void launch_round_sum(Type type, std::size_t n, const void* sum, float beta, void* c,
                      cudaStream_t stream) {
  const auto round_to = [&]<class Real>(Real) {
    launch_either<float>(round_sum<Real, true>, round_sum<Real, false>, stream, n,
                         static_cast<const float*>(sum), beta, static_cast<Real*>(c));
  };
  if (type == Type::f16) {
    round_to(__half{});
  } else {
    round_to(__nv_bfloat16{});
  }
}

}  // namespace breakeven::cuda
