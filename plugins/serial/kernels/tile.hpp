// SPDX-License-Identifier: Apache-2.0
// A tile of c held in registers while k runs: rows × vectors sums, each step an outer product of a
// column of a, broadcast, and a row of b.
#pragma once

#include <algorithm>

#include "plugins/cpu_common/row_pointers.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

// One tile, and leaves the rows of b that it read one after the other in `packed`: while they come
// from far away there is something to compute.
template <class T>
using RunPackingTile = void (*)(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a,
                                const T* b, std::size_t stride_b, T* c, std::size_t stride_c,
                                T alpha, T beta, std::size_t last_b, std::size_t last_c,
                                std::size_t keep, const Soon<T>* soon, T* packed);

template <class V, std::size_t count, class T>
[[gnu::always_inline]] inline void scale(V (&sums)[count], T alpha) {
#pragma GCC unroll 32
  for (V& sum : sums) sum *= broadcast<V>(alpha);
}

template <class V, class T>
[[gnu::always_inline]] inline void add_to(T* c, V sum, T beta) {
  store(c, sum + broadcast<V>(beta) * load<V>(c));
}

template <class Target, class V, class T, int rows, int vectors>
class Tile {
 public:
  static void run(std::size_t panels, std::size_t k, const T* a, std::size_t row_a,
                  std::size_t step_a, const T* b, std::size_t stride_b, T* c, std::size_t stride_c,
                  T alpha, T beta, std::size_t last_b, std::size_t last_c, std::size_t keep,
                  const Soon<T>* soon) {
    const Ending ending(alpha, beta);
    const auto run_one = [&](const auto& each) __attribute__((always_inline)) {
      V sums[rows][vectors] = {};
      cpu::RowPointers<T, rows> at_a(a, row_a);
      const T* at_b = b;
      run_steps(k, sums, at_a, step_a, at_b, stride_b, last_b, each);
      // Else what is made of these stays in registers that the steps need.
      asm volatile("" : "+m"(c), "+m"(stride_c), "+m"(last_c));
      c = finish(ending, sums, c, stride_c, alpha, beta, last_c, keep);
    };
    if constexpr (may_ask && vectors <= 8)
      if (soon && soon->line) {
        const T* line = soon->line;
        const std::size_t line_step = soon->line_step;
        const std::ptrdiff_t line_turn = soon->line_turn;
        for (; panels > 0; --panels, a += rows * row_a, line += line_turn)
          run_one([&, ahead = b + soon->steps_ahead * stride_b](const auto&) mutable
                  __attribute__((always_inline)) {
                    __builtin_prefetch(line, 0, 2);
                    line += line_step;
#pragma GCC unroll 8
                    for (int j = 0; j < vectors; j += vectors_of_line)
                      __builtin_prefetch(ahead + j * lanes);
                    __builtin_prefetch(ahead + vectors * lanes - 1);
                    ahead += stride_b;
                  });
        return;
      }
    if (panels == 1 && k >= shortest_asking) {
      const auto ask = [&]<int known_step>() __attribute__((always_inline)) {
        run_asking<false, known_step>(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta,
                                      last_b, last_c, keep, soon, nullptr);
      };
      if constexpr (may_know_steps)
        if (stride_b == vectors * lanes && last_b == stride_b - lanes) {
          if (step_a == 1) return ask.template operator()<1>();
          if (step_a == rows && row_a == 1) return ask.template operator()<rows>();
        }
      return ask.template operator()<0>();
    }
    if (soon && panels == 1)  // k is short and c large: the tile to the right
      for (int i = 0; i < rows; ++i)
        for (int j = vectors; j < 2 * vectors; ++j)
          __builtin_prefetch(c + i * stride_c + j * lanes, 1);
    for (; panels > 0; --panels, a += rows * row_a)
      run_one([](const auto&) __attribute__((always_inline)){});
  }

  static void run_packing(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a,
                          const T* b, std::size_t stride_b, T* c, std::size_t stride_c, T alpha,
                          T beta, std::size_t last_b, std::size_t last_c, std::size_t keep,
                          const Soon<T>* soon, T* packed) {
    run_asking<true, 0>(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta, last_b, last_c,
                        keep, soon, packed);
  }

 private:
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  static constexpr int vectors_of_line = 64 / sizeof(V);
  // Vectors of 64 bytes, and those of AVX2.
  static constexpr bool may_ask =
      sizeof(V) == 64 || (sizeof(V) == 32 && sizeof(V) == Target::bytes && !Target::many_registers);
  // Where b and maybe a are copied: a loop of fewer instructions, which takes 2 % less time while
  // a neighbour shares the core.
  static constexpr bool may_know_steps =
      may_ask && sizeof(V) == 32 && (vectors == 2 || vectors == 3);

  // So long before the end the lines of c are asked for, and before they are packed those of b.
  static constexpr std::size_t steps_ahead = 32;
  // Fewer steps end before what was asked for is there.
  static constexpr std::size_t shortest_asking = 40;

  // `each` is called with the vectors of b of every step.
  template <class Each>
  [[gnu::always_inline]] static void run_steps(std::size_t steps, V (&sums)[rows][vectors],
                                               cpu::RowPointers<T, rows>& a, std::size_t step_a,
                                               const T*& b, std::size_t stride_b,
                                               std::size_t last_b, Each each) {
    const auto step = [&]() __attribute__((always_inline)) {
      V loaded[vectors];
      // The sums of a wide tile leave registers for one vector of b at a time.
      if constexpr (vectors > 3 && !Target::many_registers) {
        V factors[rows];
#pragma GCC unroll 32
        for (int i = 0; i < rows; ++i) factors[i] = broadcast<V>(a[i]);
#pragma GCC unroll 32
        for (int j = 0; j < vectors; ++j) {
          loaded[j] = load<V>(b + (j + 1 < vectors ? j * lanes : last_b));
#pragma GCC unroll 32
          for (int i = 0; i < rows; ++i) sums[i][j] += factors[i] * loaded[j];
        }
        each(loaded);
        a.advance(step_a), b += stride_b;
        return;
      }
#pragma GCC unroll 32
      for (int j = 0; j < vectors - 1; ++j) loaded[j] = load<V>(b + j * lanes);
      loaded[vectors - 1] = load<V>(b + last_b);
      each(loaded);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const V factor = broadcast<V>(a[i]);
#pragma GCC unroll 32
        for (int j = 0; j < vectors; ++j) sums[i][j] += factor * loaded[j];
      }
      a.advance(step_a), b += stride_b;
    };
    // The second cache of a Zen 5 delivers half as fast to more than about 28 loads.
    if constexpr (vectors > 8) {
      for (std::size_t p = 0; p < steps; ++p) step();
    } else {
#pragma GCC unroll 2
      for (std::size_t p = 0; p < steps; ++p) step();
    }
  }

  // Asks for the lines of c, of b and of `soon` before their turn. `known_step`: of a that lies (1)
  // or is copied (rows), beside a copied b; or 0.
  template <bool packing, int known_step>
  [[gnu::always_inline]] static void run_asking(std::size_t k, const T* a, std::size_t row_a,
                                                std::size_t step_a, const T* b,
                                                std::size_t stride_b, T* c, std::size_t stride_c,
                                                T alpha, T beta, std::size_t last_b,
                                                std::size_t last_c, std::size_t keep,
                                                const Soon<T>* soon, T* packed) {
    if constexpr (known_step != 0)
      step_a = known_step, stride_b = vectors * lanes, last_b = (vectors - 1) * lanes;
    if constexpr (known_step > 1) row_a = 1;
    const Ending ending(alpha, beta);
    V sums[rows][vectors] = {};
    cpu::RowPointers<T, rows> at_a(a, row_a);
    // Of the row of b that is packed so many steps later: at the end, of the tile to the right.
    const T* ahead = packing ? b + steps_ahead * stride_b : nullptr;
    const bool begins_inside = stride_b * sizeof(T) % 64 != 0;
    const T* const right = packing ? b + vectors * lanes : nullptr;
    const auto steps = [&](std::size_t count) __attribute__((always_inline)) {
      run_steps(
          count, sums, at_a, step_a, b, stride_b,
          last_b, [&](const V(&loaded)[vectors]) __attribute__((always_inline)) {
            if constexpr (packing) {
#pragma GCC unroll 32
              for (int j = 0; j < vectors; ++j, packed += lanes) {
                store(packed, loaded[j]);
                __builtin_prefetch(ahead + j * lanes);
              }
              // A row that begins inside of a line ends in one more.
              if (begins_inside) __builtin_prefetch(ahead + vectors * lanes - 1);
              ahead += stride_b;
            }
          });
    };

    if (k >= shortest_asking) {
      // Far away the lines of c are asked for twice: into the second cache, and near the end.
      if (k > 4 * steps_ahead)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < vectors; ++j) __builtin_prefetch(c + i * stride_c + j * lanes, 1, 2);
      if (soon && (soon->a || soon->rows)) {
        constexpr std::size_t line = 64 / sizeof(T);
        Soon<T> next = *soon;
        const auto ask_for_b = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 32
          for (int j = 0; j < vectors; ++j) __builtin_prefetch(next.b + j * lanes, 0, 2);
          __builtin_prefetch(next.b + vectors * lanes - 1, 0, 2);
          next.b += next.stride;
        };
        // For every line of this panel a line of every row of a, and in every step a row of b: more
        // at once would hold up what is read now.
        for (; k > steps_ahead + line; k -= line) {
          if (next.a) {
            for (int i = 0; i < rows; ++i) __builtin_prefetch(next.a + i * next.a_line, 0, 2);
            next.a += next.a_step;
          }
          // No other tiles are told of rows of b. When none is left this one asks for what it just
          // read: another loop would take time to compile.
          if constexpr (may_ask && !packing) {
            if (sizeof(V) == 32 && next.rows == 0) {
              steps(line);  // asking in vain would take it 2 % of the time
              continue;
            }
            if (next.rows == 0) next.b = b, next.stride = 0;
            run_steps(
                line, sums, at_a, step_a, b, stride_b,
                last_b, [&](const auto&) __attribute__((always_inline)) { ask_for_b(); });
            next.rows -= std::min(line, next.rows);
          } else {
            steps(line);
          }
        }
      }
      steps(k - steps_ahead);
      if constexpr (packing) ahead = right;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j) __builtin_prefetch(c + i * stride_c + j * lanes, 1);
      k = steps_ahead;
    }
    steps(k);
    finish(ending, sums, c, stride_c, alpha, beta, last_c, keep);
  }

  // Compared once for all tiles of a call, and kept as integers: comparisons of numbers would wait
  // behind the sums.
  struct Ending {
    [[gnu::always_inline]] Ending(T alpha, T beta) : scales(alpha != 1), adds(beta != 0) {
      asm("" : "+r"(scales), "+r"(adds));
    }
    std::size_t scales;  // where k is short that would be seen
    std::size_t adds;
  };

  // Where the tile below begins.
  [[gnu::always_inline]] static T* finish(Ending ending, V (&sums)[rows][vectors], T* c,
                                          std::size_t stride_c, T alpha, T beta, std::size_t last_c,
                                          std::size_t keep) {
    if (ending.scales) {
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) scale(sums[i], alpha);
    }
    if (!ending.adds) {
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i, c += stride_c) {
        asm("" : "+r"(c));  // else the address of every row is kept
#pragma GCC unroll 32
        for (int j = 0; j < vectors - 1; ++j) store(c + j * lanes, sums[i][j]);
        store(c + last_c, sums[i][vectors - 1]);
      }
    } else {
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i, c += stride_c) {
        asm("" : "+r"(c));
#pragma GCC unroll 32
        for (int j = 0; j < vectors - 1; ++j) add_to(c + j * lanes, sums[i][j], beta);
        const V old = load<V>(c + last_c);
        const V sum = sums[i][vectors - 1] + broadcast<V>(beta) * old;
        store(c + last_c, keep == 0 ? sum : but_first<T>(keep, old, sum));
      }
    }
    return c;
  }
};

}  // namespace breakeven::serial
