// SPDX-License-Identifier: Apache-2.0
// The words of CUDA C++ in kernels, for a C++ compiler: their threads run in tests/support/block.
// Include it before the kernels.
#pragma once

#include <math.h>  // f32 functions for f32, as nvcc has them

#include <cuda_runtime_api.h>

#include "tests/support/block/block.hpp"

namespace fake_cuda {

uint3 thread_index(), block_index();
dim3 block_size(), grid_size();
// Does nothing where the settings skip `__syncthreads`.
void barrier(breakeven::block::Site site);

}  // namespace fake_cuda

#undef __shared__
#define __shared__ static thread_local  // the blocks of a stream run one after the other
#define threadIdx (::fake_cuda::thread_index())
#define blockIdx (::fake_cuda::block_index())
#define blockDim (::fake_cuda::block_size())
#define gridDim (::fake_cuda::grid_size())
#define __syncthreads() ::fake_cuda::barrier({__FILE__, __LINE__})
#define __shfl_down_sync(mask, value, delta) \
  ::breakeven::block::shuffle_down(mask, value, static_cast<unsigned>(delta), {__FILE__, __LINE__})
