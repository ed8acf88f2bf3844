// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits, which are computed with as numbers of f32.
#pragma once

#include <concepts>
#include <cstdint>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};
template <class T>
concept Half = std::same_as<T, F16> || std::same_as<T, Bf16>;

// How a vector of f32 is read from, and rounded to nearest even into, half as many bytes. Both keep
// infinities, and NaN as some NaN.
template <int bytes>
struct Bf16Format {
  using Stored = Vector<std::uint16_t, bytes / 2>;
  using Bits = Vector<std::uint32_t, bytes>;
  using V = Vector<float, bytes>;

  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(__builtin_convertvector(stored, Bits) << 16);
  }
  // The 16 bits to store, in the lower half of each lane; the upper half is zero.
  [[gnu::always_inline]] static Bits rounded(V value) {
    const Bits bits = Bits(value);
    const Bits nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const Bits nan = bits >> 16 | 0x40;
    return (bits & 0x7fffffff) > 0x7f800000 ? nan : nearest;
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return __builtin_convertvector(rounded(value), Stored);
  }
};

template <int bytes>
struct F16Format {
  using Stored = Vector<std::uint16_t, bytes / 2>;
  using Bits = Vector<std::uint32_t, bytes>;
  using V = Vector<float, bytes>;

  [[gnu::always_inline]] static V widen(Stored stored) {
    const Bits wide = __builtin_convertvector(stored, Bits);
    const Bits magnitude = wide & 0x7fff;
    // With the exponent of f32, which has 112 more below; exact for subnormal numbers too.
    const Bits finite = Bits(V(magnitude << 13) * broadcast<V>(0x1p112f));
    const Bits size = magnitude >= 0x7c00 ? (magnitude << 13 | 0x7f800000) : finite;
    return V(size | (wide & 0x8000) << 16);
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    const Bits bits = Bits(value), magnitude = bits & 0x7fffffff;
    // Below the least normal number, an addition of f32 rounds to multiples of the least subnormal.
    const Bits subnormal = Bits(V(magnitude) + broadcast<V>(0.5f)) - 0x3f000000;
    const Bits normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112 << 23)) >> 13;
    Bits size = magnitude < (113 << 23) ? subnormal : normal;
    size = magnitude >= 0x477ff000 ? (size & 0) + 0x7c00 : size;  // 65520 and above
    size = magnitude > 0x7f800000 ? (size & 0) + 0x7e00 : size;
    return __builtin_convertvector(size | (bits >> 16 & 0x8000), Stored);
  }
};

// Reads 16 bits as numbers of f32, where AsStored (vector.hpp) reads what is computed with.
template <class T, class Format>
struct Widened {
  using Element = T;
  [[gnu::always_inline]] static typename Format::V load(const T* from) {
    return Format::widen(cpu::load<typename Format::Stored>(from));
  }
};

// `n` of them; what is behind is neither read nor written.
template <class Format, Half T>
[[gnu::always_inline]] inline void widen(std::size_t n, const T* from, float* to) {
  constexpr std::size_t lanes = sizeof(typename Format::V) / sizeof(float);
  typename Format::Stored stored = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    __builtin_memcpy(&stored, from + i, sizeof stored);
    store(to + i, Format::widen(stored));
  }
  if (i == n) return;
  stored = typename Format::Stored{};
  __builtin_memcpy(&stored, from + i, (n - i) * sizeof(T));
  const auto last = Format::widen(stored);
  __builtin_memcpy(to + i, &last, (n - i) * sizeof(float));
}

template <class Format, Half T>
[[gnu::always_inline]] inline void narrow(std::size_t n, const float* from, T* to) {
  using V = typename Format::V;
  constexpr std::size_t lanes = sizeof(V) / sizeof(float);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto stored = Format::narrow(load<V>(from + i));
    __builtin_memcpy(to + i, &stored, sizeof stored);
  }
  if (i == n) return;
  V last = {};
  __builtin_memcpy(&last, from + i, (n - i) * sizeof(float));
  const auto stored = Format::narrow(last);
  __builtin_memcpy(to + i, &stored, (n - i) * sizeof(T));
}

}  // namespace breakeven::cpu
