// SPDX-License-Identifier: Apache-2.0
#include "elementwise.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "openmp/past_caches.hpp"
#include "openmp/tanh.hpp"
#include "range.hpp"
#include "task.hpp"
#if !defined(KOKKOS_ENABLE_CUDA)
#include "openmp/halves.hpp"
#endif

namespace breakeven::kokkos {
namespace {

// The same on a CPU, a block of pieces at a time, for a result at a multiple of 64 bytes.
template <class T, std::size_t width, class Formula, std::size_t inputs>
struct PastCaches {
  Elementwise<T, width, Formula, inputs> body;

  static constexpr std::size_t block_pieces = 512;  // of each operand: 32 KiB
  std::size_t blocks() const { return (body.n / width + block_pieces - 1) / block_pieces; }

  void operator()(std::size_t block) const {
    const std::size_t whole = body.n / width;
    const std::size_t end = Kokkos::min((block + 1) * block_pieces, whole);
    for (std::size_t piece = block * block_pieces; piece < end; ++piece) {
      store_past_caches(body.out + piece * width, body.result(piece * width));
    }
    finish_stores_past_caches();
    if (end == whole) body(whole);
  }
};

struct TanhOfVectors {
  static constexpr std::string_view name = "tanh_in_vectors";
  template <class T>
  T operator()(T x) const {
    return of_pack(Pack<T, pack_bytes / sizeof(T)>{x}).at[0];
  }

  template <class T, std::size_t width>
  Pack<T, width> of_pack(const Pack<T, width>& x) const {
    Pack<T, width> result;
    tanh_in_vectors(x.at, result.at);
    return result;
  }
};

template <class T, std::size_t width, class Formula, std::size_t inputs>
std::unique_ptr<Task> launch(std::size_t n, const std::array<T*, inputs>& in, T* out,
                             const Target& target) {
  Elementwise<T, width, Formula, inputs> body{n, out, {}, {}};
  for (std::size_t k = 0; k < inputs; ++k) body.in[k] = in[k];
  // Loads the kernel, so that neither a clock nor a sequence sees that.
  for_range(target.space, 1, 0, Elementwise<T, width, Formula, inputs>{0, out, body.in, {}});
  const std::size_t bytes = (inputs + 1) * n * sizeof(T);
  if constexpr (on_host && sizeof(T) * width == pack_bytes) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % pack_bytes == 0;
    const bool in_place = std::find(in.begin(), in.end(), out) != in.end();
    if (bytes >= past_caches_bytes && aligned && !in_place) {
      const PastCaches<T, width, Formula, inputs> past{body};
      return make_task([=, space = target.space] { for_range(space, past.blocks(), bytes, past); },
                       own(Formula::name, target));
    }
  }
  return make_task(
      [=, space = target.space] { for_range(space, (body.n + width - 1) / width, bytes, body); },
      own(Formula::name, target, threads_for(bytes)));
}

// False: one of them is out of reach.
template <class T, std::size_t inputs>
bool reach(std::size_t n, const std::array<Slice, inputs>& slices, const Slice& result,
           const Target& target, std::array<T*, inputs>& in, T*& out) {
  out = operand<T>(result, n, target);
  for (std::size_t k = 0; k < inputs; ++k) in[k] = operand<T>(slices[k], n, target);
  return out != nullptr && std::find(in.begin(), in.end(), nullptr) == in.end();
}

template <class T, class Formula, std::size_t inputs>
std::unique_ptr<Task> prepare_for(std::size_t n, const std::array<Slice, inputs>& slices,
                                  const Slice& result, const Target& target) {
  T* out = nullptr;
  std::array<T*, inputs> in{};
  if (!reach(n, slices, result, target, in, out)) return nullptr;
  const auto is_aligned = [](const T* at) {
    return reinterpret_cast<std::uintptr_t>(at) % pack_bytes == 0;
  };
  if (on_host || (is_aligned(out) && std::all_of(in.begin(), in.end(), is_aligned))) {
    return launch<T, pack_bytes / sizeof(T), Formula>(n, in, out, target);
  }
  return launch<T, 1, Formula>(n, in, out, target);
}

#if !defined(KOKKOS_ENABLE_CUDA)
template <class T, class Formula, std::size_t inputs>
std::unique_ptr<Task> prepare_halves(std::size_t n, const std::array<Slice, inputs>& slices,
                                     const Slice& result, const Target& target) {
  T* out = nullptr;
  std::array<T*, inputs> in{};
  if (!reach(n, slices, result, target, in, out)) return nullptr;
  const auto work = [=](std::size_t first, std::size_t count) {
    constexpr std::size_t width = pack_bytes / sizeof(float);
    alignas(pack_bytes) float wide[inputs][half_block];
    Elementwise<float, width, Formula, inputs> body{count, wide[0], {}, {}};
    for (std::size_t k = 0; k < inputs; ++k) {
      cpu::widen<Format<T>>(count, in[k] + first, wide[k]);
      body.in[k] = wide[k];
    }
    for (std::size_t piece = 0; piece * width < count; ++piece) body(piece);
    cpu::narrow<Format<T>>(count, wide[0], out + first);
  };
  const std::size_t bytes = (inputs + 1) * n * sizeof(T);
  return make_task([=, space = target.space] { for_half_blocks(space, n, bytes, work); },
                   own(Formula::name, target, threads_for(bytes)));
}
#endif

template <class Formula, std::size_t inputs>
std::unique_ptr<Task> prepare_any(Type type, std::size_t n, const std::array<Slice, inputs>& in,
                                  const Slice& out, const Target& target) {
  if (type == Type::f32) return prepare_for<float, Formula>(n, in, out, target);
  if (type == Type::f64) return prepare_for<double, Formula>(n, in, out, target);
#if !defined(KOKKOS_ENABLE_CUDA)
  if (type == Type::f16) return prepare_halves<Half, Formula>(n, in, out, target);
  if (type == Type::bf16) return prepare_halves<BrainHalf, Formula>(n, in, out, target);
#endif
  return nullptr;
}

}  // namespace

std::unique_ptr<Task> prepare(const MultiplyAdd& asked, const Target& target) {
  return prepare_any<MultiplyAddFormula>(asked.type, asked.n, std::array{asked.a, asked.b, asked.c},
                                         asked.out, target);
}

std::unique_ptr<Task> prepare(const Tanh& asked, const Target& target) {
  return prepare_any<std::conditional_t<on_host, TanhOfVectors, TanhFormula>>(
      asked.type, asked.n, std::array{asked.x}, asked.out, target);
}

std::unique_ptr<Task> prepare(const TanhGradient& asked, const Target& target) {
  return prepare_any<TanhGradientFormula>(asked.type, asked.n, std::array{asked.h, asked.d},
                                          asked.out, target);
}

}  // namespace breakeven::kokkos
