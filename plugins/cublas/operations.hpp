// SPDX-License-Identifier: Apache-2.0
// Everything but products: kernels of the suite and norms.
#pragma once

#include <memory>

#include "plugins/cublas/gemm.hpp"

namespace breakeven::cublas {

std::unique_ptr<Task> prepare_nothing(const cuda::Stream& stream);
std::unique_ptr<Task> prepare_multiply_add(const MultiplyAdd& operation,
                                           const cuda::Stream& stream);
std::unique_ptr<Task> prepare_tanh(const Tanh& operation, const cuda::Stream& stream);
std::unique_ptr<Task> prepare_tanh_gradient(const TanhGradient& operation,
                                            const cuda::Stream& stream);

// c = sum + beta c, rounded once: n elements of f32 into as many of `type`, which has 16 bits. With
// beta 0 c is not read.
struct Rounding {
  Type type;
  std::size_t n;
  double beta;
  Slice sum, c;
};
std::unique_ptr<Task> prepare_rounding(const Rounding& rounding, const cuda::Stream& stream);

// One f32 or f64 vector by cuBLAS; batches, which it would take one by one, and 16-bit vectors,
// whose norm it would round to 16 bits, by a kernel of the suite.
std::unique_ptr<Task> prepare_norm(const Norm& operation, cuda::CudaDevice& device,
                                   const cuda::Stream& stream, const GetHandle& handle);

}  // namespace breakeven::cublas
