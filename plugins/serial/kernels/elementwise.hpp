// SPDX-License-Identifier: Apache-2.0
// Operations on every element. `out` may be one of the inputs.
#pragma once

#include <cstdint>

#include "plugins/cpu_common/tanh.hpp"
#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

// Arm's processors see by themselves that whole lines are overwritten, and do not read them first.
template <class Target>
struct OrdinaryStores : Target {
  template <class T>
  static void stream(T* to, Vector<T, Target::bytes> v) {
    store(to, v);
  }
  static void finish_stream() {}
};

// `Target` has the bytes of a vector, stream(to, vector), which stores around the caches where the
// processor can, and finish_stream().
template <class Target, class T>
struct Elementwise {
  using V = Vector<T, Target::bytes>;
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);

  // Stores around the caches save the reading of lines that are overwritten. They win from where
  // the four arrays are larger than the last cache; below they would throw out what is used next.
  static constexpr std::size_t streamed_bytes = std::size_t(32) << 20;

  static void multiply_add(std::size_t n, const T* a, const T* b, const T* c, T* out) {
    const auto work = [](V x, V y, V z) { return x * y + z; };
    const bool in_place = out == a || out == b || out == c;
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(T) == 0;
    if (n * sizeof(T) * 4 < streamed_bytes || in_place || !aligned)
      return for_each(n, work, out, a, b, c);
    // The first few elements up to where vectors are aligned.
    const std::size_t begin =
        (sizeof(V) - reinterpret_cast<std::uintptr_t>(out) % sizeof(V)) % sizeof(V) / sizeof(T);
    for_each(begin, work, out, a, b, c);
    std::size_t i = begin;
    for (; i + lanes <= n; i += lanes)
      Target::stream(out + i, work(load<V>(a + i), load<V>(b + i), load<V>(c + i)));
    Target::finish_stream();
    for_each(n - i, work, out + i, a + i, b + i, c + i);
  }

  static void tanh(std::size_t n, const T* x, T* out) {
    for_each(
        n, [](V v) { return cpu::tanh_of<V, T>(v); }, out, x);
  }

  static void tanh_gradient(std::size_t n, const T* h, const T* d, T* out) {
    for_each(
        n, [](V hv, V dv) { return dv * (broadcast<V>(T(1)) - hv * hv); }, out, h, d);
  }

 private:
  template <class Work, class... In>
  [[gnu::always_inline]] static void for_each(std::size_t n, Work work, T* out, const In*... in) {
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) store(out + i, work(load<V>(in + i)...));
    if (i == n) return;
    const std::size_t bytes = (n - i) * sizeof(T);
    const V last = work(load_first(in + i, bytes)...);
    __builtin_memcpy(out + i, &last, bytes);
  }

  static V load_first(const T* from, std::size_t bytes) {
    V vector = {};
    __builtin_memcpy(&vector, from, bytes);
    return vector;
  }
};

}  // namespace breakeven::serial
