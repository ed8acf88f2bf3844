// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace breakeven {

namespace {

// A 16-bit format: one sign, then the exponent, then the fraction.
struct Half {
  int fraction_bits;
  int least_exponent;  // of a normal number
  std::uint16_t infinity;
};
constexpr Half f16{10, -14, 0x7c00};
constexpr Half bf16{7, -126, 0x7f80};

std::uint16_t encode(const Half& format, double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | format.infinity | 1U << 6);
  if (std::isinf(value)) return sign | format.infinity;
  const int exponent =
      size == 0 ? format.least_exponent : std::max(std::ilogb(size), format.least_exponent);
  // The hidden bit of the significand adds one to the exponent field; so does a carry.
  const double significand = std::nearbyint(std::ldexp(size, format.fraction_bits - exponent));
  const double bits =
      std::ldexp(exponent - format.least_exponent, format.fraction_bits) + significand;
  return sign | (bits >= format.infinity ? format.infinity : static_cast<std::uint16_t>(bits));
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Calls `body` with a function that reads element i as float64, one instantiation per type.
template <class Body>
void with_reader(Type type, const std::byte* data, Body body) {
  switch (type) {
    case Type::f32:
      return body([=](std::size_t i) -> double { return load<float>(data + 4 * i); });
    case Type::f64:
      return body([=](std::size_t i) { return load<double>(data + 8 * i); });
    case Type::f16:
      return body([=](std::size_t i) { return f16_to_f64(load<std::uint16_t>(data + 2 * i)); });
    case Type::bf16:
      return body([=](std::size_t i) { return bf16_to_f64(load<std::uint16_t>(data + 2 * i)); });
  }
}

}  // namespace

double unit_roundoff(Type type) {
  switch (type) {
    case Type::f32:
      return 0x1p-24;
    case Type::f64:
      return 0x1p-53;
    case Type::f16:
      return 0x1p-11;
    case Type::bf16:
      return 0x1p-8;
  }
  return 0;
}

double f16_to_f64(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude < 0x0400) return (sign ? -0x1p-24 : 0x1p-24) * magnitude;
  const std::uint32_t exponent_offset = magnitude < 0x7c00 ? 112U << 23 : 224U << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + exponent_offset));
}

double bf16_to_f64(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t f64_to_f16(double value) {
  return encode(f16, value);
}
std::uint16_t f64_to_bf16(double value) {
  return encode(bf16, value);
}

double element(Type type, std::span<const std::byte> data, std::size_t index) {
  double value = 0;
  with_reader(type, data.data(), [&](auto read) { value = read(index); });
  return value;
}

void set_element(Type type, std::span<std::byte> data, std::size_t index, double value) {
  narrow(type, {&value, 1}, data.subspan(index * bytes_of(type), bytes_of(type)));
}

void widen(Type type, std::span<const std::byte> from, std::span<double> to) {
  with_reader(type, from.data(), [&](auto read) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = read(i);
  });
}

void narrow(Type type, std::span<const double> from, std::span<std::byte> to) {
  const auto store = [&](auto convert) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto value = convert(from[i]);
      std::memcpy(to.data() + i * sizeof value, &value, sizeof value);
    }
  };
  switch (type) {
    case Type::f32:
      return store([](double value) { return static_cast<float>(value); });
    case Type::f64:
      return store([](double value) { return value; });
    case Type::f16:
      return store(f64_to_f16);
    case Type::bf16:
      return store(f64_to_bf16);
  }
}

double rounded_to(Type type, double value) {
  std::byte stored[8];
  narrow(type, {&value, 1}, stored);
  return element(type, stored, 0);
}

void poison(std::span<std::byte> data) {
  // All bits set is a NaN of every type.
  if (!data.empty()) std::memset(data.data(), 0xff, data.size());
}

bool holds_poison(std::span<const std::byte> data) {
  const auto whole = ~std::uint64_t{0};
  std::size_t found = 0, i = 0;
  for (std::uint64_t word = 0; i + sizeof word <= data.size(); i += sizeof word) {
    std::memcpy(&word, &data[i], sizeof word);
    found += word == whole ? 1 : 0;
  }
  const auto rest = data.subspan(i);
  return found > 0 || (!rest.empty() && std::all_of(rest.begin(), rest.end(), [](std::byte b) {
           return b == std::byte{0xff};
         }));
}

}  // namespace breakeven
