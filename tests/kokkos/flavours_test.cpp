// SPDX-License-Identifier: Apache-2.0
// Every flavour brings its own Kokkos. In one process they must not find each other's.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <breakeven/plugin.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace breakeven {
namespace {

struct Plugin {
  void* library;
  const Manifest* manifest;
};

Plugin load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return {library, static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"))};
}

// The one of this build, or the one that is named: those for other processors.
std::string openmp_plugin() {
  const char* const named = std::getenv("KOKKOS_OPENMP_PLUGIN");
  return named != nullptr ? named : OPENMP_PLUGIN;
}

std::string fact(std::span<const Fact> facts, std::string_view key) {
  for (const Fact& each : facts) {
    if (each.key == key) return std::string(each.value);
  }
  return {};
}

// c = a b with small integers, which every order of summation forms exactly.
void expect_right_product(Device& device) {
  constexpr std::size_t n = 150, bytes = n * n * sizeof(float);
  const auto a = device.allocate(bytes, Memory::pageable);
  const auto b = device.allocate(bytes, Memory::pageable);
  const auto c = device.allocate(bytes, Memory::pageable);
  const auto values = [](const auto& buffer) { return static_cast<float*>(buffer->data()); };
  for (std::size_t i = 0; i < n * n; ++i) {
    values(a)[i] = static_cast<float>(i % 5) - 2;
    values(b)[i] = static_cast<float>(i % 7) - 3;
  }
  // On a GPU the operands have to be brought to it first.
  const auto queue = device.queue();
  std::vector<std::unique_ptr<Buffer>> there;
  for (int i = 0; i < 3; ++i) there.push_back(device.allocate(bytes, Memory::device));
  const auto all = [](const auto& buffer) { return Slice{buffer.get(), 0, bytes}; };
  Gemm gemm{.m = n, .n = n, .k = n, .a = all(there[0]), .b = all(there[1]), .c = all(there[2])};
  queue->prepare(Copy{all(there[0]), all(a)})->enqueue();
  queue->prepare(Copy{all(there[1]), all(b)})->enqueue();
  queue->prepare(gemm)->enqueue();
  queue->prepare(Copy{all(c), all(there[2])})->enqueue();
  queue->synchronize();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < n; ++p) sum += values(a)[i * n + p] * values(b)[p * n + j];
      ASSERT_EQ(values(c)[i * n + j], sum) << i << ", " << j;
    }
  }
}

TEST(KokkosFlavours, TwoStaticKokkosKeepSeparateState) {
  std::filesystem::copy_file(openmp_plugin(), COPY_OF_PLUGIN,
                             std::filesystem::copy_options::overwrite_existing);
  const Plugin first = load(openmp_plugin()), second = load(COPY_OF_PLUGIN);
  if (const char* const reason = first.manifest->probe()) GTEST_SKIP() << reason;
  ASSERT_EQ(second.manifest->probe(), nullptr);
  ASSERT_NE(first.manifest, second.manifest);
  // Kokkos reads this when it starts, and starts once: shared state would keep the first number.
  setenv("KOKKOS_NUM_THREADS", "2", 1);
  const auto one = first.manifest->create({});
  setenv("KOKKOS_NUM_THREADS", "1", 1);
  const auto other = second.manifest->create({});
  EXPECT_EQ(fact(one->devices()[0]->facts(), "threads"), "2");
  EXPECT_EQ(fact(other->devices()[0]->facts(), "threads"), "1");
  expect_right_product(*one->devices()[0]);
  expect_right_product(*other->devices()[0]);
  expect_right_product(*one->devices()[0]);
}

// As the program lets it go when it has loaded a plugin.
TEST(KokkosFlavours, AThreadThatWasLetGoIsBoundAgain) {
  if (dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr)
    GTEST_SKIP() << "the runtime has read its variables: run this test alone";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) == 1) GTEST_SKIP() << "there is one processor";
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("OMP_PLACES", "threads", 1);
  const Plugin plugin = load(openmp_plugin());
  if (const char* const reason = plugin.manifest->probe()) GTEST_SKIP() << reason;
  const auto backend = plugin.manifest->create({});
  const std::string binding = fact(backend->devices()[0]->facts(), "openmp_binding");
  EXPECT_EQ(binding.find(','), binding.npos) << binding;
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  backend->devices()[0]->bind_thread();
  cpu_set_t now;
  ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_EQ(CPU_COUNT(&now), 1);
}

TEST(KokkosFlavours, BothWorkInOneProcess) {
  if (std::string(CUDA_PLUGIN).empty()) GTEST_SKIP() << "kokkos-cuda is not built";
  const Plugin openmp = load(openmp_plugin()), cuda = load(CUDA_PLUGIN);
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const auto host = openmp.manifest->create({});
  expect_right_product(*host->devices()[0]);
  if (const char* const reason = cuda.manifest->probe()) {
    EXPECT_THROW(cuda.manifest->create({}), std::runtime_error) << reason;
  } else {
    const auto gpus = cuda.manifest->create({});
    expect_right_product(*gpus->devices()[0]);
  }
  expect_right_product(*host->devices()[0]);
}

struct Shape {
  std::size_t m, n, k, batch;
  int alpha, beta;
  bool across_a = false, across_b = false;  // transposed
};

// Small integers, which every order of summation forms exactly, and what lies around c.
template <class T>
void expect_right_product(Device& device, Type type, const Shape& shape) {
  const auto [m, n, k, batch, alpha, beta, across_a, across_b] = shape;
  constexpr std::size_t around = 16;
  std::unique_ptr<Buffer> buffers[3];
  const std::size_t counts[] = {m * k * batch, k * n * batch, m * n * batch};
  for (int i = 0; i < 3; ++i)
    buffers[i] = device.allocate((counts[i] + 2 * around) * sizeof(T), Memory::device);
  const auto values = [&](int i) { return static_cast<T*>(buffers[i]->data()) + around; };
  for (std::size_t i = 0; i < counts[0]; ++i) values(0)[i] = T(i % 5) - 2;
  for (std::size_t i = 0; i < counts[1]; ++i) values(1)[i] = T(i % 7) - 3;
  const auto slice = [&](int i) {
    return Slice{buffers[i].get(), around * sizeof(T), counts[i] * sizeof(T)};
  };
  Gemm gemm{.type = type, .m = m, .n = n, .k = k, .batch = batch};
  gemm.alpha = alpha, gemm.beta = beta;
  gemm.a = slice(0), gemm.b = slice(1), gemm.c = slice(2);
  gemm.transpose_a = across_a ? Transpose::yes : Transpose::no;
  gemm.transpose_b = across_b ? Transpose::yes : Transpose::no;
  T* const c = values(2);
  for (std::size_t i = 0; i < counts[2] + 2 * around; ++i) (c - around)[i] = T(i % 11);
  std::vector<T> expected(c - around, c + counts[2] + around);
  std::vector<T> row_of_a(k), sums(n);
  for (std::size_t row = 0; row < m * batch; ++row) {
    const std::size_t matrix = row / m, i = row % m;
    const T* const a = values(0) + matrix * m * k;
    const T* const b = values(1) + matrix * k * n;
    for (std::size_t p = 0; p < k; ++p) row_of_a[p] = a[across_a ? p * m + i : i * k + p];
    std::ranges::fill(sums, T(0));
    if (across_b)
      for (std::size_t j = 0; j < n; ++j)
        sums[j] = std::inner_product(row_of_a.begin(), row_of_a.end(), b + j * k, T(0));
    else
      for (std::size_t p = 0; p < k; ++p)
        for (std::size_t j = 0; j < n; ++j) sums[j] += row_of_a[p] * b[p * n + j];
    for (std::size_t j = 0; j < n; ++j) {
      T& is = expected[around + row * n + j];
      is = T(alpha) * sums[j] + (beta == 0 ? T(0) : T(beta) * is);
    }
  }
  if (beta == 0) std::fill_n(c, counts[2], std::numeric_limits<T>::quiet_NaN());
  const auto queue = device.queue();
  queue->prepare(gemm)->enqueue();
  queue->synchronize();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ((c - around)[i], expected[i])
        << m << "x" << n << "x" << k << " of " << batch << ", beta " << beta << ", transposed "
        << across_a << across_b << ": element " << std::ptrdiff_t(i - around);
}

// Rows and columns that do and do not fill vectors and tiles, on one thread and on several; a b
// that is copied, in several panels and in slices of k; rows and columns, of matrices that lie
// either way; one row and few of a b beyond the caches.
template <class T>
void expect_right_products(Device& device, Type type) {
  for (const std::size_t m : {1, 4, 11, 33, 131})
    for (const std::size_t n : {1, 3, 8, 15, 16, 17, 18, 20, 31, 33, 35, 36, 65, 68, 131, 700})
      for (const std::size_t k : {1, 8, 33, 70, 130})
        for (const auto& [batch, alpha, beta] : {std::tuple(1, 1, 0), {1, 2, -1}, {3, -1, 2}})
          expect_right_product<T>(device, type, {m, n, k, std::size_t(batch), alpha, beta});
  for (const Shape& shape :
       {Shape{33, 3001, 70, 1, 1, 0},
        {14, 658, 33, 1, 1, 0},
        {33, 701, 1500, 1, 2, -1},
        {13, 1003, 630, 1, 2, -1},   // rows of b are asked for some steps before
        {13, 1024, 3100, 1, 2, -1},  // from memory, in panels that ask for the next
        {21, 1024, 1050, 1, 2, -1},  // rows of b are whole pages
        {32, 1024, 130, 2, 1, 0},
        {5, 1024, 2500, 1, 2, -1},
        {80, 1024, 1024, 1, 2, -1},
        {28, 1024, 3100, 1, 2, -1},
        {210, 112, 641, 1, 2, -1},  // copied in strips of unequal width
        {210, 113, 1400, 1, 1, 0},
        {210, 113, 641, 1, 2, -1, false, true},
        {33, 701, 1500, 1, 2, -1, false, true},
        {35, 50, 65, 3, 1, 0, false, true},
        {75, 99, 68, 220, 2, -1},  // a batch that caches do not hold
        {33, 33, 65, 2, 2, -1, true, false},
        {61, 34, 40, 1, 1, 0, true, false},
        {66, 98, 100, 170, 1, 0, true, false},
        {100, 131, 200, 2, 1, 1, true, true},
        {32, 701, 500, 1, 2, -1, false, true},  // a and c are turned round in place of b
        {64, 613, 450, 3, 1, 0, false, true},
        {256, 24, 100, 1, 2, -1, true, true},  // c is turned round, which fills vectors
        {131, 37, 100, 2, 2, -1, true, false},
        {33, 131, 1, 3, 2, -1, true, false},  // one step lies the same way either way
        {131, 700, 1, 3, 2, -1, false, true},
        {131, 33, 1, 3, 1, 0, true, true},
        {140, 640, 7, 1, 2, -1},  // rows of a few steps, in blocks of columns
        {60, 1001, 3, 1, 1, 0, true, false},
        {45, 5008, 6, 2, 2, -1, true, false},
        {512, 10, 200, 1, 2, -1, false, true},  // few columns that lie along k
        {100, 24, 200, 2, 1, 0, false, true},
        {100, 40, 100, 3, 1, 0, true, true}})
    expect_right_product<T>(device, type, shape);
  for (const auto& [m, n] : {std::pair(1, 1),
                             {1, 5},  // several steps to a vector
                             {8, 1},
                             {1, 131},
                             {1, 700},
                             {700, 1},
                             {131, 2},
                             {131, 4},
                             {2, 131},
                             {2, 3},
                             {3, 3},
                             {7, 131},
                             {16, 3},
                             {1, 109},  // with AVX2 one tile of 14 vectors of f32
                             {1, 56},   // or of f64
                             {2, 96},
                             {3, 32}})
    for (const std::size_t k : {7, 32, 100, 3001})
      for (const auto& [a, b] :
           {std::pair(false, false), {false, true}, {true, false}, {true, true}})
        for (const auto& [batch, alpha, beta] : {std::tuple(1, 1, 0), {2, 2, -1}})
          expect_right_product<T>(
              device, type,
              {std::size_t(m), std::size_t(n), k, std::size_t(batch), alpha, beta, a, b});
  const std::size_t far = (std::size_t(13) << 20) / sizeof(T) / 1003;
  const std::size_t near = (std::size_t(5) << 20) / sizeof(T) / 1003;  // to one to three threads
  for (const Shape& shape : {Shape{1, 1003, far, 1, 1, 0},
                             {1, 1003, far, 2, 2, -1},
                             {15, 1003, far, 1, 2, -1},
                             {3, 1003, far, 1, 2, -1},
                             {2, 1003, near, 1, 2, -1},  // rows of b that are asked for
                             {4, 1003, near, 2, 1, 0},
                             {7, 1003, near, 1, 2, -1},
                             {4, 1003, 500, 8, 2, -1},  // by whole matrices
                             {150, 130, 120, 7, 2, -1},
                             {13, 1003, near, 2, 2, -1},  // tiles that ask for the next
                             {57, 1003, near, 1, 2, -1},
                             {120, 997, near, 1, 1, 0},
                             {40, 1003, far, 1, 2, -1, false, true},
                             {16, 1003, far, 2, 1, 0, false, true},
                             {37, 1003, near, 1, 2, -1, false, true},
                             {1, 1003, near, 1, 1, 0},
                             {1, 1003, near, 1, 2, -1},
                             {1, 1003, near, 2, 2, -1},
                             {1, 1024, near, 1, 1, 1, true, false},
                             {1003, 1, near, 1, 2, -1, true, false},
                             {1, 7, 131 * near, 1, 2, -1},  // few columns, by all threads
                             {2, 3, 131 * near, 1, 2, -1},
                             {16, 1, 61 * near, 1, 1, 0, true, false},
                             {1, 3, 300 * near, 2, 2, -1},
                             {1, 1, 700 * near, 1, 2, -1},  // fewer rows than threads
                             {3, 1, 300 * near, 2, 2, -1},
                             {1, 1003 * near, 1, 1, 2, -1},
                             {1, 1003 * near / 3, 3, 1, 2, -1},
                             {2048, 781, 1510, 1, 2, -1, true},  // a is copied, in slices
                             {1024, 1100, 17, 1, 1, 1, true},
                             {2048, 781, 520, 1, 1, 0, true, true}})
    expect_right_product<T>(device, type, shape);
}

// By the rules of every family of processors, and with every decision made otherwise.
class KokkosWays : public testing::TestWithParam<const char*> {};

TEST_P(KokkosWays, ProductsOfEveryShapeAreRight) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const Variable plan{"plan", GetParam()};
  const auto host = openmp.manifest->create({&plan, 1});
  expect_right_products<float>(*host->devices()[0], Type::f32);
  expect_right_products<double>(*host->devices()[0], Type::f64);
}

INSTANTIATE_TEST_SUITE_P(Plans, KokkosWays,
                         testing::Values("zen4", "zen5", "intel", "zen4+low", "zen5+low+packs",
                                         "rules+turns_b+packs", "rules+turns_a",
                                         "rules+turns_c+sums+by_rows"),
                         [](const testing::TestParamInfo<const char*>& plan) {
                           std::string name = plan.param;
                           std::replace(name.begin(), name.end(), '+', '_');
                           return name;
                         });

// The fastest way is sought on other memory, once, and gives what the others give.
TEST(KokkosFlavours, AProductIsMadeInAWayThatWasTried) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const Variable plan{"plan", "tried"};
  const auto host = openmp.manifest->create({&plan, 1});
  for (const auto& [a, b] : {std::pair(false, false), {false, true}, {true, false}, {true, true}})
    for (int again = 0; again < 2; ++again) {
      expect_right_product<float>(*host->devices()[0], Type::f32, {40, 50, 6, 3, 2, -1, a, b});
      expect_right_product<double>(*host->devices()[0], Type::f64, {12, 7, 90, 1, 1, 0, a, b});
    }
}

TEST(KokkosFlavours, AWayThatIsUnknownIsRefused) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const Variable plan{"plan", "zen5+guessed"};
  EXPECT_THROW(openmp.manifest->create({&plan, 1}), std::runtime_error);
}

// Of numbers of 16 bits, where all sums are numbers of both types.
TEST(KokkosFlavours, ThreadsThatAreNoNumberAreRefused) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before ? before : "";
  for (const char* const threads : {"abc", "0", "-2", "2x", ",2"}) {
    setenv("OMP_NUM_THREADS", threads, 1);
    EXPECT_THROW(openmp.manifest->create({}), std::runtime_error) << threads;
  }
  setenv("OMP_NUM_THREADS", "2,2", 1);
  EXPECT_NO_THROW(openmp.manifest->create({}));
  if (before)
    setenv("OMP_NUM_THREADS", kept.c_str(), 1);
  else
    unsetenv("OMP_NUM_THREADS");
}

TEST(KokkosFlavours, ProductsOf16BitsAreRight) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const auto host = openmp.manifest->create({});
  Device& device = *host->devices()[0];
  const auto queue = device.queue();
  const auto stored = [](Type type, int value) {
    const auto bits = std::bit_cast<std::uint32_t>(float(value));
    const std::uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (type == Type::bf16 || value == 0) return std::uint16_t(bits >> 16);
    return std::uint16_t(sign | (size - 0x38000000) >> 13);
  };
  const auto element = [](std::size_t i) { return int(i * 7 % 11 % 3) - 1; };
  constexpr std::uint16_t nan = 0x7fff;  // of both types, and behind all operands
  constexpr std::size_t behind = 64;
  std::size_t turn = 0;
  for (const Type type : {Type::f16, Type::bf16})
    for (const std::size_t m : {1, 4, 33, 131})
      for (const std::size_t n : {1, 2, 3, 4, 8, 17, 64, 113, 131, 700})
        for (const std::size_t k : {0, 1, 33, 100, 3000})
          for (const auto& [batch, beta] : {std::pair<std::size_t, int>(1, 0), {3, 2}}) {
            if (k == 3000 && m > 33) continue;  // takes long, and brings nothing new
            ++turn;
            const bool across_a = turn % 7 % 2 == 0, across_b = turn % 5 % 2 == 0;
            const auto place_a = [&, m = m, k = k](std::size_t row, std::size_t p) {
              return across_a ? p * m + row : row * k + p;
            };
            const auto place_b = [&, n = n, k = k](std::size_t p, std::size_t column) {
              return across_b ? column * k + p : p * n + column;
            };
            const std::size_t every = k == 3000 ? 16 : 1;  // so that sums stay numbers of bf16
            const std::size_t counts[] = {m * k * batch, k * n * batch, m * n * batch};
            std::unique_ptr<Buffer> buffers[3];
            std::uint16_t* values[3];
            for (int i = 0; i < 3; ++i) {
              buffers[i] = device.allocate(2 * (counts[i] + behind), Memory::device);
              values[i] = static_cast<std::uint16_t*>(buffers[i]->data());
              for (std::size_t j = 0; j < counts[i]; ++j)
                values[i][j] = stored(type, i < 2 ? element(j) : 3);
              std::fill_n(values[i] + counts[i], behind, nan);
            }
            for (std::size_t matrix = 0; matrix < batch; ++matrix)
              for (std::size_t p = 0; p < k; ++p)
                for (std::size_t column = 0; p % every != 0 && column < n; ++column)
                  values[1][matrix * k * n + place_b(p, column)] = 0;
            if (beta == 0) std::fill_n(values[2], counts[2], nan);
            const auto slice = [&](int i) { return Slice{buffers[i].get(), 0, 2 * counts[i]}; };
            Gemm gemm{.type = type, .m = m, .n = n, .k = k, .batch = batch};
            const int alpha = turn % 3 == 0 ? 2 : 1;
            gemm.a = slice(0), gemm.b = slice(1), gemm.c = slice(2);
            gemm.alpha = alpha, gemm.beta = beta;
            gemm.transpose_a = across_a ? Transpose::yes : Transpose::no;
            gemm.transpose_b = across_b ? Transpose::yes : Transpose::no;
            queue->prepare(gemm)->enqueue();
            queue->synchronize();
            for (std::size_t i = 0; i < counts[2]; ++i) {
              const std::size_t matrix = i / (m * n), row = i / n % m, column = i % n;
              int sum = 0;
              for (std::size_t p = 0; p < k; p += every)
                sum += element(matrix * m * k + place_a(row, p)) *
                       element(matrix * k * n + place_b(p, column));
              // Zero may have either sign.
              const std::uint16_t made = values[2][i] == 0x8000 ? 0 : values[2][i];
              ASSERT_EQ(made, stored(type, alpha * sum + 3 * beta))
                  << int(type) << ": " << m << "x" << n << "x" << k << ", " << across_a << across_b
                  << ": " << i;
            }
            for (std::size_t i = 0; i < behind; ++i)
              ASSERT_EQ(values[2][counts[2] + i], nan) << "written behind the end";
          }
}

// 257 is not a number of bf16: what is rounded before the last step of k comes out as 256.
TEST(KokkosFlavours, SumsOfBf16AreRoundedOnceHoweverManyStepsThereAre) {
  const Plugin openmp = load(openmp_plugin());
  if (const char* const reason = openmp.manifest->probe()) GTEST_SKIP() << reason;
  const auto host = openmp.manifest->create({});
  Device& device = *host->devices()[0];
  constexpr std::uint16_t one = 0x3f80, result = 0x4381;  // 258
  constexpr std::size_t m = 20, n = 70;
  for (const std::size_t k : {std::size_t(4096), std::size_t(9001)}) {
    std::vector<std::unique_ptr<Buffer>> buffers;
    const auto slice = [&](std::size_t elements) {
      buffers.push_back(device.allocate(2 * elements, Memory::device));
      std::fill_n(static_cast<std::uint16_t*>(buffers.back()->data()), elements, 0);
      return Slice{buffers.back().get(), 0, 2 * elements};
    };
    const Gemm gemm{.type = Type::bf16,
                    .m = m,
                    .n = n,
                    .k = k,
                    .a = slice(m * k),
                    .b = slice(k * n),
                    .c = slice(m * n)};
    auto* const a = static_cast<std::uint16_t*>(buffers[0]->data());
    auto* const b = static_cast<std::uint16_t*>(buffers[1]->data());
    std::fill_n(a, m * k, one);
    std::fill_n(b, 257 * n, one);
    std::fill_n(b + (k - 1) * n, n, one);
    const auto queue = device.queue();
    queue->prepare(gemm)->enqueue();
    queue->synchronize();
    const auto* const c = static_cast<const std::uint16_t*>(buffers[2]->data());
    for (std::size_t i = 0; i < m * n; ++i) ASSERT_EQ(c[i], result) << k << ": " << i;
  }
}

TEST(KokkosFlavours, NoSymbolOfKokkosLeavesAPlugin) {
  for (const std::string& file : {openmp_plugin(), std::string(CUDA_PLUGIN)}) {
    if (file.empty()) continue;
    EXPECT_EQ(dlsym(load(file).library, "_ZN6Kokkos14is_initializedEv"), nullptr) << file;
  }
}

TEST(KokkosFlavours, LoadingTheCudaFlavourNeedsNoDriver) {
  if (std::string(CUDA_PLUGIN).empty()) GTEST_SKIP() << "kokkos-cuda is not built";
  EXPECT_EQ(load(CUDA_PLUGIN).manifest->name, "kokkos-cuda");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find("libcuda.so"), std::string::npos) << line;
  }
}

// What they are compiled to may need a processor that is not there: `probe` has to look first.
TEST(KokkosFlavours, TheLoaderRunsNoInitialiserOfTheNativeFlavour) {
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(load(openmp_plugin()).library, RTLD_DI_LINKMAP, &map), 0);
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_INIT_ARRAYSZ) continue;
    EXPECT_EQ(entry->d_un.d_val, 0u);
  }
}

}  // namespace
}  // namespace breakeven
