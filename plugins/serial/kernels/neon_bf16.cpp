// SPDX-License-Identifier: Apache-2.0
// As neon, for processors that round to bf16 by an instruction (from Armv8.6 on).
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "plugins/serial/kernels/arm_targets.hpp"
#include "plugins/serial/kernels/bf16_product.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Conversion : Bf16Format<16> {
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(vcvt_bf16_f32(float32x4_t(value)));
  }
};

bool usable() {
  return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
}

}  // namespace

const Variant neon_bf16 = {
    "neon_bf16", &usable,  neon.f32,
    neon.f64,    neon.f16, half_kernels_of<NeonBf16, OrdinaryStores<NeonBf16>, Bf16, Conversion>(),
    &bfmmla};

}  // namespace breakeven::serial
