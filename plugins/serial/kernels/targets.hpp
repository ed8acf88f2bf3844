// SPDX-License-Identifier: Apache-2.0
// The families of processors, as far as the shapes of tiles depend on them.
#pragma once

namespace breakeven::serial {

template <int vector_bytes>
struct Registers32 {
  static constexpr int bytes = vector_bytes, most_vectors = 4;
  static constexpr int most_rows(int vectors) {
    return vectors == 1 ? 16 : vectors == 2 ? 12 : vectors == 3 ? 8 : 6;
  }
};

struct Avx512 : Registers32<64> {};
struct Sve256 : Registers32<32> {};
struct Neon : Registers32<16> {};
struct NeonBf16 : Registers32<16> {};  // elements of 16 bits only

struct Avx2 {  // 16 registers of 32 bytes
  static constexpr int bytes = 32, most_vectors = 3;
  static constexpr int most_rows(int vectors) { return vectors == 1 ? 12 : vectors == 2 ? 6 : 4; }
};

struct Plain {  // what every processor of the architecture has
  static constexpr int bytes = 16, most_vectors = 3;
  static constexpr int most_rows(int vectors) { return vectors == 1 ? 8 : vectors == 2 ? 6 : 4; }
};

}  // namespace breakeven::serial
