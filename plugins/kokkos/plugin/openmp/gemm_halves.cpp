// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types, summed in f32 and rounded once.
#include "gemm.hpp"

#include <numeric>

#include "halves.hpp"
#include "plugins/cpu_common/bf16_tiles.hpp"
#include "plugins/cpu_common/plan_option.hpp"

#if defined(__x86_64__)
#include "suite/machine/x86_bf16.hpp"
#endif
#if defined(__AVX512BF16__) && defined(KOKKOS_ARCH_AVX512XEON)
#define PAIRS_OF_BF16
#include "bf16_pairs.hpp"
#endif

namespace breakeven::kokkos {

// Tiles of f32, which multiply what was widened.
using Wide = OneStep<float>;
extern template void list_calls(const Steps<Wide>&, const Part&, std::size_t, bool, std::size_t,
                                std::vector<Call<Wide>>&);
extern template void run_panel(const Steps<Wide>&, const Part&, std::size_t, std::size_t,
                               const Strips<float>&, const StripRange&, const float*, float*, bool,
                               const float*);

namespace {

using Traits = HostTraits<float>;

// Where elements of a row and of a column follow each other; one of the distances is 1.
struct Strides {
  std::size_t row, column;
  // Of a block of such a matrix, packed.
  Strides packed(std::size_t rows, std::size_t columns) const {
    return column == 1 ? Strides{columns, 1} : Strides{1, rows};
  }
};

template <class T>
void widen_block(const T* from, const Strides& strides, std::size_t rows, std::size_t columns,
                 float* to) {
  const bool along = strides.column == 1;
  const std::size_t lines = along ? rows : columns, length = along ? columns : rows;
  const std::size_t stride = along ? strides.row : strides.column;
  if (stride == length) return cpu::widen<Format<T>>(lines * length, from, to);
  for (std::size_t i = 0; i < lines; ++i)
    cpu::widen<Format<T>>(length, from + i * stride, to + i * length);
}

// Rows of c from f32 that is packed.
template <class T>
void narrow_rows(const float* from, std::size_t rows, std::size_t columns, std::size_t c_row,
                 T* c) {
  if (c_row == columns) return cpu::narrow<Format<T>>(rows * columns, from, c);
  for (std::size_t i = 0; i < rows; ++i)
    cpu::narrow<Format<T>>(columns, from + i * columns, c + i * c_row);
}

constexpr std::size_t parts_of(std::size_t of, std::size_t to) {
  return (of + to - 1) / to;
}

// Where each thread keeps what it widens.
struct ThreadBuffers {
  std::size_t of_a, of_b, of_c;  // elements
  Workspace<float> all;

  ThreadBuffers(std::size_t threads, std::size_t a, std::size_t b, std::size_t c,
                const Target& target)
      : of_a(lines(a)), of_b(lines(b)), of_c(lines(c)), all(threads * size(), target) {}
  std::size_t size() const { return of_a + of_b + of_c; }
  float* a(std::size_t thread) const { return all.data() + thread * size(); }
  float* b(std::size_t thread) const { return a(thread) + of_a; }
  float* c(std::size_t thread) const { return b(thread) + of_b; }

 private:
  static std::size_t lines(std::size_t elements) { return parts_of(elements, 16) * 16; }  // whole
};

// Not where Kokkos was built for no processor in particular, and its vectors have one element.
constexpr bool widens_in_registers = Traits::lanes == vector_bytes / sizeof(float);

// One row of a large b: what comes from memory is widened in registers.
template <class T>
std::unique_ptr<Task> launch_row(const Product<T, float>& product, const Deal& deal,
                                 const Target& target) {
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  const std::size_t columns = parts_of(parts_of(product.n, Traits::lanes), cuts) * Traits::lanes;
  const ThreadBuffers buffers(deal.threads, product.k, 0, columns, target);
  return share_out(
      deal, product.batch * cuts, target,
      [=, by_columns = Deal{deal.threads, 1, cuts}](std::size_t thread, std::size_t i) {
        const Part part = by_columns.part<Wide>(product, i);
        const Product<T, float> from = product.matrix(part.matrix);
        if (part.columns == 0) return;
        // Columns that fill no vector are made with those before them, which are not stored.
        const std::size_t others = part.columns < Traits::lanes ? Traits::lanes - part.columns : 0;
        float* const c = buffers.c(thread) + others;
        cpu::widen<Format<T>>(from.k, from.a, buffers.a(thread));
        if (from.beta != 0) cpu::widen<Format<T>>(part.columns, from.c + part.column, c);
        cpu::Row<HostTarget, float, vector_bytes, 8,
                 cpu::Widened<T, Format<T>>>::product_of_columns(part.columns + others, from.n,
                                                                 from.k, from.alpha,
                                                                 buffers.a(thread),
                                                                 from.b + part.column - others,
                                                                 from.beta, c - others);
        cpu::narrow<Format<T>>(part.columns, c, from.c + part.column);
      });
}

template <class T>
using Widening = cpu::Factors<float, vector_bytes, cpu::Widened<T, Format<T>>>;

// Rows of a narrow c. Those of a are read as `Factors` says, columns of b are turned round, and
// widened before, if it wants that.
template <class Factors, class T>
std::unique_ptr<Task> launch_summed(const Product<T, float>& product, const Deal& deal,
                                    const Target& target) {
  constexpr bool widens_b = std::is_same_v<typename Factors::Column, float>;
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  const std::size_t rows = parts_of(product.m, cuts);
  const std::size_t slices = parts_of(product.k, Traits::panel_depth);  // of a vector and more
  const ThreadBuffers buffers(deal.threads, 0, parts_of(product.k, slices) * product.n,
                              rows * product.n, target);
  return share_out(
      deal, product.batch * cuts, target,
      [=, by_rows = Deal{deal.threads, cuts, 1}](std::size_t thread, std::size_t i) {
        const Part part = by_rows.part<Wide>(product, i);
        const Product<T, float> from = product.matrix(part.matrix);
        const T* a = from.a + part.row * from.a_row;
        T* const c = from.c + part.row * from.n;
        const std::size_t elements = part.rows * from.n;
        if (from.beta != 0) cpu::widen<Format<T>>(elements, c, buffers.c(thread));
        TileOperands<Wide> at{};
        at.tiles = part.rows, at.a_row = from.a_row, at.last = from.n;
        at.b = buffers.b(thread), at.b_row = from.n;
        at.c = buffers.c(thread), at.c_row = from.n, at.alpha = from.alpha, at.beta = from.beta;
        for (std::size_t slice = 0; slice < slices; ++slice, a += at.k, at.beta = 1) {
          const std::size_t p = cut(from.k, slices, slice);
          at.k = cut(from.k, slices, slice + 1) - p;
          const T* const b = from.b + p * from.n;
          if constexpr (widens_b) {
            cpu::widen<Format<T>>(at.k * from.n, b, buffers.b(thread));
            sum_along(at, a, &DotProducts<Factors>::run);
          } else {
            using Bits = std::uint16_t;
            auto* const turned = reinterpret_cast<Bits*>(buffers.b(thread));
            cpu::transpose<vector_bytes>(at.k, from.n, reinterpret_cast<const Bits*>(b), from.n,
                                         turned, at.k);
            DotProducts<Factors>::run(part.rows, from.n,
                                      {at.k, a, from.a_row, reinterpret_cast<const T*>(turned),
                                       at.k, at.c, at.c_row, 1, at.alpha, at.beta});
          }
        }
        cpu::narrow<Format<T>>(elements, buffers.c(thread), c);
      });
}

// As f32's. Rows of b are read as `Factors` says; those of a are widened before, if it wants that.
template <class Factors, class T>
std::unique_ptr<Task> launch_flat(const Product<T, float>& product, const Deal& deal,
                                  const Target& target) {
  constexpr bool widens_a = std::is_same_v<typename Factors::Column, float>;
  const std::size_t cuts = deal.row_cuts * deal.column_cuts, m = product.m, k = product.k;
  const std::size_t columns = parts_of(parts_of(product.n, Traits::lanes), cuts) * Traits::lanes;
  const ThreadBuffers buffers(deal.threads, widens_a ? m * k : 0, 0, m * columns, target);
  return share_out(
      deal, product.batch * cuts, target,
      [=, by_columns = Deal{deal.threads, 1, cuts}](std::size_t thread, std::size_t i) {
        const Part part = by_columns.part<Wide>(product, i);
        const Product<T, float> from = product.matrix(part.matrix);
        T* const c = from.c + part.column;
        float* const own_c = buffers.c(thread);
        if (from.beta != 0) widen_block(c, {from.n, 1}, m, part.columns, own_c);
        const auto run = [&](const auto* a) {
          DotProducts<Factors>::run(part.columns, m,
                                    {k, from.b + part.column * k, k, a, k, own_c, 1, part.columns,
                                     from.alpha, from.beta});
        };
        if constexpr (widens_a) {
          cpu::widen<Format<T>>(m * k, from.a, buffers.a(thread));
          run(buffers.a(thread));
        } else {
          run(from.a);
        }
        narrow_rows(own_c, m, part.columns, from.n, c);
      });
}

// Where b is read in place: a part at a time, all of it widened in the cache of its thread, or of
// a large b some rows at a time.
template <class T>
std::unique_ptr<Task> launch_in_place(const Product<T, float>& product, Deal deal,
                                      const Target& target) {
  constexpr std::size_t cache = 2048 * 1024 / sizeof(float);
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta, way] =
      product;
  const std::size_t slices = b_is_small(product) ? 1 : parts_of(k, 16);
  const std::size_t columns =
      parts_of(parts_of(n, Traits::lanes), deal.column_cuts) * Traits::lanes;
  if (slices == 1) deal.row_cuts *= parts_of(parts_of(m, deal.row_cuts) * (k + columns), cache);
  const std::size_t rows = parts_of(m, deal.row_cuts), cuts = deal.row_cuts * deal.column_cuts;
  const ThreadBuffers buffers(deal.threads, rows * k, parts_of(k, slices) * columns, rows * columns,
                              target);
  const bool adds_to_c = slices > 1 || beta != 0;
  std::vector<std::vector<Call<Wide>>> calls(cuts);
  for (std::size_t i = 0; i < cuts; ++i) {
    const Part part = deal.part<Wide>(product, i);
    const Strides of_a = Strides{a_row, a_column}.packed(part.rows, k);
    list_calls(Steps<Wide>{{buffers.a(0), buffers.b(0), buffers.c(0), part.rows, part.columns, k, 1,
                            of_a.row, of_a.column, part.columns, 1, alpha, beta},
                           buffers.a(0),
                           of_a.row,
                           of_a.column,
                           0},
               Part{0, 0, part.rows, 0, part.columns}, slices, adds_to_c, 0, calls[i]);
  }
  // `multiply(from, moved)` makes what is in the thread's place of c.
  const auto run_part = [=](std::size_t thread, const Part& part, const auto& multiply) {
    const Product<T, float> from = product.matrix(part.matrix);
    T* const to = from.c + part.row * from.n + part.column;
    float *const own_a = buffers.a(thread), *const own_c = buffers.c(thread);
    widen_block(from.a + part.row * from.a_row, {from.a_row, from.a_column}, part.rows, from.k,
                own_a);
    if (from.beta != 0) widen_block(to, {from.n, 1}, part.rows, part.columns, own_c);
    multiply([&](std::size_t p, std::size_t depth) {
      widen_block(from.b + p * from.b_row + part.column, {from.b_row, 1}, depth, part.columns,
                  buffers.b(thread));
    });
    narrow_rows(own_c, part.rows, part.columns, from.n, to);
  };
  if (batch * cuts == 1 && slices == 1)
    return make_task(
        [=, calls = std::move(calls.front())] {
          run_part(0, Part{0, 0, product.m, 0, product.n}, [&](const auto& widen_b) {
            widen_b(0, product.k);
            for (const auto& call : calls) call.run(call.at);
          });
        },
        own(target.gemm, target, 1));
  return share_out(deal, batch * cuts, target, [=](std::size_t thread, std::size_t i) {
    run_part(thread, deal.part<Wide>(product, i), [&](const auto& widen_b) {
      const std::ptrdiff_t moved = buffers.a(thread) - buffers.a(0);
      run_calls(calls[i % cuts], product.k, slices, {moved, moved, moved}, false,
                [&](std::size_t p, std::size_t depth) {
                  widen_b(p, depth);
                  return std::ptrdiff_t(0);
                });
    });
  });
}

// As copy_panel.
template <class T>
void widen_panel(const Product<T, float>& product, std::size_t depth0, std::size_t depth,
                 std::size_t column0, const Strips<float>& strips, const StripRange& range,
                 float* panel) {
  if (product.b_column != 1)
    return turn_panel(depth0, depth, column0, strips, range, panel,
                      [&](std::size_t j, std::size_t p, std::size_t steps, float* place) {
                        const T* const from = product.b + p + j * product.b_column;
                        cpu::widen<Format<T>>(steps, from, place);
                        return place;
                      });
  for (std::size_t p = 0; p < depth; ++p) {
    float* strip_to = panel;
    for (std::size_t strip = range.first; strip < range.end; ++strip) {
      const std::size_t width = strips.width(strip), used = strips.used(strip);
      const std::size_t j = column0 + strips[strip];
      float* const to = strip_to + p * width;
      prefetch_b(product, depth0 + p, j, used);
      cpu::widen<Format<T>>(used, product.b + (depth0 + p) * product.b_row + j, to);
      std::fill(to + used, to + width, 0.0f);
      strip_to += depth * width;
    }
  }
}

// A panel of b at a time, as run_part copies it. Of a some rows are widened when the first panel
// needs them, and kept for the others; of c a piece in the first-level cache is rounded when it is
// complete. Where k is cut into slices all of c is kept in f32.
template <class T>
std::unique_ptr<Task> launch_packed(const Product<T, float>& product, const Deal& deal,
                                    const Target& target) {
  constexpr std::size_t piece_rows = std::lcm(Traits::rows, Traits::lanes);
  constexpr std::size_t piece_strips = 192 / Panel<Wide>::width;
  constexpr std::size_t piece_columns = piece_strips * Panel<Wide>::width;
  const Panel<Wide> most(product.k);
  const std::size_t slices = product.k == 0 ? 1 : parts_of(product.k, most.depth);
  const std::size_t rows = parts_of(product.m, deal.row_cuts);
  const std::size_t columns =
      parts_of(parts_of(product.n, Traits::lanes), deal.column_cuts) * Traits::lanes;
  const bool keeps_a = columns > most.columns, keeps_c = slices > 1;
  const ThreadBuffers buffers(deal.threads, (keeps_a ? rows : piece_rows) * most.depth,
                              most.elements(),
                              keeps_c ? rows * columns : piece_rows * piece_columns, target);
  const auto run = [=](std::size_t thread, std::size_t i) {
    const Part part = deal.part<Wide>(product, i);
    const Product<T, float> from = product.matrix(part.matrix);
    const Strips<float> strips(part.columns);
    const std::size_t panels = parts_of(part.columns, most.columns);
    // Whole tiles, as high as they get.
    const Heights heights(part.rows, Traits::rows);
    const std::size_t blocks = parts_of(heights.tiles, piece_rows / Traits::rows);
    float* const own_b = buffers.b(thread);
    for (std::size_t s = 0; s < slices; ++s) {
      const std::size_t p = cut(from.k, slices, s), depth = cut(from.k, slices, s + 1) - p;
      for (std::size_t panel = 0; panel < panels; ++panel) {
        const StripRange range{cut(strips.count, panels, panel),
                               cut(strips.count, panels, panel + 1)};
        widen_panel(from, p, depth, part.column, strips, range, own_b);
        for (std::size_t block = 0; block < blocks; ++block) {
          const std::size_t r = heights.row_of(cut(heights.tiles, blocks, block));
          const std::size_t count = heights.row_of(cut(heights.tiles, blocks, block + 1)) - r;
          float* const own_a = buffers.a(thread) + (keeps_a ? r * depth : 0);
          const Strides of_a{from.a_row, from.a_column}, packed = of_a.packed(count, depth);
          if (!keeps_a || panel == 0)
            widen_block(from.a + (part.row + r) * of_a.row + p * of_a.column, of_a, count, depth,
                        own_a);
          for (std::size_t strip = range.first; strip < range.end; strip += piece_strips) {
            const StripRange piece_range{strip, std::min(strip + piece_strips, range.end)};
            const std::size_t j = strips[strip];
            const std::size_t piece = std::min(strips[piece_range.end], part.columns) - j;
            T* const to = from.c + (part.row + r) * from.n + part.column + j;
            float* const own_c = buffers.c(thread) + (keeps_c ? part.rows * j + r * piece : 0);
            if (s == 0 && from.beta != 0) widen_block(to, {from.n, 1}, count, piece, own_c);
            if (s + 1 == slices) {
              for (std::size_t row = 0; row < count; ++row)
                for (std::size_t l = 0; l < piece; l += 64 / sizeof(T))
                  __builtin_prefetch(to + row * from.n + l, 1);
            }
            // Without b, whose panel is named by itself.
            const Product<float> wide{own_a,
                                      nullptr,
                                      own_c,
                                      count,
                                      piece,
                                      depth,
                                      1,
                                      packed.row,
                                      packed.column,
                                      0,
                                      1,
                                      from.alpha,
                                      s == 0 ? from.beta : 1};
            run_panel<Wide, float>(Steps<Wide>{wide, own_a, packed.row, packed.column, 0},
                                   Part{0, 0, count, 0, piece}, 0, depth, strips, piece_range,
                                   nullptr, own_b + (j - strips[range.first]) * depth, false,
                                   nullptr);
            if (s + 1 == slices) narrow_rows(own_c, count, piece, from.n, to);
          }
        }
      }
    }
  };
  return share_out(deal, product.batch * deal.row_cuts * deal.column_cuts, target, run);
}

// Whether copies in f32 of all that a thread reads and makes, at once, would leave caches of 512
// KB, which many processors with AVX2 have, to little else. With AVX-512 to cut them up takes
// longer.
template <class T>
bool outgrows_cache(const Product<T, float>& product, const Deal& deal) {
  return !Traits::many_registers && product.n * product.k > 128 * 1024 / sizeof(float) &&
         parts_of(product.m, deal.row_cuts) > 4 * Traits::rows;
}

template <class T>
std::unique_ptr<Task> launch_wide(const Product<T, float>& product, Target target) {
  target.gemm = cpu::gemm_routine(product.way, "gemm widened");
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<Wide>(product, threads);
  if constexpr (widens_in_registers) {
    if (is_narrow(product)) return launch_summed<Widening<T>>(product, deal, target);
    if (is_flat_along(product,
                      std::min<std::size_t>(Traits::many_registers ? 128 : 40, product.k / 8)))
      return launch_flat<Widening<T>>(product, deal, target);
  }
  if (!reads_b_in_place(product, deal, 2 * Traits::rows) || outgrows_cache(product, deal))
    return launch_packed(product, deal, target);
  if constexpr (widens_in_registers)
    if (is_long_row(product)) return launch_row(product, deal, target);
  return launch_in_place(product, deal, target);
}

#if defined(__x86_64__)
// By a unit for matrices: parts of whole tiles, each by one thread.
std::unique_ptr<Task> launch_tiles(const Product<BrainHalf, float>& product, const Target& target) {
  constexpr std::size_t side = 32;
  constexpr double worth_threads = 2.0 * 150 * 150 * 150;  // flops, a few microseconds of one
  const std::size_t down = parts_of(product.m, side), across = parts_of(product.n, side);
  const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
  const auto all = std::size_t(target.space.concurrency());
  Deal deal{1, 1, 1};
  if (product.batch >= all || flops < worth_threads) {
    if (flops * double(product.batch) >= worth_threads) deal.threads = std::min(all, product.batch);
  } else {
    // The largest part takes the shortest, where to copy a tile of b takes as long as to multiply
    // it with two of a, and one of a half as long.
    double least = 0;
    for (std::size_t cuts = 1; cuts <= all; ++cuts) {
      if (all % cuts != 0) continue;
      const auto rows = double(parts_of(down, cuts)),
                 columns = double(parts_of(across, all / cuts));
      const double time = (rows + 2) * (columns + 0.5);
      if (least == 0 || time < least) least = time, deal = {all, cuts, all / cuts};
    }
  }
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  const std::size_t rows = std::min(product.m, parts_of(down, deal.row_cuts) * side);
  const std::size_t columns = std::min(product.n, parts_of(across, deal.column_cuts) * side);
  const std::size_t own = parts_of(cpu::tiles_workspace_bytes(rows, columns, product.k), 64) * 16;
  const Workspace<float> workspace(deal.threads * own, target);
  return share_out(deal, product.batch * cuts, target, [=](std::size_t thread, std::size_t i) {
    const Product<BrainHalf, float> from = product.matrix(i / cuts);
    const std::size_t row = i % cuts / deal.column_cuts, column = i % deal.column_cuts;
    const auto edge = [](std::size_t of, std::size_t blocks, std::size_t pieces,
                         std::size_t piece) {
      return std::min(of, cut(blocks, pieces, piece) * side);
    };
    const std::size_t r0 = edge(from.m, down, deal.row_cuts, row);
    const std::size_t r1 = edge(from.m, down, deal.row_cuts, row + 1);
    const std::size_t c0 = edge(from.n, across, deal.column_cuts, column);
    const std::size_t c1 = edge(from.n, across, deal.column_cuts, column + 1);
    if (r0 == r1 || c0 == c1) return;
    const bool transpose_a = from.a_column != 1, transpose_b = from.b_column != 1;
    cpu::multiply_by_tiles({transpose_a, transpose_b, r1 - r0, c1 - c0, from.k,
                            from.a + r0 * from.a_row, transpose_a ? from.a_column : from.a_row,
                            from.b + c0 * from.b_column, transpose_b ? from.b_column : from.b_row,
                            from.c + r0 * from.n + c0, from.n, from.alpha, from.beta},
                           workspace.data() + thread * own);
  });
}
#endif

}  // namespace

// Other ways than that of the rules are made where they are asked for, and not tried.
template <>
std::unique_ptr<Task> launch(const Product<Half, float>& asked, const Target& target) {
  Product<Half, float> product = as_it_lies(asked);
  product.way = target.way.value_or(Way());
  return launch_wide(product, target);
}
template <>
std::unique_ptr<Task> launch(const Product<BrainHalf, float>& asked, const Target& target) {
  Product<BrainHalf, float> product = as_it_lies(asked);
  product.way = target.way.value_or(Way());
#if defined(__x86_64__)
  if (may_use_amx() && cpu::tiles_pay_off(product.m, product.n, product.k))
    return launch_tiles(product, target);
#endif
#if defined(PAIRS_OF_BF16)
  const bool is_tiny = product.m * product.n * product.k < 20 * 20 * 20;
  // A column is multiplied as a row.
  const Product<BrainHalf, float> flat = product.n == 1 ? transposed(product) : product;
  if (vdpbf16ps_is_fast() && is_flat_along(flat, cpu::Bf16Pairs::most_rows(flat.k)))
    return launch_flat<cpu::Bf16Pairs>(
        flat, Deal::of<Wide>(flat, std::size_t(target.space.concurrency())), target);
  // More columns make tiles that are full enough, unless sums are long.
  const bool sums_along = is_narrow(product) && product.n <= (product.k >= 256 ? 8 : 6);
  if (vdpbf16ps_is_fast() && sums_along && product.m > 1 && product.k >= cpu::Bf16Pairs::steps)
    return launch_summed<cpu::Bf16Pairs>(
        product, Deal::of<Wide>(product, std::size_t(target.space.concurrency())), target);
  if (vdpbf16ps_is_fast() && !is_tiny && !is_long_row(product) && !sums_along)
    return launch_pairs(product, target);
#endif
  return launch_wide(product, target);
}

}  // namespace breakeven::kokkos
