// SPDX-License-Identifier: Apache-2.0
// As avx512, for processors with a unit for matrices of bf16. Compiled for any x86-64, since it is
// put together when it is loaded.
#include "plugins/serial/kernels/product_by_tiles.hpp"
#include "plugins/serial/kernels/variants.hpp"
#include "suite/machine/x86_bf16.hpp"

namespace breakeven::serial {

namespace {

bool usable() {
  return avx512.usable() && may_use_amx();
}

constexpr Bf16Product by_tiles =
    product_by_tiles<&cpu::tiles_workspace_bytes, &cpu::multiply_by_tiles>;

}  // namespace

const Variant amx_bf16 = {"amx_bf16", &usable,     avx512.f32, avx512.f64,
                          avx512.f16, avx512.bf16, &by_tiles};

}  // namespace breakeven::serial
