// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/random.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

float small_integer(std::uint32_t bits) {
  return static_cast<float>((static_cast<std::uint64_t>(bits) * 5) >> 32) - 2;
}

// 24 bits make every value exact.
float real(Values values, std::uint32_t bits) {
  const auto steps = static_cast<std::int32_t>(bits >> 8);
  return values == Values::unit ? 0x1p-24F * static_cast<float>(steps)
                                : 0x1p-23F * static_cast<float>(steps - (1 << 23));
}

// Cutting the fraction keeps the value below 1; what f16 holds only as a subnormal becomes 0.
std::uint16_t cut_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude < 113U << 23) return 0;
  return static_cast<std::uint16_t>(bits >> 16 & 0x8000U) |
         static_cast<std::uint16_t>((magnitude - (112U << 23)) >> 13);
}

std::uint16_t cut_to_bf16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

// Two elements from each 64 bits.
template <class Make>
void fill_pairs(std::uint64_t seed, std::span<std::byte> data, std::size_t first, Make make) {
  using Element = decltype(make(0U));
  const std::size_t count = data.size() / sizeof(Element), pair = first / sizeof(Element) / 2;
  const auto store = [&](std::size_t i, std::uint64_t bits) {
    const Element value = make(static_cast<std::uint32_t>(bits));
    std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
  };
  for (std::size_t i = 0; i + 1 < count; i += 2) {
    const std::uint64_t bits = random_bits(seed, pair + i / 2);
    store(i, bits);
    store(i + 1, bits >> 32);
  }
  if (count % 2 != 0) store(count - 1, random_bits(seed, pair + count / 2));
}

double wide(Values values, std::uint64_t bits) {
  if (values == Values::small_integers) return small_integer(static_cast<std::uint32_t>(bits));
  const auto steps = static_cast<std::int64_t>(bits >> 11);
  return values == Values::unit ? 0x1p-53 * static_cast<double>(steps)
                                : 0x1p-52 * static_cast<double>(steps - (std::int64_t{1} << 52));
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t bits = seed * 0xd1342543de82ef95 + (index + 1) * golden;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

std::size_t random_below(std::size_t limit, std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::size_t>(random_bits(seed, index) % limit);
}

void fill(Type type, Values values, std::uint64_t seed, std::span<std::byte> data,
          std::size_t first) {
  const auto number = [values](std::uint32_t bits) {
    return values == Values::small_integers ? small_integer(bits) : real(values, bits);
  };
  switch (type) {
    case Type::f32:
      return fill_pairs(seed, data, first, number);
    case Type::f16:
      return fill_pairs(seed, data, first, [=](std::uint32_t b) { return cut_to_f16(number(b)); });
    case Type::bf16:
      return fill_pairs(seed, data, first, [=](std::uint32_t b) { return cut_to_bf16(number(b)); });
    case Type::f64:
      for (std::size_t i = 0; i < data.size() / sizeof(double); ++i) {
        const double value = wide(values, random_bits(seed, first / sizeof(double) + i));
        std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
      }
  }
}

void fill_bytes(std::uint64_t seed, std::span<std::byte> data, std::size_t first) {
  for (std::size_t i = 0; i < data.size(); i += 8) {
    const std::uint64_t bits = random_bits(seed, (first + i) / 8) & ~std::uint64_t{1};
    std::memcpy(data.data() + i, &bits, std::min<std::size_t>(8, data.size() - i));
  }
}

}  // namespace breakeven
