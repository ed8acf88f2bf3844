// SPDX-License-Identifier: Apache-2.0
// Products of row-major matrices by a column-major library, without a transpose: the transposed
// product c' = b' a' of column-major views is the same memory.
#pragma once

#include <functional>
#include <memory>

#include "plugins/cublas/handle.hpp"
#include "plugins/cuda_common/device.hpp"

namespace breakeven::cublas {

using GetHandle = std::function<Handle&()>;

// Null: this device lacks the type or the mathematics, or a size is beyond the library's 31 bits.
// `row_of_a`: elements from a row of a, which is not transposed, to the next; 0: k of them.
std::unique_ptr<Task> prepare_gemm(const Gemm& gemm, const cuda::CudaDevice& device,
                                   const cuda::Stream& stream, const GetHandle& handle,
                                   std::size_t row_of_a = 0);

}  // namespace breakeven::cublas
