// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cpu_common/bf16_tiles.hpp"
#include "plugins/serial/kernels/bf16_product.hpp"

namespace breakeven::serial {

// By two functions as of bf16_tiles.hpp.
template <auto workspace_bytes, auto multiply>
constexpr Bf16Product product_by_tiles = {
    [](const GemmShape& shape) { return cpu::tiles_pay_off(shape.m, shape.n, shape.k); },
    [](const GemmShape& shape) { return workspace_bytes(shape.m, shape.n, shape.k); },
    [](const GemmShape& shape, float alpha, const Bf16* a, const Bf16* b, float beta, Bf16* c,
       void* workspace) {
      const auto& [transpose_a, transpose_b, m, n, k] = shape;
      multiply({transpose_a, transpose_b, m, n, k, a, transpose_a ? m : k, b, transpose_b ? k : n,
                c, n, alpha, beta},
               workspace);
    }};

}  // namespace breakeven::serial
