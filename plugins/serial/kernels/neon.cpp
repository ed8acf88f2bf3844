// SPDX-License-Identifier: Apache-2.0
// Compiled for what every 64-bit Arm processor has.
#include <arm_neon.h>

#include "plugins/serial/kernels/arm_targets.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct F16Conversion {
  using Stored = Vector<std::uint16_t, 8>;
  using V = Vector<float, 16>;
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(vcvt_f32_f16(float16x4_t(stored)));
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(vcvt_f16_f32(float32x4_t(value)));
  }
};

bool usable() {
  return true;
}

}  // namespace

const Variant neon = variant_of<Neon, OrdinaryStores<Neon>, F16Conversion>("neon", &usable);

}  // namespace breakeven::serial
