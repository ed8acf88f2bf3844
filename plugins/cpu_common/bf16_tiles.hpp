// SPDX-License-Identifier: Apache-2.0
// Products of bf16 on one thread by a unit for matrices (AMX), where may_use_amx() of
// suite/machine/x86_bf16.hpp says that there is one. Whoever calls this builds bf16_tiles.cpp, for
// processors with AVX512_BF16.
#pragma once

#include <cstddef>

#include "plugins/cpu_common/halves.hpp"

namespace breakeven::cpu {

// c = alpha op(a) op(b) + beta c, summed in f32 and rounded once; c is not read for beta = 0. A
// line is a row as it is stored, and lines and rows are so many elements apart.
struct Bf16Operands {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  const Bf16* a;
  std::size_t a_line;
  const Bf16* b;
  std::size_t b_line;
  Bf16* c;
  std::size_t c_row;
  float alpha, beta;
};

// Whether that is faster than to widen to f32, as an Emerald Rapids does it: one row, up to three
// columns and few steps leave most of a tile empty, and small products end before tiles are ready.
inline bool tiles_pay_off(std::size_t m, std::size_t n, std::size_t k) {
  return m >= 2 && n >= 4 && k >= 16 && m * n * k >= 20 * 20 * 20;
}

// Of any alignment.
std::size_t tiles_workspace_bytes(std::size_t m, std::size_t n, std::size_t k);
void multiply_by_tiles(const Bf16Operands& operands, void* workspace);

}  // namespace breakeven::cpu
