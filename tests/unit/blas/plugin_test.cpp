// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <array>
#include <breakeven/plugin.hpp>
#include <string>
#include <tuple>

namespace breakeven {
namespace {

std::unique_ptr<Backend> make_backend(std::string_view threads, std::string_view file = "linked") {
  static void* const library = dlopen(BLAS_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const std::array<Variable, 2> settings{{{"threads", threads}, {"library", file}}};
  return static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"))->create(settings);
}

std::string_view fact(const Backend& backend, std::string_view key) {
  for (const Fact& fact : backend.facts())
    if (fact.key == key) return fact.value;
  return {};
}

TEST(BlasPlugin, IsOneDeviceThatNamesItsLibrary) {
  const auto backend = make_backend("all");
  EXPECT_EQ(backend->devices().size(), 1u);
  EXPECT_FALSE(fact(*backend, "blas").empty());
  EXPECT_FALSE(fact(*backend, "blas_version").empty());
}

TEST(BlasPlugin, NamesTheLibraryThatWasAskedForAndDoesNotDoWhatItCannot) {
  const auto backend = make_backend("1", OTHER_CBLAS);
  EXPECT_EQ(fact(*backend, "blas_version"), "9.8.7");
  EXPECT_EQ(fact(*backend, "library_file"), OTHER_CBLAS);
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto memory = device.allocate(64, Memory::device);
  const Slice some{memory.get(), 0, 64};
  EXPECT_NE(queue->prepare(Gemm{.type = Type::f32, .a = some, .b = some, .c = some}), nullptr);
  EXPECT_EQ(queue->prepare(Gemm{.type = Type::f64}), nullptr);
  EXPECT_EQ(queue->prepare(Norm{.type = Type::f32}), nullptr);
}

TEST(BlasPlugin, TakesTheThreadsThatAreAskedFor) {
  const auto backend = make_backend("1");
  EXPECT_TRUE(fact(*backend, "threads") == "1" || fact(*backend, "threads") == "unknown");
}

TEST(BlasPlugin, NamesTheOptionThatIsWrong) {
  for (const char* text : {"", "0", "two", "1x", "-1", "99999"}) try {
      make_backend(text);
      FAIL() << text << " was accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("option threads"), std::string::npos)
          << error.what();
    }
}

TEST(BlasPlugin, RefusesMoreThreadsThanTheLibraryHas) {
  try {
    make_backend("3", OTHER_CBLAS);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "option threads is '3': the library (OpenBLAS) runs 2; leave the option out");
  }
  EXPECT_EQ(fact(*make_backend("1", OTHER_CBLAS), "threads"), "1");
}

class BlasProduct : public testing::TestWithParam<std::tuple<Transpose, Transpose, double>> {};

// Small integers have one exact result.
TEST_P(BlasProduct, IsRowMajorWithBothTransposesAndScales) {
  const auto [transpose_a, transpose_b, beta] = GetParam();
  const auto backend = make_backend("1");
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  constexpr std::size_t m = 5, n = 3, k = 7, batch = 2;
  const auto a = device.allocate(batch * m * k * 8, Memory::device);
  const auto b = device.allocate(batch * k * n * 8, Memory::device);
  const auto c = device.allocate(batch * m * n * 8, Memory::device);
  auto *pa = static_cast<double*>(a->data()), *pb = static_cast<double*>(b->data()),
       *pc = static_cast<double*>(c->data());
  for (std::size_t i = 0; i < batch * m * k; ++i) pa[i] = double(i % 5) - 2;
  for (std::size_t i = 0; i < batch * k * n; ++i) pb[i] = double(i % 3) - 1;
  for (std::size_t i = 0; i < batch * m * n; ++i) pc[i] = double(i % 4);
  Gemm gemm{.type = Type::f64, .m = m, .n = n, .k = k, .batch = batch, .alpha = 2, .beta = beta};
  gemm.transpose_a = transpose_a, gemm.transpose_b = transpose_b;
  gemm.a = {a.get(), 0, a->bytes()}, gemm.b = {b.get(), 0, b->bytes()};
  gemm.c = {c.get(), 0, c->bytes()};
  queue->prepare(gemm)->enqueue();
  queue->synchronize();
  for (std::size_t s = 0; s < batch; ++s)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t p = 0; p < k; ++p)
          sum += pa[s * m * k + (transpose_a == Transpose::yes ? p * m + i : i * k + p)] *
                 pb[s * k * n + (transpose_b == Transpose::yes ? j * k + p : p * n + j)];
        const std::size_t at = (s * m + i) * n + j;
        EXPECT_EQ(pc[at], 2 * sum + beta * double(at % 4)) << s << " " << i << " " << j;
      }
}

INSTANTIATE_TEST_SUITE_P(AllForms, BlasProduct,
                         testing::Combine(testing::Values(Transpose::no, Transpose::yes),
                                          testing::Values(Transpose::no, Transpose::yes),
                                          testing::Values(0.0, 1.0, -0.5)));

}  // namespace
}  // namespace breakeven
