// SPDX-License-Identifier: Apache-2.0
// 16-bit types: stored in 16 bits, computed in f32. A block at a time is widened into the first
// cache, where the kernels of f32 work on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/serial/kernels/elementwise.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/norm.hpp"
#include "plugins/serial/kernels/sum.hpp"

namespace breakeven::serial {

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
  [[gnu::always_inline]] static Stored narrow(V value) {
    const Bits bits = Bits(value);
    const Bits rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const Bits nan = bits >> 16 | 0x40;
    return __builtin_convertvector((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded, Stored);
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

// `Target` as of Elementwise.
template <class Target, Half T, class Format>
struct Halves {
  using V = Vector<float, Target::bytes>;
  static constexpr std::size_t lanes = Target::bytes / sizeof(float);
  static constexpr std::size_t block = 1024;

  static void widen(std::size_t n, const T* from, float* to) {
    typename Format::Stored stored = {};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      __builtin_memcpy(&stored, from + i, sizeof stored);
      store(to + i, Format::widen(stored));
    }
    if (i == n) return;
    stored = typename Format::Stored{};
    __builtin_memcpy(&stored, from + i, (n - i) * sizeof(T));
    const V last = Format::widen(stored);
    __builtin_memcpy(to + i, &last, (n - i) * sizeof(float));
  }

  static void narrow(std::size_t n, const float* from, T* to) {
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

  static float norm(std::size_t n, const T* x) {
    double sum = 0;
    in_blocks(
        n,
        [&](std::size_t count, const float* wide) {
          sum += NormOf<Target, float>::sum_of_squares(count, wide, 1);
        },
        x);
    return float(__builtin_sqrt(sum));
  }

  static float sum(std::size_t n, const T* x) {
    double total = 0;
    in_blocks(
        n,
        [&](std::size_t count, const float* wide) {
          total += SumOf<Target, float>::in_double(count, wide);
        },
        x);
    return float(total);
  }

  static void multiply_add(std::size_t n, const T* a, const T* b, const T* c, T* out) {
    in_blocks(
        n,
        [&](std::size_t count, float* x, const float* y, const float* z) {
          Elementwise<Target, float>::multiply_add(count, x, y, z, x);
          narrow(count, x, out), out += count;
        },
        a, b, c);
  }

  static void tanh(std::size_t n, const T* x, T* out) {
    in_blocks(
        n,
        [&](std::size_t count, float* wide) {
          Elementwise<Target, float>::tanh(count, wide, wide);
          narrow(count, wide, out), out += count;
        },
        x);
  }

  static void tanh_gradient(std::size_t n, const T* h, const T* d, T* out) {
    in_blocks(
        n,
        [&](std::size_t count, float* x, const float* y) {
          Elementwise<Target, float>::tanh_gradient(count, x, y, x);
          narrow(count, x, out), out += count;
        },
        h, d);
  }

 private:
  // work(count, wide...) for one block after the other.
  template <class Work, class... In>
  static void in_blocks(std::size_t n, Work work, const In*... in) {
    alignas(64) float wide[sizeof...(in)][block];
    for (std::size_t i = 0; i < n; i += block) {
      const std::size_t count = std::min(block, n - i);
      std::size_t k = 0;
      (widen(count, in + i, wide[k++]), ...);
      k = 0;
      call(work, count, wide, std::index_sequence_for<In...>());
    }
  }
  template <class Work, std::size_t inputs, std::size_t... k>
  static void call(Work& work, std::size_t count, float (&wide)[inputs][block],
                   std::index_sequence<k...>) {
    work(count, wide[k]...);
  }
};

}  // namespace breakeven::serial
