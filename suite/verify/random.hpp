// SPDX-License-Identifier: Apache-2.0
// Seeded inputs, equal on every machine. Source of the generator: Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators" (OOPSLA 2014), with the element's index as counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <breakeven/plugin.hpp>

namespace breakeven {

enum class Values {
  signed_unit,     // U[-1, 1)
  unit,            // U[0, 1)
  small_integers,  // -2 … 2: for checking only, they run faster than reals
};

// 64 random bits; those of another index or seed are independent of them.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

// A whole number below `limit`.
std::size_t random_below(std::size_t limit, std::uint64_t seed, std::uint64_t index);

// The elements do not depend on how many there are; `data` begins at byte `first` of them, a
// multiple of 8. Types of 16 bits get values that they hold exactly.
void fill(Type type, Values values, std::uint64_t seed, std::span<std::byte> data,
          std::size_t first = 0);

// Every eighth byte is even, so that what is left over behind whole words is never poison.
void fill_bytes(std::uint64_t seed, std::span<std::byte> data, std::size_t first = 0);

}  // namespace breakeven
