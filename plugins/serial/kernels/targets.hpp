// SPDX-License-Identifier: Apache-2.0
// The families of processors, as far as the shapes of tiles depend on them.
#pragma once

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::serial {

struct Avx512 {  // 32 registers of 64 bytes
  static constexpr int bytes = 64, most_vectors = 4, most_in_a_row = 28;
  static constexpr bool many_registers = true;
  static constexpr int most_rows(int vectors) {
    return vectors == 1 ? 16 : vectors == 2 ? 12 : vectors == 3 ? 8 : vectors == 4 ? 6 : 1;
  }
};

struct Avx2 {  // 16 registers of 32 bytes
  static constexpr int bytes = 32, most_vectors = 3, most_in_a_row = 14;
  static constexpr bool many_registers = false;
  static constexpr int most_rows(int vectors) {
    return vectors == 1   ? 12
           : vectors == 2 ? 6
           : vectors == 3 ? 4
           : vectors == 4 ? 3
           : vectors <= 6 ? 2
                          : 1;
  }
};

struct Plain {  // what every processor of the architecture has
  static constexpr int bytes = 16, most_vectors = 3, most_in_a_row = 3;
  static constexpr bool many_registers = false;
  static constexpr int most_rows(int vectors) { return vectors == 1 ? 8 : vectors == 2 ? 6 : 4; }
};

}  // namespace breakeven::serial
