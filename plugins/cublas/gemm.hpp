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

// What the contract's products have no choice of: k, and their type.
struct Layout {
  std::size_t row_of_a;  // elements from a row of a to the next; more than k: a is not transposed
  Type type_of_c;        // the product's, or f32 where that has 16 bits
};

// Null: this device lacks the type or the mathematics, or a size is beyond the library's 31 bits.
std::unique_ptr<Task> prepare_gemm(const Gemm& gemm, const Layout& layout,
                                   const cuda::CudaDevice& device, const cuda::Stream& stream,
                                   const GetHandle& handle);

}  // namespace breakeven::cublas
