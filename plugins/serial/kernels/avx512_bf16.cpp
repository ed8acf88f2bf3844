// SPDX-License-Identifier: Apache-2.0
// As avx512, for processors that multiply bf16. Compiled for any x86-64, since it is put together
// when it is loaded.
#include "plugins/serial/kernels/bf16_product.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

bool usable() {
  return avx512.usable() && __builtin_cpu_supports("avx512bf16");
}

}  // namespace

const Variant avx512_bf16 = {"avx512_bf16", &usable,     avx512.f32, avx512.f64,
                             avx512.f16,    avx512.bf16, &vdpbf16ps};

}  // namespace breakeven::serial
