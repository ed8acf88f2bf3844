// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/copy_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/serial/guarded_memory.hpp"

namespace breakeven {
namespace {

constexpr std::size_t large = (std::size_t{16} << 20) + 100;  // goes around the caches

void fill(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = std::byte(i * 7 + i / 251);
}

TEST(CopyBytes, CopiesEveryByteAndTouchesNoOther) {
  const GuardedMemory source(large + 64), target(large + 64);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, large}) {
    for (const std::size_t shift : {0u, 1u, 17u, 63u}) {
      std::byte* const from = source.last<std::byte>(bytes + shift % 2);
      std::byte* const to = target.last<std::byte>(bytes + shift);
      fill(from, bytes);
      constexpr std::size_t before = 64;
      std::fill_n(to - before, before, std::byte{0xee});
      std::fill_n(to + bytes, shift, std::byte{0xee});
      cpu::copy_bytes(to, from, bytes);
      EXPECT_TRUE(std::equal(from, from + bytes, to)) << bytes << " to -" << shift;
      const auto untouched = [](std::byte b) { return b == std::byte{0xee}; };
      EXPECT_TRUE(std::all_of(to - before, to, untouched)) << bytes << " to -" << shift;
      EXPECT_TRUE(std::all_of(to + bytes, to + bytes + shift, untouched));
    }
  }
}

TEST(CopyBytes, MayOverlap) {
  for (const std::ptrdiff_t by : {64, -64, 0}) {
    std::vector<std::byte> data(large + 64), expected(large);
    std::byte* const from = data.data() + (by < 0 ? 64 : 0);
    fill(from, large);
    std::copy_n(from, large, expected.data());
    cpu::copy_bytes(from + by, from, large);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), from + by)) << by;
  }
}

}  // namespace
}  // namespace breakeven
