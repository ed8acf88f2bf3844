// SPDX-License-Identifier: Apache-2.0
// Right products pass, and every kind of fault is caught by the check that is meant for it.
#include "suite/verify/gemm_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"
#include "tests/unit/verify/types.hpp"

namespace breakeven {
namespace {

using Bytes = std::vector<std::byte>;

double as_is(double value) {
  return value;
}

double cut_to_tf32(double value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) &
                              0xffffe000U);
}

// A backend that sums in the accumulator of the contract, and may be told to do it wrong.
struct Product {
  explicit Product(Gemm operation)
      : gemm(operation),
        a(gemm.m * gemm.k * gemm.batch * bytes_of(gemm.type)),
        b(gemm.k * gemm.n * gemm.batch * bytes_of(gemm.type)),
        c(gemm.m * gemm.n * gemm.batch * bytes_of(gemm.type)),
        before(c.size()) {
    poison(c);
    if (gemm.beta != 0) fill(gemm.type, Values::small_integers, 77, before);
  }

  Product& exact() { return fill_exact(gemm, 1, a, b), *this; }
  Product& probe() { return fill_precision_probe(gemm, 1, a, b), *this; }
  Product& reals() {
    fill(gemm.type, Values::signed_unit, 11, a);
    fill(gemm.type, Values::signed_unit, 12, b);
    if (gemm.beta != 0) fill(gemm.type, Values::signed_unit, 13, before);
    return *this;
  }

  template <class Accumulator>
  void multiply_in(double (*take)(double)) {
    const auto at = [&](const Bytes& from, std::size_t i) {
      return static_cast<Accumulator>(take(element(gemm.type, from, i)));
    };
    const auto& [m, n, k] = std::tuple(gemm.m, gemm.n, gemm.k);
    for (std::size_t matrix = 0; matrix < gemm.batch; ++matrix)
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          Accumulator sum = 0;
          for (std::size_t p = 0; p < k; ++p) {
            const std::size_t in_a = gemm.transpose_a == Transpose::yes ? p * m + i : i * k + p;
            const std::size_t in_b = gemm.transpose_b == Transpose::yes ? j * k + p : p * n + j;
            sum += at(a, matrix * m * k + in_a) * at(b, matrix * k * n + in_b);
          }
          const std::size_t place = matrix * m * n + i * n + j;
          sum *= static_cast<Accumulator>(gemm.alpha);
          if (gemm.beta != 0)
            sum += static_cast<Accumulator>(gemm.beta * element(gemm.type, before, place));
          set_element(gemm.type, c, place, static_cast<double>(sum));
        }
  }
  Product& multiply(double (*take)(double) = as_is) {
    return gemm.type == Type::f64 ? multiply_in<double>(take) : multiply_in<float>(take), *this;
  }

  void change(std::size_t place, double by) {
    set_element(gemm.type, c, place, element(gemm.type, c, place) + by);
  }

  GemmOperands operands() const { return {a, b, before, c}; }
  Verification is_exact() const { return check_exact(gemm, operands(), 5); }
  Verification elementwise() const { return check_elementwise(gemm, operands(), 5); }
  Verification freivalds() const { return check_freivalds(gemm, operands(), 5); }
  Verification precision() const { return check_precision(gemm, operands(), 5); }

  Gemm gemm;
  Bytes a, b, c, before;
};

Gemm shape(std::size_t m, std::size_t n, std::size_t k, Type type = Type::f32) {
  Gemm gemm;
  gemm.type = type;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

class GemmCheckOfEveryType : public testing::TestWithParam<Type> {};
INSTANTIATE_TEST_SUITE_P(Types, GemmCheckOfEveryType, testing::ValuesIn(types),
                         [](const auto& tested) { return name_of_type(tested.param); });

TEST_P(GemmCheckOfEveryType, RightProductsPassEveryCheck) {
  for (const auto& [m, n, k] :
       {std::tuple{1, 1, 1}, {1, 33, 7}, {17, 1, 65}, {19, 23, 5}, {65, 63, 67}, {3, 5, 700}})
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const double beta : {0.0, 2.0}) {
          Gemm gemm = shape(m, n, k, GetParam());
          gemm.batch = 3;
          gemm.transpose_a = transpose_a ? Transpose::yes : Transpose::no;
          gemm.transpose_b = transpose_b ? Transpose::yes : Transpose::no;
          gemm.alpha = beta == 0 ? 1 : -1;
          gemm.beta = beta;
          Product product(gemm);
          const auto expect_passed = [&](const Verification& found) {
            EXPECT_TRUE(found.passed) << m << 'x' << n << 'x' << k << ' ' << found.method << ": "
                                      << found.message << ", " << found.error;
            EXPECT_LE(found.error, found.tolerance);
          };
          expect_passed(product.exact().multiply().is_exact());
          expect_passed(product.probe().multiply().precision());
          product.reals().multiply();
          expect_passed(product.elementwise());
          expect_passed(product.freivalds());
        }
}

TEST_P(GemmCheckOfEveryType, ASkippedKernelLeavesItsPoison) {
  Product product(shape(20, 30, 40, GetParam()));
  EXPECT_FALSE(product.exact().is_exact().passed);
  EXPECT_FALSE(product.probe().precision().passed);
  EXPECT_FALSE(product.reals().elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
}

TEST_P(GemmCheckOfEveryType, OneWrongElementIsNamed) {
  Product product(shape(70, 50, 40, GetParam()));
  product.exact().multiply();
  const double right = element(GetParam(), product.c, 17 * 50 + 3);
  product.change(17 * 50 + 3, 1);
  const Verification found = product.is_exact();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("c[17,3]"), std::string::npos) << found.message;

  product.reals().multiply();
  EXPECT_TRUE(product.freivalds().passed);
  product.change(17 * 50 + 3, right + 5);
  EXPECT_FALSE(product.elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
}

TEST_P(GemmCheckOfEveryType, NotANumberAndInfinityAreErrors) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Product product(shape(33, 34, 35, GetParam()));
    product.reals().multiply();
    set_element(GetParam(), product.c, 33 * 34 - 1, bad);
    EXPECT_FALSE(product.elementwise().passed);
    EXPECT_FALSE(product.freivalds().passed);
    EXPECT_NE(product.freivalds().message.find("c[32,33]"), std::string::npos);
  }
}

TEST_P(GemmCheckOfEveryType, AStaleResultIsWrongForNewOperands) {
  Product product(shape(31, 31, 31, GetParam()));
  product.exact().multiply();
  const Bytes stale = product.c;
  product.reals();
  EXPECT_FALSE(product.elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
  product.multiply();
  EXPECT_TRUE(product.freivalds().passed);
}

TEST_P(GemmCheckOfEveryType, ATransposedResultIsWrong) {
  Product product(shape(40, 40, 24, GetParam()));
  product.exact().multiply();
  const std::size_t bytes = bytes_of(GetParam());
  const Bytes right = product.c;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      std::copy_n(right.begin() + static_cast<std::ptrdiff_t>((j * 40 + i) * bytes), bytes,
                  product.c.begin() + static_cast<std::ptrdiff_t>((i * 40 + j) * bytes));
  EXPECT_FALSE(product.is_exact().passed);
}

TEST_P(GemmCheckOfEveryType, AForgottenTransposeOfAnInputIsWrong) {
  for (const bool of_a : {false, true}) {
    Product product(shape(24, 24, 24, GetParam()));
    product.exact().multiply();
    (of_a ? product.gemm.transpose_a : product.gemm.transpose_b) = Transpose::yes;
    EXPECT_FALSE(product.is_exact().passed);
  }
}

TEST_P(GemmCheckOfEveryType, ALostTailOfTheSumIsWrong) {
  Product product(shape(16, 16, 129, GetParam()));
  product.exact();
  product.gemm.k =
      128;  // with the strides of 128: what is lost is lost for every row but the first
  Product shorter(product.gemm);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t p = 0; p < 128; ++p)
      set_element(GetParam(), shorter.a, i * 128 + p, element(GetParam(), product.a, i * 129 + p));
  shorter.b.assign(product.b.begin(),
                   product.b.begin() + static_cast<std::ptrdiff_t>(shorter.b.size()));
  shorter.multiply();
  product.gemm.k = 129;
  product.c = shorter.c;
  EXPECT_FALSE(product.is_exact().passed);
}

// Where there are more columns than steps the check rounds more often than what it checks.
TEST(GemmCheck, RightProductsOfManyColumnsAndFewStepsPassInF64) {
  for (const auto& [m, n, k] : {std::tuple{100, 20000, 2}, {4, 300000, 1}, {500, 1300, 4}})
    for (const bool transpose_b : {false, true}) {
      Gemm gemm = shape(m, n, k, Type::f64);
      gemm.transpose_b = transpose_b ? Transpose::yes : Transpose::no;
      Product product(gemm);
      product.reals().multiply();
      const Verification found = product.freivalds();
      EXPECT_TRUE(found.passed) << m << 'x' << n << 'x' << k << ": " << found.message;
      for (const double by : {1e-9, 1e230}) {  // whose square overflows
        product.change(product.gemm.n - 1, by);
        EXPECT_FALSE(product.freivalds().passed) << by;
      }
    }
}

TEST(GemmCheck, AWrongElementInAnyMatrixOfABatchIsFound) {
  Gemm gemm = shape(9, 9, 9);
  gemm.batch = 20;
  Product product(gemm);
  product.reals().multiply();
  EXPECT_TRUE(product.freivalds().passed);
  product.change(13 * 81 + 4 * 9 + 8, 0.1);
  const Verification found = product.freivalds();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("c[13,4,8]"), std::string::npos) << found.message;
}

TEST(GemmCheck, AForgottenBetaAndAWrongAlphaAreFound) {
  Gemm gemm = shape(20, 20, 20);
  gemm.beta = 1;
  gemm.alpha = 2;
  Product product(gemm);
  product.reals();
  product.gemm.beta = 0;
  product.multiply();
  product.gemm.beta = 1;
  EXPECT_FALSE(product.elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
  product.gemm.alpha = 1;
  product.multiply();
  product.gemm.alpha = 2;
  EXPECT_FALSE(product.elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
}

TEST(GemmCheck, Tf32InPlaceOfFp32IsCaughtAtEveryDepth) {
  for (const std::size_t k :
       {std::size_t{1}, std::size_t{64}, std::size_t{256}, std::size_t{3000}}) {
    Product product(shape(32, 32, k));
    const Verification fp32 = product.probe().multiply().precision();
    EXPECT_TRUE(fp32.passed);
    const Verification tf32 = product.multiply(cut_to_tf32).precision();
    EXPECT_FALSE(tf32.passed) << k;
    EXPECT_GT(tf32.error, 10 * fp32.error);
  }
}

TEST(GemmCheck, Tf32PassesWhereItWasAskedFor) {
  Gemm gemm = shape(32, 32, 200);
  gemm.math = Math::tf32;
  Product product(gemm);
  EXPECT_TRUE(product.exact().multiply(cut_to_tf32).is_exact().passed);
  EXPECT_TRUE(product.probe().multiply(cut_to_tf32).precision().passed);
  product.reals().multiply(cut_to_tf32);
  EXPECT_TRUE(product.elementwise().passed);
  EXPECT_TRUE(product.freivalds().passed);
}

TEST(GemmCheck, SumsKeptInHalfPrecisionAreCaught) {
  Product product(shape(32, 32, 64, Type::f16));
  product.probe();
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < 64; ++p)
        sum = rounded_to(Type::f16, sum + element(Type::f16, product.a, i * 64 + p) *
                                              element(Type::f16, product.b, p * 32 + j));
      set_element(Type::f16, product.c, i * 32 + j, sum);
    }
  EXPECT_FALSE(product.precision().passed);
}

TEST(GemmCheck, DoublePrecisionComputedInSingleIsCaught) {
  Product product(shape(16, 16, 16, Type::f64));
  product.reals().multiply_in<float>(as_is);
  EXPECT_FALSE(product.elementwise().passed);
  EXPECT_FALSE(product.freivalds().passed);
}

// Products too large for every row to be compared: the exact check must still see every element.
TEST(GemmCheck, OneWrongElementOfALargeProductIsFoundWithoutTolerance) {
  Product product(shape(257, 255, 256));
  product.exact().multiply();
  EXPECT_TRUE(product.is_exact().passed);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::size_t place = random_below(257 * 255, 99, i);
    product.change(place, 1);
    EXPECT_FALSE(product.is_exact().passed);
    product.change(place, -1);
  }
}

TEST(GemmCheck, NothingToMultiplyIsRight) {
  Product product(shape(4, 4, 0));
  EXPECT_TRUE(product.reals().multiply().elementwise().passed);
  EXPECT_TRUE(product.freivalds().passed);
}

}  // namespace
}  // namespace breakeven
