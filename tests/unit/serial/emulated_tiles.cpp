// SPDX-License-Identifier: Apache-2.0
#include "emulated_tiles.hpp"

#include <cstdlib>
#include <cstring>

#include "plugins/cpu_common/amx_product.hpp"
#include "plugins/serial/kernels/product_by_tiles.hpp"

namespace breakeven::serial {
namespace {

constexpr int rows = 16, pairs = 16;

// Sums are rounded after every step of k, which the processor does after every second.
class EmulatedTiles {
 public:
  static void begin() {
    if (ready_) std::abort();
    ready_ = true;
    std::memset(tiles_, 0xff, sizeof tiles_);  // NaN: nothing may rely on what was there
  }
  static void end() { ready_ = false; }
  template <int tile>
  static void zero() {
    if (!ready_) std::abort();
    std::memset(tiles_[tile], 0, sizeof tiles_[tile]);
  }
  template <int tile>
  static void load(const void* from, std::size_t stride) {
    for (int i = 0; i < rows; ++i)
      std::memcpy(tiles_[tile][i], static_cast<const char*>(from) + std::size_t(i) * stride, 64);
  }
  template <int tile>
  static void store(void* to, std::size_t stride) {
    for (int i = 0; i < rows; ++i)
      std::memcpy(static_cast<char*>(to) + std::size_t(i) * stride, tiles_[tile][i], 64);
  }
  template <int sum, int left, int right>
  static void multiply() {
    for (int i = 0; i < rows; ++i)
      for (int p = 0; p < pairs; ++p)
        for (int j = 0; j < pairs; ++j)
          for (int half = 0; half < 2; ++half)
            add(tiles_[sum][i][j],
                number(tiles_[left][i][p], half) * number(tiles_[right][p][j], half));
  }

 private:
  static float as_float(std::uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static float number(std::uint32_t pair, int half) {
    return as_float(half == 0 ? pair << 16 : pair & 0xffff0000);
  }
  static void add(std::uint32_t& sum, float product) {
    const float value = as_float(sum) + product;
    std::memcpy(&sum, &value, sizeof sum);
  }

  static inline thread_local bool ready_ = false;
  static inline thread_local std::uint32_t tiles_[8][rows][pairs];
};

}  // namespace

const Bf16Product product_of_emulated_tiles =
    product_by_tiles<&cpu::AmxProduct<EmulatedTiles>::workspace_bytes,
                     &cpu::AmxProduct<EmulatedTiles>::run>;

}  // namespace breakeven::serial
