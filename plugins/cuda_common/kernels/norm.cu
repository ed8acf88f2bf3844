// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/kernels/norm.hpp"

#include <algorithm>
#include <cstdint>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/kernels/by_type.cuh"
#include "plugins/cuda_common/kernels/norm_body.cuh"

namespace breakeven::cuda {

constexpr unsigned block = norm_block;
constexpr std::size_t smallest_chunk = 8192;  // elements: below, a second launch costs more

// The sum over the block, in thread 0.
template <class Sum>
__device__ Sum block_sum(Sum value) {
  __shared__ Sum of_warp[block / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < block / 32 ? of_warp[threadIdx.x] : Sum(0);
  for (int step = block / 64; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  return value;
}

// One block per chunk of one vector: the sum of its squares, or its root where the vector is one
// chunk. Packed: x and n are multiples of 16 bytes.
template <class Real, bool packed>
__global__ void square_sums(std::size_t n, std::size_t chunks, const Real* x, Computed<Real>* out) {
  const std::size_t vector = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
  const auto sum =
      block_sum(square_sum_of_thread<Real, packed>(threadIdx.x, n, chunks, chunk, x + vector * n));
  if (threadIdx.x == 0) out[blockIdx.x] = chunks == 1 ? sqrt(sum) : sum;
}

// One block per vector: the root of the sum of its chunks.
template <class Sum>
__global__ void join_chunks(std::size_t chunks, const Sum* sums, Sum* out) {
  Sum sum = 0;
  for (std::size_t i = threadIdx.x; i < chunks; i += block) sum += sums[blockIdx.x * chunks + i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sqrt(sum);
}

NormPlan::NormPlan(Type type, std::size_t n, std::size_t batch, int processors)
    : type_(type), n_(n), batch_(batch), chunks_(1) {
  const std::size_t wanted = batch ? static_cast<std::size_t>(processors) * 8 / batch : 1;
  chunks_ = std::max<std::size_t>(1, std::min(wanted, n / smallest_chunk));
}

std::size_t NormPlan::workspace_bytes() const noexcept {
  return chunks_ == 1 ? 0 : batch_ * chunks_ * (type_ == Type::f64 ? 8 : 4);
}

void NormPlan::launch(const void* x, void* out, void* workspace, cudaStream_t stream) const {
  if (batch_ == 0) return;
  by_type(type_, [&]<class Real>(Real) {
    using Sum = Computed<Real>;
    auto* const norms = static_cast<Sum*>(out);
    auto* const sums = chunks_ == 1 ? norms : static_cast<Sum*>(workspace);
    const auto* const from = static_cast<const Real*>(x);
    const bool packed =
        reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && n_ * sizeof(Real) % 16 == 0;
    const auto blocks = static_cast<unsigned>(batch_ * chunks_);
    auto* const kernel = packed ? square_sums<Real, true> : square_sums<Real, false>;
    kernel<<<blocks, block, 0, stream>>>(n_, chunks_, from, sums);
    CUDA_TRY(cudaGetLastError());
    if (chunks_ == 1) return;
    join_chunks<Sum><<<static_cast<unsigned>(batch_), block, 0, stream>>>(chunks_, sums, norms);
    CUDA_TRY(cudaGetLastError());
  });
}

}  // namespace breakeven::cuda
