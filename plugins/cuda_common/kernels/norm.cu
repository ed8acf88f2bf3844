// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/kernels/norm.hpp"

#include <algorithm>
#include <cstdint>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/kernels/by_type.cuh"
#include "plugins/cuda_common/kernels/norm_kernels.cuh"

namespace breakeven::cuda {

constexpr std::size_t smallest_chunk = 8192;  // elements: below, a second launch costs more

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
    kernel<<<blocks, norm_block, 0, stream>>>(n_, chunks_, from, sums);
    CUDA_TRY(cudaGetLastError());
    if (chunks_ == 1) return;
    join_chunks<Sum>
        <<<static_cast<unsigned>(batch_), norm_block, 0, stream>>>(chunks_, sums, norms);
    CUDA_TRY(cudaGetLastError());
  });
}

}  // namespace breakeven::cuda
