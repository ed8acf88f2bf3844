// SPDX-License-Identifier: Apache-2.0
// The fastest that this core can multiply and add.
#pragma once

#include <cstddef>

namespace breakeven {

// Multiplies and adds in registers only; returns the floating point operations done, about
// `steps` times 768 for f32 vectors of 64 bytes. Twice as many for f32 as for f64.
double run_fma_f32(std::size_t steps);
double run_fma_f64(std::size_t steps);
// By instructions for products of bf16 where there are some, else in f32.
double run_fma_bf16(std::size_t steps);

}  // namespace breakeven
