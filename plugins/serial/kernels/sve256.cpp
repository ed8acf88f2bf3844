// SPDX-License-Identifier: Apache-2.0
// Compiled for SVE with vectors of 32 bytes, no more and no less. Where they have 16, neon is as
// wide.
#include <arm_sve.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "plugins/serial/kernels/arm_targets.hpp"
#include "plugins/serial/kernels/bf16_product.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

// A number of 16 bits is converted in the lower half of the 32 that it becomes, or comes from.
struct F16Conversion {
  using Stored = Vector<std::uint16_t, 16>;
  using Bits = Vector<std::uint32_t, 32>;
  using V = Vector<float, 32>;
  [[gnu::always_inline]] static V widen(Stored stored) {
    const svuint32_t bits = __builtin_convertvector(stored, Bits);
    return svcvt_f32_f16_x(svptrue_b32(), svreinterpret_f16(bits));
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    const svfloat16_t rounded = svcvt_f16_f32_x(svptrue_b32(), value);
    return __builtin_convertvector(Bits(svreinterpret_u32(rounded)), Stored);
  }
};

struct Bf16Conversion : Bf16Format<32> {
  [[gnu::always_inline]] static Stored narrow(V value) {
    const svbfloat16_t rounded = svcvt_bf16_f32_x(svptrue_b32(), value);
    return __builtin_convertvector(Bits(svreinterpret_u32(rounded)), Stored);
  }
};

bool usable() {
  const bool instructions =
      (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 && (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
  return instructions && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == Sve256::bytes;
}

}  // namespace

const Variant sve256 = variant_of<Sve256, OrdinaryStores<Sve256>, F16Conversion, Bf16Conversion>(
    "sve256", &usable, &bfmmla);

}  // namespace breakeven::serial
