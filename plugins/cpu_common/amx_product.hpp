// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by a unit for matrices (AMX): tiles of 16 rows of 64 bytes, of which one
// instruction multiplies two, a row of 16 pairs of steps of k by 16 rows of 16 pairs of columns,
// and adds them to a third, of f32. For sources that are compiled with AVX512BW and AVX512_BF16.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "plugins/cpu_common/bf16_tiles.hpp"
#include "plugins/cpu_common/turn_block.hpp"

namespace breakeven::cpu {

// `Tiles` has eight tiles of its thread, made ready by begin() and given back by end():
//   zero<tile>(), load<tile>(from, stride), store<tile>(to, stride), strides in bytes, and
//   multiply<sum, left, right>().
template <class Tiles>
class AmxProduct {
 public:
  // Of any alignment; aligned to 64 bytes within.
  static std::size_t workspace_bytes(std::size_t m, std::size_t n, std::size_t k) {
    const Plan plan(m, n, k);
    return plan.bytes_of_a + plan.bytes_of_b + line;
  }

  static void run(const Bf16Operands& of, void* workspace) {
    const Plan plan(of.m, of.n, of.k);
    const std::size_t past_line = reinterpret_cast<std::uintptr_t>(workspace) % line;
    char* const packed_a = static_cast<char*>(workspace) + (line - past_line) % line;
    char* const packed_b = packed_a + plan.bytes_of_a;
    alignas(line) float sums[most][most];
    Sums last(sums[0]);
    const bool c_is_large = of.m * of.n * sizeof(Bf16) > std::size_t(3) << 18;
    Tiles::begin();
    for (std::size_t first = 0; first < of.n; first += plan.group) {
      const std::size_t end = std::min(first + plan.group, of.n);
      for (std::size_t j = first; j < end; j += most)
        pack_b(of, plan.steps, j, packed_b + (j - first) / side * plan.steps * tile);
      for (std::size_t i = 0; i < of.m; i += most) {
        const bool is_there = of.m <= most && first > 0;
        const Panel panel(of, plan.steps, i, packed_a, is_there);
        Soon soon(of, i + most);
        for (std::size_t j = first; j < end; j += most) {
          if (c_is_large)
            for (std::size_t row = i; row < std::min(i + most, of.m); ++row)
              __builtin_prefetch(of.c + row * of.c_row + j, 1);
          const auto multiply = blocks[of.m - i > side][of.n - j > side];
          multiply(panel, packed_b + (j - first) / side * plan.steps * tile, last, soon);
          last = Sums(of, i, j, sums[0]);
        }
      }
    }
    last.leave_tiles();
    Tiles::end();
    last.round(most);
  }

 private:
  // Rows of a tile; the rows and columns of c that four tiles hold; steps of k of one instruction;
  // bytes of a row and of a tile.
  static constexpr std::size_t side = 16, most = 2 * side, depth = 32, line = 64;
  static constexpr std::size_t tile = side * line;
  // b is asked for so many steps before it is packed.
  static constexpr std::size_t steps_ahead = 16;

  static constexpr std::size_t parts_of(std::size_t of, std::size_t to) {
    return (of + to - 1) / to;
  }

  // Strips of b are packed a group at a time, for the second cache, and of a one panel at a time.
  // Where there is only one panel a strip is used once, and overwritten in the first cache.
  struct Plan {
    std::size_t steps, group;  // columns of a group
    std::size_t bytes_of_a, bytes_of_b;

    Plan(std::size_t m, std::size_t n, std::size_t k)
        : steps(std::max<std::size_t>(1, parts_of(k, depth))),
          group(most * (m <= most ? 1
                                  : std::max<std::size_t>(
                                        1, (std::size_t(1) << 20) / (2 * tile * steps + 1)))),
          bytes_of_a(parts_of(std::min(m, most), side) * steps * tile),
          bytes_of_b(parts_of(std::min(group, n), side) * steps * tile) {}
  };

  static __mmask32 first_of(std::size_t count) {
    return count >= depth ? ~__mmask32(0) : (__mmask32(1) << count) - 1;
  }
  static __m512i load(const Bf16* from, __mmask32 there) {
    return _mm512_maskz_loadu_epi16(there, from);
  }
  // With masks, because without them GCC 12 warns of its own header.
  template <int half>
  static __m512i half_of(__m512i numbers) {
    return _mm512_maskz_cvtepu16_epi32(0xffff,
                                       _mm512_maskz_extracti64x4_epi64(0xff, numbers, half));
  }
  static __m512i shifted(__m512i numbers) { return _mm512_maskz_slli_epi32(0xffff, numbers, 16); }
  static void store_turned(Vector<std::uint32_t, 64> (&rows)[side], char* to) {
    turn_rows<1>(rows);
    for (std::size_t i = 0; i < side; ++i) cpu::store(to + i * line, rows[i]);
  }

  // One tile of 16 lines that lie along k.
  static void pack_along(const Bf16* from, std::size_t stride, std::size_t lines, __mmask32 there,
                         char* to, bool turned) {
    if (turned) {
      Vector<std::uint32_t, 64> rows[side] = {};
      for (std::size_t i = 0; i < lines; ++i)
        rows[i] = Vector<std::uint32_t, 64>(load(from + i * stride, there));
      return store_turned(rows, to);
    }
    for (std::size_t i = 0; i < side; ++i)
      _mm512_store_si512(to + i * line,
                         i < lines ? load(from + i * stride, there) : _mm512_setzero_si512());
  }
  // One tile of up to 16 columns, of `left` lines across k and zeros from there on.
  static void pack_across(const Bf16* from, std::size_t stride, std::size_t left,
                          std::size_t columns, char* to, bool turned) {
    const __mmask32 there = first_of(std::min(columns, side));
    Vector<std::uint32_t, 64> rows[side];
    for (std::size_t pair = 0; pair < side; ++pair) {
      const auto row = [&](std::size_t p) {
        return p < left ? load(from + p * stride, there) : _mm512_setzero_si512();
      };
      const __m512i pairs =
          _mm512_or_epi32(half_of<0>(row(2 * pair)), shifted(half_of<0>(row(2 * pair + 1))));
      if (turned)
        rows[pair] = Vector<std::uint32_t, 64>(pairs);
      else
        _mm512_store_si512(to + pair * line, pairs);
    }
    if (turned) store_turned(rows, to);
  }

  // Up to 32 rows of a: their first steps where they lie, if that is no slower than to copy them,
  // and the others in tiles, step after step.
  struct Panel {
    std::size_t in_place, copied;  // steps
    const char* lies;
    std::size_t row_bytes;
    const char* packed;

    // `is_there`: what has to be copied was copied before.
    Panel(const Bf16Operands& of, std::size_t steps, std::size_t i, char* to, bool is_there)
        : in_place(reads_in_place(of, i) ? of.k / depth : 0),
          copied(steps - in_place),
          lies(reinterpret_cast<const char*>(of.a + (in_place != 0 ? i * of.a_line : 0))),
          row_bytes(of.a_line * sizeof(Bf16)),
          packed(to) {
      if (is_there) return;
      const std::size_t end = std::min(i + most, of.m);
      for (std::size_t p = in_place * depth; p < steps * depth; p += depth)
        for (std::size_t row = i; row < end; row += side, to += tile)
          if (of.transpose_a)
            pack_across(of.a + p * of.a_line + row, of.a_line, of.k - p, of.m - row, to, true);
          else
            pack_along(of.a + row * of.a_line + p, of.a_line, std::min(side, of.m - row),
                       first_of(of.k - p), to, false);
    }

    // Rows that begin inside of lines take two for one, and those that are whole pages apart push
    // each other out of the first cache. Many columns make up for copies.
    static bool reads_in_place(const Bf16Operands& of, std::size_t i) {
      const std::size_t rows = std::min(most, of.m - i), bytes = of.a_line * sizeof(Bf16);
      const bool whole_lines = (reinterpret_cast<std::uintptr_t>(of.a) | bytes) % line == 0;
      return !of.transpose_a && rows % side == 0 &&
             of.n <= (whole_lines && bytes % 4096 != 0 ? 512 : 64);
    }
  };

  // The lines of the panel after that, which are brought to the second cache meanwhile.
  class Soon {
   public:
    Soon(const Bf16Operands& of, std::size_t i) {
      if (i >= of.m) return;
      from_ = reinterpret_cast<const char*>(of.a + i * (of.transpose_a ? 1 : of.a_line));
      stride_ = of.transpose_a ? of.a_line * sizeof(Bf16) : line;
      left_ = of.transpose_a ? of.k : std::min(most, of.m - i) * of.a_line * sizeof(Bf16) / line;
    }
    [[gnu::always_inline]] void two_lines() {
      if (left_ < 2) return;
      __builtin_prefetch(from_, 0, 2);
      __builtin_prefetch(from_ + stride_, 0, 2);
      from_ += 2 * stride_, left_ -= 2;
    }

   private:
    const char* from_ = nullptr;
    std::size_t stride_ = 0, left_ = 0;
  };

  // Two tiles of up to 32 columns, of `left` lines across k and zeros from there on.
  static void pack_both(const Bf16* from, std::size_t stride, std::size_t left, std::size_t columns,
                        char* to) {
    // The first and the fifth of eight columns together, and so on: then halves of every 16 bytes
    // of two lines are pairs of 16 columns in their order.
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    const __mmask32 there = first_of(columns);
    for (std::size_t p = 0; p < depth; p += 2, from += 2 * stride, to += line) {
      const auto row = [&](std::size_t next) {
        return p + next < left
                   ? _mm512_maskz_permutexvar_epi64(0xff, order, load(from + next * stride, there))
                   : _mm512_setzero_si512();
      };
      __builtin_prefetch(from + steps_ahead * stride);
      __builtin_prefetch(from + (steps_ahead + 1) * stride);
      const __m512i one = row(0), next = row(1);
      _mm512_store_si512(to, _mm512_unpacklo_epi16(one, next));
      _mm512_store_si512(to + tile, _mm512_unpackhi_epi16(one, next));
    }
  }

  // Those of a strip of up to 32 columns.
  static void pack_b(const Bf16Operands& of, std::size_t steps, std::size_t j, char* to) {
    const std::size_t columns = std::min(most, of.n - j);
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t p = s * depth, left = of.k - p;
      if (!of.transpose_b && columns > side) {
        pack_both(of.b + p * of.b_line + j, of.b_line, left, columns, to);
        to += 2 * tile;
        continue;
      }
      for (std::size_t column = j; column < j + columns; column += side, to += tile)
        if (of.transpose_b)
          pack_along(of.b + column * of.b_line + p, of.b_line, std::min(side, of.n - column),
                     first_of(left), to, true);
        else
          pack_across(of.b + p * of.b_line + column, of.b_line, left, of.n - column, to, false);
    }
  }

  // Finished sums of one block of c. They stay in their tiles until the first step of the next
  // block, which has other tiles to load meanwhile, and are rounded by its other steps.
  class Sums {
   public:
    // Of no block.
    explicit Sums(float* buffer) : buffer_(buffer) {}
    Sums(const Bf16Operands& of, std::size_t i, std::size_t j, float* buffer)
        : high_(of.m - i > side),
          wide_(of.n - j > side),
          buffer_(buffer),
          to_(of.c + i * of.c_row + j),
          stride_(of.c_row),
          left_(std::min(most, of.m - i)),
          there_(first_of(of.n - j)),
          alpha_(of.alpha),
          beta_(of.beta) {}

    // Tile `sum`, if the block has it.
    template <int sum>
    [[gnu::always_inline]] void leave_tile() const {
      if (left_ == 0 || (sum >= 2 && !high_) || (sum % 2 != 0 && !wide_)) return;
      float* const corner = buffer_ + sum / 2 * side * most + sum % 2 * side;
      Tiles::template store<sum>(corner, most * sizeof(float));
    }
    void leave_tiles() const { leave_tile<0>(), leave_tile<1>(), leave_tile<2>(), leave_tile<3>(); }
    // So many of the rows that are left.
    [[gnu::always_inline]] void round(std::size_t rows) {
      for (; rows != 0 && left_ != 0; --rows) row();
    }

   private:
    [[gnu::always_inline]] void row() {
      __m512 low = _mm512_load_ps(buffer_), high = _mm512_load_ps(buffer_ + side);
      if (alpha_ != 1) low *= _mm512_set1_ps(alpha_), high *= _mm512_set1_ps(alpha_);
      if (beta_ != 0) {
        const __m512i old = load(to_, there_);
        low += _mm512_set1_ps(beta_) * __m512(shifted(half_of<0>(old)));
        high += _mm512_set1_ps(beta_) * __m512(shifted(half_of<1>(old)));
      }
      // A store by mask takes several times as long, with all of it set, too.
      const __m512i rounded = __m512i(_mm512_cvtne2ps_pbh(high, low));
      if (there_ == ~__mmask32(0))
        _mm512_storeu_si512(to_, rounded);
      else
        _mm512_mask_storeu_epi16(to_, there_, rounded);
      buffer_ += most, to_ += stride_, --left_;
    }

    bool high_ = false, wide_ = false;
    float* buffer_;
    Bf16* to_ = nullptr;
    std::size_t stride_ = 0, left_ = 0;
    __mmask32 there_ = 0;
    float alpha_ = 1, beta_ = 0;
  };

  // So many tiles of rows and of columns; sums are 0 to 3, factors 4 to 7.
  template <int high, int wide>
  static void multiply(const Panel& panel, const char* b, const Sums& of_last, Soon& all_soon) {
    Sums last = of_last;  // what nothing else sees stays in registers
    Soon soon = all_soon;
    // Of a panel whose rows and whose upper and lower tile are so many bytes apart.
    const auto step = [&]<bool first>(const char* a, std::size_t row, std::size_t lower)
        __attribute__((always_inline)) {
      const auto make_ready = [&]<int sum>() __attribute__((always_inline)) {
        if constexpr (first) last.template leave_tile<sum>();
        if constexpr (first && (sum < 2 || high > 1) && (sum % 2 == 0 || wide > 1))
          Tiles::template zero<sum>();
      };
      Tiles::template load<6>(b, line);
      Tiles::template load<4>(a, row);
      make_ready.template operator()<0>();
      Tiles::template multiply<0, 4, 6>();
      if constexpr (high > 1) Tiles::template load<5>(a + lower, row);
      make_ready.template operator()<2>();
      if constexpr (high > 1) Tiles::template multiply<2, 5, 6>();
      if constexpr (wide > 1) Tiles::template load<7>(b + tile, line);
      make_ready.template operator()<1>();
      if constexpr (wide > 1) Tiles::template multiply<1, 4, 7>();
      make_ready.template operator()<3>();
      if constexpr (high > 1 && wide > 1) Tiles::template multiply<3, 5, 7>();
      b += wide * tile;
    };

    const std::size_t steps = panel.in_place + panel.copied;
    const std::size_t rows = parts_of(most, std::max<std::size_t>(1, steps - 1));
    const auto add = [&](std::size_t count, const char* a, std::size_t row, std::size_t lower,
                         std::size_t apart) __attribute__((always_inline)) {
      for (; count != 0; --count, a += apart) {
        step.template operator()<false>(a, row, lower);
        last.round(rows);
        soon.two_lines();
      }
    };
    const std::size_t row = panel.row_bytes, lower = side * row;
    if (panel.in_place != 0) {
      step.template operator()<true>(panel.lies, row, lower);
      add(panel.in_place - 1, panel.lies + line, row, lower, line);
      add(panel.copied, panel.packed, line, tile, high * tile);
    } else {
      step.template operator()<true>(panel.packed, line, tile);
      add(panel.copied - 1, panel.packed + high * tile, line, tile, high * tile);
    }
    last.round(most);
    all_soon = soon;
  }
  // [two tiles of rows][two tiles of columns]
  static constexpr decltype(&multiply<1, 1>) blocks[2][2] = {{&multiply<1, 1>, &multiply<1, 2>},
                                                             {&multiply<2, 1>, &multiply<2, 2>}};
};

}  // namespace breakeven::cpu
