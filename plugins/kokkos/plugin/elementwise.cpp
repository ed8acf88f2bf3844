// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "range.hpp"
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

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
    using Piece = Pack<T, width>;
    const std::size_t first = piece * width;
    if (first + width <= n) {
      Piece read[inputs], result;
      for (std::size_t k = 0; k < inputs; ++k) {
        read[k] = *reinterpret_cast<const Piece*>(in[k] + first);
      }
      for (std::size_t i = 0; i < width; ++i) result.at[i] = apply(read, i);
      *reinterpret_cast<Piece*>(out + first) = result;
    } else {
      for (std::size_t i = first; i < n; ++i) {
        Pack<T, 1> read[inputs];
        for (std::size_t k = 0; k < inputs; ++k) read[k].at[0] = in[k][i];
        out[i] = apply(read, 0);
      }
    }
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
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return Kokkos::fma(a, b, c);
  }
};

struct TanhFormula {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::tanh(x);
  }
};

struct TanhGradientFormula {
  template <class T>
  KOKKOS_FUNCTION T operator()(T h, T d) const {
    return d * (T(1) - h * h);
  }
};

template <class T, std::size_t width, class Formula, std::size_t inputs>
std::unique_ptr<Task> launch(std::size_t n, const std::array<T*, inputs>& in, T* out,
                             const Target& target) {
  Elementwise<T, width, Formula, inputs> body{n, out, {}, {}};
  for (std::size_t k = 0; k < inputs; ++k) body.in[k] = in[k];
  // Loads the kernel, so that neither a clock nor a sequence sees that.
  for_range(target.space, 1, 0, Elementwise<T, width, Formula, inputs>{0, out, body.in, {}});
  return make_task([body, space = target.space] {
    for_range(space, (body.n + width - 1) / width, (inputs + 1) * body.n * sizeof(T), body);
  });
}

template <class T, class Formula, std::size_t inputs>
std::unique_ptr<Task> prepare_for(std::size_t n, const std::array<Slice, inputs>& slices,
                                  const Slice& result, const Target& target) {
  T* const out = operand<T>(result, n, target);
  std::array<T*, inputs> in{};
  bool reachable = out != nullptr;
  bool aligned = reinterpret_cast<std::uintptr_t>(out) % pack_bytes == 0;
  for (std::size_t k = 0; k < inputs; ++k) {
    in[k] = operand<T>(slices[k], n, target);
    reachable = reachable && in[k] != nullptr;
    aligned = aligned && reinterpret_cast<std::uintptr_t>(in[k]) % pack_bytes == 0;
  }
  if (!reachable) return nullptr;
  if (on_host || aligned) {
    return launch<T, pack_bytes / sizeof(T), Formula>(n, in, out, target);
  }
  return launch<T, 1, Formula>(n, in, out, target);
}

template <class Formula, std::size_t inputs>
std::unique_ptr<Task> prepare_any(Type type, std::size_t n, const std::array<Slice, inputs>& in,
                                  const Slice& out, const Target& target) {
  if (type == Type::f32) return prepare_for<float, Formula>(n, in, out, target);
  if (type == Type::f64) return prepare_for<double, Formula>(n, in, out, target);
  return nullptr;
}

}  // namespace

std::unique_ptr<Task> prepare(const MultiplyAdd& asked, const Target& target) {
  return prepare_any<MultiplyAddFormula>(asked.type, asked.n, std::array{asked.a, asked.b, asked.c},
                                         asked.out, target);
}

std::unique_ptr<Task> prepare(const Tanh& asked, const Target& target) {
  return prepare_any<TanhFormula>(asked.type, asked.n, std::array{asked.x}, asked.out, target);
}

std::unique_ptr<Task> prepare(const TanhGradient& asked, const Target& target) {
  return prepare_any<TanhGradientFormula>(asked.type, asked.n, std::array{asked.h, asked.d},
                                          asked.out, target);
}

}  // namespace breakeven::kokkos
