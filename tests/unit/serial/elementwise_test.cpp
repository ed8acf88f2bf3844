// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {
namespace {

template <class T>
const Kernels<T>& elementwise_kernels(const Variant& variant) {
  if constexpr (sizeof(T) == 4)
    return variant.f32;
  else
    return variant.f64;
}

class SerialElements : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (!GetParam()->usable()) GTEST_SKIP() << "not on this processor";
  }

  template <class T>
  std::vector<T> tanh(const std::vector<T>& x) const {
    std::vector<T> out(x.size());
    elementwise_kernels<T>(*GetParam()).tanh(x.size(), x.data(), out.data());
    return out;
  }

  template <class T>
  T norm(const std::vector<T>& x) const {
    return elementwise_kernels<T>(*GetParam()).norm(x.size(), x.data());
  }
};

// In units of the last place of the exact value.
template <class T, class Exact>
double units_off(T value, Exact exact) {
  const T rounded = T(exact);
  const T unit = std::nextafter(std::fabs(rounded), T(2)) - std::fabs(rounded);
  return double(std::fabs(Exact(value) - exact) / Exact(unit));
}

TEST_P(SerialElements, TanhOfF32IsWithinTwoUnitsForEveryExponent) {
  std::vector<float> x;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 1021) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    x.push_back(bits % 2 ? value : -value);
  }
  const std::vector<float> out = tanh(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, units_off(out[i], std::tanh(double(x[i]))));
  RecordProperty("worst_units", std::to_string(worst));
  EXPECT_LE(worst, 2);
}

TEST_P(SerialElements, TanhOfF64IsWithinTwoUnits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-40, 6), sign(-1, 1);
  std::vector<double> x;
  for (int i = 0; i < 200000; ++i)
    x.push_back(std::copysign(std::exp2(exponent(random)), sign(random)));
  for (double near = 0.6; near < 0.7; near += 1e-6) x.push_back(near);
  const std::vector<double> out = tanh(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, units_off(out[i], std::tanh(static_cast<long double>(x[i]))));
  RecordProperty("worst_units", std::to_string(worst));
  EXPECT_LE(worst, 2);
}

template <class T>
void expect_special_values(const std::vector<T>& out) {
  EXPECT_EQ(out[0], 0);
  EXPECT_FALSE(std::signbit(out[0]));
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], -1);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_EQ(out[5], std::numeric_limits<T>::denorm_min());
  EXPECT_EQ(out[6], 1);
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  return {0,
          T(-0.0),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          Limits::denorm_min(),
          Limits::max()};
}

TEST_P(SerialElements, TanhKeepsZerosInfinitiesAndNan) {
  expect_special_values(tanh(special_values<float>()));
  expect_special_values(tanh(special_values<double>()));
}

TEST_P(SerialElements, EveryLengthIsComputedToItsEndAndNotBeyond) {
  for (std::size_t n = 0; n < 70; ++n) {
    const std::vector<float> a(n, 2), b(n, 3), c(n, 4);
    std::vector<float> out(n + 1, -1), in_place(a);
    GetParam()->f32.multiply_add(n, a.data(), b.data(), c.data(), out.data());
    EXPECT_EQ(std::count(out.begin(), out.end(), 10.0f), std::ptrdiff_t(n));
    EXPECT_EQ(out[n], -1);
    GetParam()->f32.multiply_add(n, in_place.data(), b.data(), c.data(), in_place.data());
    EXPECT_EQ(std::count(in_place.begin(), in_place.end(), 10.0f), std::ptrdiff_t(n));
    GetParam()->f32.tanh_gradient(n, a.data(), b.data(), out.data());
    EXPECT_EQ(std::count(out.begin(), out.end(), -9.0f), std::ptrdiff_t(n));
    EXPECT_EQ(out[n], -1);
  }
}

TEST_P(SerialElements, ALargeMultiplyAddIsTheSameFromEveryStart) {
  constexpr std::size_t n = (std::size_t(9) << 20) / 4 + 5;
  for (const std::size_t start : {0u, 1u, 7u}) {
    std::vector<double> a(n + start, 3), b(n + start, 5), c(n + start), out(n + start + 1, -1);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = double(i);
    GetParam()->f64.multiply_add(n, a.data() + start, b.data() + start, c.data() + start,
                                 out.data() + start);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[start + i], double(start + i) + 15);
    EXPECT_EQ(out[start + n], -1);
  }
}

TEST_P(SerialElements, NormsOfIntegersAreExact) {
  for (std::size_t n = 0; n < 300; ++n) {
    EXPECT_EQ(norm(std::vector<float>(n, 2)), float(std::sqrt(4.0 * double(n))));
    EXPECT_EQ(norm(std::vector<double>(n, -3)), std::sqrt(9.0 * double(n)));
  }
}

TEST_P(SerialElements, SumsOfIntegersAreExactAndNanStaysNan) {
  for (std::size_t n = 0; n < 300; ++n) {
    std::vector<float> x(n);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] = float(i % 7) - 2;
    const double expected = std::accumulate(y.begin(), y.end(), 0.0);
    EXPECT_EQ(GetParam()->f32.sum(n, x.data()), float(expected));
    EXPECT_EQ(GetParam()->f64.sum(n, y.data()), expected);
  }
  const std::vector<float> x{1, NAN, 1};
  EXPECT_TRUE(std::isnan(GetParam()->f32.sum(x.size(), x.data())));
}
TEST_P(SerialElements, NormsNeitherOverflowNorVanishBeforeTheirTime) {
  EXPECT_FLOAT_EQ(norm(std::vector<float>(4, 1e38f)), 2e38f);
  EXPECT_FLOAT_EQ(norm(std::vector<float>(4, 1e-38f)), 2e-38f);
  EXPECT_DOUBLE_EQ(norm(std::vector<double>(400, 5e306)), 1e308);
  EXPECT_DOUBLE_EQ(norm(std::vector<double>(400, 1e-300)), 2e-299);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(norm(std::vector<double>(4, least)), 2 * least);
  EXPECT_EQ(norm(std::vector<double>(40, 0)), 0);
}

TEST_P(SerialElements, NormsOfInfinityAndNanAreInfinityAndNan) {
  std::vector<double> x(50, 1);
  x[33] = -INFINITY;
  EXPECT_EQ(norm(x), INFINITY);
  x[2] = NAN;
  EXPECT_TRUE(std::isnan(norm(x)));
  EXPECT_EQ(norm(std::vector<float>{1, INFINITY}), INFINITY);
}

// A number of `fraction` bits behind the point, and an exponent that is largest for infinity and
// NaN.
double value_of(std::uint16_t bits, int fraction) {
  const int magnitude = bits & 0x7fff, exponent = magnitude >> fraction;
  const int largest = 0x7fff >> fraction, bias = largest / 2;
  const int digits = magnitude & ((1 << fraction) - 1);
  if (exponent == largest) return digits ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
  const int significand = exponent ? digits | 1 << fraction : digits;
  const double size = std::ldexp(significand, std::max(exponent, 1) - bias - fraction);
  return bits & 0x8000 ? -size : size;
}

template <class T>
std::vector<T> every_number() {
  std::vector<T> all;
  for (unsigned bits = 0; bits <= 0xffff; ++bits) all.push_back({std::uint16_t(bits)});
  return all;
}

template <class T>
void expect_sound_conversions(const Kernels<T>& kernels, int fraction) {
  const std::vector<T> all = every_number<T>();
  std::vector<float> wide(all.size());
  kernels.widen(all.size(), all.data(), wide.data());
  std::vector<T> back(all.size());
  kernels.narrow(wide.size(), wide.data(), back.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double value = value_of(all[i].bits, fraction);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(wide[i])) << i;
      ASSERT_TRUE(std::isnan(value_of(back[i].bits, fraction))) << i;
    } else {
      ASSERT_EQ(wide[i], value) << i;
      ASSERT_EQ(back[i].bits, i);
    }
  }
  // Between two neighbours, the last of them infinity, whose place is where the next one would be.
  const std::uint16_t infinity = std::uint16_t(0x8000 - (1 << fraction));
  std::vector<float> between;
  std::vector<std::uint16_t> nearest;
  for (std::uint16_t low = 0; low < infinity; ++low) {
    const double step = low + 1 < infinity
                            ? value_of(std::uint16_t(low + 1), fraction) - value_of(low, fraction)
                            : value_of(low, fraction) - value_of(std::uint16_t(low - 1), fraction);
    const float middle = float(value_of(low, fraction) + step / 2);
    const auto high = std::uint16_t(low + 1);
    for (const auto& [x, bits] : {std::pair(std::nextafter(middle, 0.0f), low),
                                  {middle, low % 2 ? high : low},
                                  {std::nextafter(middle, INFINITY), high}}) {
      between.insert(between.end(), {x, -x});
      nearest.insert(nearest.end(), {bits, std::uint16_t(bits | 0x8000)});
    }
  }
  std::vector<T> rounded(between.size());
  kernels.narrow(between.size(), between.data(), rounded.data());
  for (std::size_t i = 0; i < between.size(); ++i)
    ASSERT_EQ(rounded[i].bits, nearest[i]) << between[i];
}

TEST_P(SerialElements, NumbersOf16BitsBecomeF32AndTheNearestOnesAgain) {
  expect_sound_conversions(GetParam()->f16, 10);
  expect_sound_conversions(GetParam()->bf16, 7);
}

template <class T>
void expect_every_length(const Kernels<T>& kernels, T two, T three, T ten, T minus_nine) {
  for (std::size_t n = 0; n < 2100; n = n < 70 ? n + 1 : n + 677) {
    const std::vector<T> a(n, two), b(n, three);
    std::vector<T> c(n, three), out(n + 1, T{0x1234});
    const auto count = [&](T value) {
      return std::size_t(std::count_if(out.begin(), out.end(),
                                       [&](T element) { return element.bits == value.bits; }));
    };
    std::vector<float> four(n, 4);
    kernels.narrow(n, four.data(), c.data());
    kernels.multiply_add(n, a.data(), b.data(), c.data(), out.data());
    EXPECT_EQ(count(ten), n);
    EXPECT_EQ(out[n].bits, 0x1234);
    kernels.tanh_gradient(n, a.data(), b.data(), out.data());
    EXPECT_EQ(count(minus_nine), n);
    EXPECT_EQ(out[n].bits, 0x1234);
    EXPECT_EQ(kernels.norm(n, b.data()), float(std::sqrt(9.0 * double(n))));
    std::vector<T> in_place(n, T{0});
    kernels.tanh(n, in_place.data(), in_place.data());
    EXPECT_TRUE(std::all_of(in_place.begin(), in_place.end(), [](T t) { return t.bits == 0; }));
  }
}

TEST_P(SerialElements, EveryLengthOf16BitsIsComputedToItsEndAndNotBeyond) {
  expect_every_length<F16>(GetParam()->f16, {0x4000}, {0x4200}, {0x4900}, {0xc880});
  expect_every_length<Bf16>(GetParam()->bf16, {0x4000}, {0x4040}, {0x4120}, {0xc110});
}

INSTANTIATE_TEST_SUITE_P(Variants, SerialElements,
                         testing::ValuesIn(variants().begin(), variants().end()),
                         [](const auto& variant) { return std::string(variant.param->name); });

}  // namespace
}  // namespace breakeven::serial
