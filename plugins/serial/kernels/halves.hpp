// SPDX-License-Identifier: Apache-2.0
// 16-bit types: stored in 16 bits, computed in f32. A block at a time is widened into the first
// cache, where the kernels of f32 work on it.
#pragma once

#include <algorithm>

#include "plugins/cpu_common/halves.hpp"
#include "plugins/serial/kernels/elementwise.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/norm.hpp"
#include "plugins/serial/kernels/sum.hpp"

namespace breakeven::serial {

using cpu::Bf16Format;
using cpu::F16Format;

// `Target` as of Elementwise.
template <class Target, Half T, class Format>
struct Halves {
  static constexpr std::size_t block = 1024;

  static void widen(std::size_t n, const T* from, float* to) { cpu::widen<Format>(n, from, to); }
  static void narrow(std::size_t n, const float* from, T* to) { cpu::narrow<Format>(n, from, to); }

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
