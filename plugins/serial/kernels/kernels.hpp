// SPDX-License-Identifier: Apache-2.0
// What one core computes with, once per family of processors and chosen at run time.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plugins/cpu_common/halves.hpp"
#include "plugins/cpu_common/way.hpp"

namespace breakeven::serial {

struct GemmShape {
  bool transpose_a = false, transpose_b = false;
  std::size_t m = 0, n = 0, k = 0;
  auto operator<=>(const GemmShape&) const = default;
};

// `count` things shared out over `parts` so that no two shares differ by more than one.
struct Shares {
  std::size_t parts = 0, least = 0, larger = 0;  // the first `larger` parts have one more
  bool operator==(const Shares&) const = default;

  static constexpr Shares of(std::size_t count, std::size_t most) {
    const std::size_t parts = (count + most - 1) / most;
    return parts == 0 ? Shares{} : Shares{parts, count / parts, count % parts};
  }
  constexpr std::size_t operator[](std::size_t part) const { return least + (part < larger); }
  // From that part on, as large as it.
  constexpr std::size_t alike(std::size_t part) const {
    return (part < larger ? larger : parts) - part;
  }
};

// What is read after a tile, or later in it.
template <class T>
struct Soon {
  const T* a = nullptr;  // a panel as long as that of the tile, or null
  // For every 64 bytes of steps it has as many lines as the tile has rows, `a_line` apart; the next
  // ones lie `a_step` behind them.
  std::size_t a_line = 0, a_step = 0;
  const T* b = nullptr;  // so many rows, as wide as the tile
  std::size_t rows = 0, stride = 0;
  // Or, if not null, a line in every step of k, each `line_step` behind the one before, and
  // `line_turn` more behind the last one of a panel; and the row of b of so many steps later.
  const T* line = nullptr;
  std::size_t line_step = 0;
  std::ptrdiff_t line_turn = 0;
  std::size_t steps_ahead = 0;
};

// c = alpha a b + beta c for one tile and the `panels` - 1 below it, with the rows of a that
// follow: between two tiles of one call there is nothing to wait for. Strides are in elements;
// those of a are from row to row and from step to step of k, one of them 1. The last vector of a
// tile may begin before its neighbour ends, so that it ends with the matrix: `last_b` and `last_c`
// say where it begins, and its first `keep` lanes of c stay as they are. What `soon` names, where
// not null, is brought nearer meanwhile if `panels` is 1 and k long enough; where k is short, the
// tile to the right in c. All of them are arguments, because a structure of them costs 20 cycles to
// put together.
template <class T>
using RunTile = void (*)(std::size_t panels, std::size_t k, const T* a, std::size_t row_a,
                         std::size_t step_a, const T* b, std::size_t stride_b, T* c,
                         std::size_t stride_c, T alpha, T beta, std::size_t last_b,
                         std::size_t last_c, std::size_t keep, const Soon<T>* soon);

using cpu::Way;  // which one is fastest is found by trying (chosen_plan.hpp)

// How one shape is computed: c = alpha op(a) op(b) + beta c for each of a batch of matrices that
// follow one another, where c is not read for beta = 0.
template <class T>
struct GemmPlan {
  using Run = void (*)(const GemmPlan& plan, std::size_t batch, T alpha, const T* a, const T* b,
                       T beta, T* c, T* workspace);
  Run run = nullptr;
  GemmShape shape;
  bool swapped = false;           // the transposed product: op(b)^T op(a)^T
  bool across = false;            // and c, of more than one row and column, lies transposed
  Run turned = nullptr;           // multiplies for `run`, which turns a or b first or c at last
  std::size_t turned_offset = 0;  // of that one in the workspace
  bool narrow = false;            // rows of c are shorter than a vector
  bool packed = false;            // b is copied, a group of tiles at a time
  std::size_t strip = 0;          // rows that are multiplied with all of b before others, if not 0
  Shares panels;                  // rows of each panel of tiles
  Shares tiles;                   // vectors of each tile
  std::size_t overlap = 0;        // lanes that the last vector has in common with the one before
  std::size_t folded = 0;         // last columns, too few for a vector
  std::size_t flipped = 0;        // last columns, made as rows of c^T where a is transposed
  std::size_t halved = 0;         // last columns that a vector of half the length holds
  Shares halved_panels;           // rows of each of its tiles
  std::size_t k_block = 0;        // steps per pass over c
  std::size_t group = 0;          // tiles of b that are in the cache together
  std::size_t most_panels = 1;    // of equal height, one after the other by one tile of b
  std::size_t lines_ahead = 0;    // of the next product of a batch, brought nearer per tile
  bool asks = true;               // for what tiles of a packed b read and write soon
  bool asks_for_group = false;    // of b, the next one while this one is multiplied
  bool asks_row_by_row = false;   // of it, every tile for another row
  std::size_t rows_ahead = 0;     // lines per tile of the rows of b of the next pass over c
  bool reads_rows = false;        // of b where they lie, each asked for so many steps before
  std::size_t steps_ahead = 0;
  bool asks_for_tiles = false;    // of those rows, each panel what a tile further right reads
  std::size_t line_step = 0;      // if not 0, as in `Soon`: of the rows or the group that come next
  std::size_t packed_offset = 0;  // in the workspace, after the folded columns
  bool copies_a = false;          // that is transposed, panel by panel, in every pass over c
  std::size_t a_offset = 0;       // of that copy in the workspace
  std::size_t workspace_elements = 0;  // aligned to 64 bytes
  // Where c is as wide as one tile, b read where it lies and all of k at once: the calls, the
  // higher tiles first, so that a small product has nothing to decide.
  struct Call {
    RunTile<T> tile = nullptr;
    std::size_t panels = 0, rows = 0;  // of them all
    bool operator==(const Call&) const = default;
  };
  std::array<Call, 2> calls = {};
  std::size_t row_a = 0, step_a = 0, last = 0;  // their arguments

  bool operator==(const GemmPlan&) const = default;
};

using cpu::Bf16;
using cpu::F16;
using cpu::Half;

template <class T>
struct Kernels {
  GemmPlan<T> (*plan_gemm)(const GemmShape& shape, const Way& way) = nullptr;
  T (*norm)(std::size_t n, const T* x) = nullptr;
  void (*multiply_add)(std::size_t n, const T* a, const T* b, const T* c, T* out) = nullptr;
  void (*tanh)(std::size_t n, const T* x, T* out) = nullptr;
  void (*tanh_gradient)(std::size_t n, const T* h, const T* d, T* out) = nullptr;
  T (*sum)(std::size_t n, const T* x) = nullptr;
};

template <Half T>
struct Kernels<T> {
  void (*widen)(std::size_t n, const T* from, float* to) = nullptr;
  void (*narrow)(std::size_t n, const float* from, T* to) = nullptr;  // to nearest even
  // c = alpha a b + beta c, where a matrix is widened in registers: one row of c, and b is k × n
  // (n >= most_lanes); or c column by column, and columns of b follow one another (k >=
  // most_lanes).
  static constexpr std::size_t most_lanes = 16;
  void (*row)(std::size_t n, std::size_t k, float alpha, const float* a, const T* b, float beta,
              float* c) = nullptr;
  void (*along)(std::size_t m, std::size_t n, std::size_t k, float alpha, const T* a,
                const float* b, float beta, float* c) = nullptr;
  std::size_t most_along = 16;  // columns for which that is faster than to widen a first
  float (*norm)(std::size_t n, const T* x) = nullptr;
  void (*multiply_add)(std::size_t n, const T* a, const T* b, const T* c, T* out) = nullptr;
  void (*tanh)(std::size_t n, const T* x, T* out) = nullptr;
  void (*tanh_gradient)(std::size_t n, const T* h, const T* d, T* out) = nullptr;
  float (*sum)(std::size_t n, const T* x) = nullptr;
};

struct Bf16Product;  // bf16_product.hpp

struct Variant {
  std::string_view name;  // `avx512`
  bool (*usable)();       // on this processor
  Kernels<float> f32;
  Kernels<double> f64;
  Kernels<F16> f16;
  Kernels<Bf16> bf16;
  // By instructions of their own; null: matrices are widened and multiplied in f32.
  const Bf16Product* bf16_product = nullptr;
};

// The best one first. The last one is usable everywhere, unless only those of the processor that
// builds were built.
std::span<const Variant* const> variants();
// Throws std::runtime_error where none of them is usable.
const Variant& best_variant(std::span<const Variant* const> from = variants());

}  // namespace breakeven::serial
