// SPDX-License-Identifier: Apache-2.0
// As targets.hpp, the families of 64-bit Arm processors.
#pragma once

namespace breakeven::serial {

template <int vector_bytes>
struct Arm {  // 32 registers
  static constexpr int bytes = vector_bytes, most_vectors = 4, most_in_a_row = 4;
  static constexpr bool many_registers = true;
  static constexpr int most_rows(int vectors) {
    return vectors == 1 ? 16 : vectors == 2 ? 12 : vectors == 3 ? 8 : 6;
  }
};

struct Neon : Arm<16> {};
struct NeonBf16 : Arm<16> {};  // for numbers of 16 bits
struct Sve256 : Arm<32> {};

}  // namespace breakeven::serial
