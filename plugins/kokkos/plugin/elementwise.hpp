// SPDX-License-Identifier: Apache-2.0
// Operations that touch each element once: what a thread does.
#pragma once

#include <cstddef>
#include <string_view>

#include "space.hpp"

namespace breakeven::kokkos {

// What one thread takes at a time: one access of 16 bytes on a GPU, a cache line on a CPU.
inline constexpr std::size_t pack_bytes = on_host ? 64 : 16;

template <class T, std::size_t width>
struct alignas(on_host ? alignof(T) : sizeof(T) * width) Pack {
  T at[width];
};

// out[i] = formula(in[0][i], in[1][i], ...) for i < n.
template <class T, std::size_t width, class Formula, std::size_t inputs>
struct Elementwise {
  std::size_t n;
  T* out;
  Kokkos::Array<const T*, inputs> in;
  Formula formula;

  KOKKOS_FUNCTION void operator()(std::size_t piece) const {
    const std::size_t first = piece * width;
    if (first + width <= n) {
      *reinterpret_cast<Pack<T, width>*>(out + first) = result(first);
    } else {
      for (std::size_t i = first; i < n; ++i) {
        Pack<T, 1> read[inputs];
        for (std::size_t k = 0; k < inputs; ++k) read[k].at[0] = in[k][i];
        out[i] = apply(read, 0);
      }
    }
  }

  // Of a whole piece.
  KOKKOS_FUNCTION Pack<T, width> result(std::size_t first) const {
    Pack<T, width> read[inputs], made;
    for (std::size_t k = 0; k < inputs; ++k) {
      read[k] = *reinterpret_cast<const Pack<T, width>*>(in[k] + first);
    }
    if constexpr (sizeof read[0] == pack_bytes && requires { formula.of_pack(read[0]); })
      return formula.of_pack(read[0]);
    for (std::size_t i = 0; i < width; ++i) made.at[i] = apply(read, i);
    return made;
  }

 private:
  template <class Piece>
  KOKKOS_FUNCTION T apply(const Piece (&read)[inputs], std::size_t i) const {
    if constexpr (inputs == 1) return formula(read[0].at[i]);
    if constexpr (inputs == 2) return formula(read[0].at[i], read[1].at[i]);
    if constexpr (inputs == 3) return formula(read[0].at[i], read[1].at[i], read[2].at[i]);
  }
};

struct MultiplyAddFormula {
  static constexpr std::string_view name = "multiply_add";
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return Kokkos::fma(a, b, c);
  }
};

struct TanhFormula {
  static constexpr std::string_view name = "tanh";
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::tanh(x);
  }
};

struct TanhGradientFormula {
  static constexpr std::string_view name = "tanh_gradient";
  template <class T>
  KOKKOS_FUNCTION T operator()(T h, T d) const {
    return d * (T(1) - h * h);
  }
};

}  // namespace breakeven::kokkos
