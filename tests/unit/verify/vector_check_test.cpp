// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/vector_check.hpp"
#include "suite/verify/vector_operations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"
#include "tests/unit/verify/types.hpp"

namespace breakeven {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t count = 5003;

class VectorCheckOfEveryType : public testing::TestWithParam<Type> {
 protected:
  Bytes values(std::uint64_t seed) const {
    Bytes data(count * bytes_of(GetParam()));
    fill(GetParam(), Values::signed_unit, seed, data);
    return data;
  }
  Bytes computed(const std::function<double(std::size_t)>& make) const {
    Bytes data(count * bytes_of(GetParam()));
    for (std::size_t i = 0; i < count; ++i) set_element(GetParam(), data, i, make(i));
    return data;
  }
  double at(const Bytes& data, std::size_t i) const { return element(GetParam(), data, i); }
  // One element off by a hundred units in the last place.
  Bytes spoilt(Bytes data) const {
    const double value = at(data, 4099);
    set_element(GetParam(), data, 4099, value + 200 * unit_roundoff(GetParam()) * (1 + value));
    return data;
  }
  Bytes poisoned() const {
    Bytes data(count * bytes_of(GetParam()));
    poison(data);
    return data;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, VectorCheckOfEveryType, testing::ValuesIn(types),
                         [](const auto& tested) { return name_of_type(tested.param); });

TEST_P(VectorCheckOfEveryType, MultiplyAddFusedOrNotPasses) {
  const Bytes a = values(1), b = values(2), c = values(3);
  const Bytes fused =
      computed([&](std::size_t i) { return std::fma(at(a, i), at(b, i), at(c, i)); });
  const Bytes apart = computed(
      [&](std::size_t i) { return rounded_to(GetParam(), at(a, i) * at(b, i)) + at(c, i); });
  EXPECT_TRUE(check_multiply_add(GetParam(), a, b, c, fused).passed);
  EXPECT_TRUE(check_multiply_add(GetParam(), a, b, c, apart).passed);
  const Verification found = check_multiply_add(GetParam(), a, b, c, spoilt(fused));
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("out[4099]"), std::string::npos) << found.message;
  EXPECT_FALSE(check_multiply_add(GetParam(), a, b, c, poisoned()).passed);
  EXPECT_FALSE(check_multiply_add(GetParam(), a, c, b, fused).passed);
}

TEST_P(VectorCheckOfEveryType, TanhPassesAndItsInputDoesNot) {
  const Bytes x = values(4);
  const Bytes out = computed([&](std::size_t i) { return std::tanh(at(x, i)); });
  EXPECT_TRUE(check_tanh(GetParam(), x, out).passed);
  EXPECT_FALSE(check_tanh(GetParam(), x, spoilt(out)).passed);
  EXPECT_FALSE(check_tanh(GetParam(), x, x).passed);
  EXPECT_FALSE(check_tanh(GetParam(), x, poisoned()).passed);
}

TEST_P(VectorCheckOfEveryType, TanhGradientPassesInBothWaysToWriteIt) {
  const Bytes h = values(5), d = values(6);
  const Bytes out = computed(
      [&](std::size_t i) { return at(d, i) * (1 - rounded_to(GetParam(), at(h, i) * at(h, i))); });
  EXPECT_TRUE(check_tanh_gradient(GetParam(), h, d, out).passed);
  EXPECT_TRUE(check_tanh_gradient(GetParam(), h, d, computed([&](std::size_t i) {
                                    return at(d, i) * ((1 - at(h, i)) * (1 + at(h, i)));
                                  }))
                  .passed);
  EXPECT_FALSE(check_tanh_gradient(GetParam(), h, d, spoilt(out)).passed);
  EXPECT_FALSE(check_tanh_gradient(GetParam(), d, h, out).passed);
  EXPECT_FALSE(check_tanh_gradient(GetParam(), h, d, poisoned()).passed);
}

TEST_P(VectorCheckOfEveryType, NormsOfABatchAreCheckedOneByOne) {
  constexpr std::size_t batch = 3, n = count / batch;
  const Bytes x = values(7);
  const Type type = norm_type(GetParam());
  Bytes out(batch * bytes_of(type));
  for (std::size_t i = 0; i < batch; ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < n; ++p) sum += std::pow(at(x, i * n + p), 2);
    set_element(type, out, i, std::sqrt(sum));
  }
  EXPECT_TRUE(check_norm(GetParam(), n, x, out).passed);
  Bytes wrong = out;
  set_element(type, wrong, 2, element(type, out, 2) * 1.001);
  const Verification found = check_norm(GetParam(), n, x, wrong);
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("norm[2]"), std::string::npos) << found.message;
  poison(wrong);
  EXPECT_FALSE(check_norm(GetParam(), n, x, wrong).passed);
}

const VectorOperation& sum_operation() {
  for (const VectorOperation& operation : vector_operations())
    if (operation.name == "sum") return operation;
  throw std::logic_error("there is no sum");
}

// Where rounding errors cancel, one element that was left out still shows.
TEST(VectorCheck, SumInSinglePrecisionPassesAndOneThatMissesAnElementDoesNot) {
  constexpr std::size_t n = 100'000;
  std::vector<Bytes> x(1, Bytes(n * 4));
  fill(Type::f32, Values::signed_unit, 8, x[0]);
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<float>(element(Type::f32, x[0], i));
  Bytes out(4);
  set_element(Type::f32, out, 0, sum);
  EXPECT_TRUE(sum_operation().check(Type::f32, n, x, out).passed);
  set_element(Type::f32, out, 0, static_cast<double>(sum) - 0.5);
  EXPECT_FALSE(sum_operation().check(Type::f32, n, x, out).passed);
  poison(out);
  EXPECT_FALSE(sum_operation().check(Type::f32, n, x, out).passed);
}

TEST(VectorCheck, NormSummedInSinglePrecisionPasses) {
  constexpr std::size_t n = 1000000;
  Bytes x(n * 4), out(4);
  fill(Type::f32, Values::unit, 8, x);
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += static_cast<float>(element(Type::f32, x, i) * element(Type::f32, x, i));
  set_element(Type::f32, out, 0, std::sqrt(sum));
  EXPECT_TRUE(check_norm(Type::f32, n, x, out).passed);
}

// So long that errors may add up to more than everything in the worst case.
TEST(VectorCheck, NormOfVeryManyElementsIsStillCheckedClosely) {
  constexpr std::size_t n = 20'000'000;
  Bytes x(n * 4), out(4);
  fill(Type::f32, Values::unit, 9, x);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::pow(element(Type::f32, x, i), 2);
  set_element(Type::f32, out, 0, std::sqrt(sum));
  EXPECT_TRUE(check_norm(Type::f32, n, x, out).passed);
  set_element(Type::f32, out, 0, 0.99 * std::sqrt(sum));
  EXPECT_FALSE(check_norm(Type::f32, n, x, out).passed);
}

TEST(VectorCheck, OneWrongByteOfACopyIsNamed) {
  Bytes from(1000);
  fill_bytes(1, from);
  Bytes to = from;
  EXPECT_TRUE(check_copy(from, to).passed);
  to[999] ^= std::byte{1};
  const Verification found = check_copy(from, to);
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("byte 999"), std::string::npos) << found.message;
  EXPECT_NE(check_copy(from, to, 4096).message.find("byte 5095"), std::string::npos);
  to.pop_back();
  EXPECT_FALSE(check_copy(from, to).passed);
}

TEST(VerificationResult, BothKeepsTheFirstFailureAndTheLargerError) {
  const Verification good{true, "exact", 0.25, 1, ""}, bad{false, "freivalds", 3, 1, "here"},
      worse{false, "exact", 2, 1, "there"};
  const Verification all = both(both(good, bad), worse);
  EXPECT_FALSE(all.passed);
  EXPECT_EQ(all.method, "exact+freivalds");
  EXPECT_EQ(all.error, 3);
  EXPECT_EQ(all.message, "here");
  EXPECT_TRUE(both(good, good).passed);
}

}  // namespace
}  // namespace breakeven
