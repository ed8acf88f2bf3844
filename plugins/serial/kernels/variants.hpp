// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

extern const Variant plain;
extern const Variant amx_bf16, avx512_bf16, avx512, avx2;  // on x86-64
extern const Variant sve256, neon_bf16, neon;              // on aarch64

}  // namespace breakeven::serial
