// SPDX-License-Identifier: Apache-2.0
// Kernels that touch each element once.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

// All addresses on the stream's device, which is current; n elements each.
void launch_nothing(cudaStream_t stream);
void launch_multiply_add(Type type, std::size_t n, const void* a, const void* b, const void* c,
                         void* out, cudaStream_t stream);
void launch_tanh(Type type, std::size_t n, const void* x, void* out, cudaStream_t stream);
void launch_tanh_gradient(Type type, std::size_t n, const void* h, const void* d, void* out,
                          cudaStream_t stream);

// c = sum + beta c, rounded once: c is of `type`, one of 16 bits, and the sum f32. With beta 0 c is
// not read.
void launch_round_sum(Type type, std::size_t n, const void* sum, float beta, void* c,
                      cudaStream_t stream);

}  // namespace breakeven::cuda
