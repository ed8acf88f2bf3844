// SPDX-License-Identifier: Apache-2.0
// What `breakeven check` does not try: parts of a device, two contexts, CLBlast, tiles and errors.
// Runs on whatever OpenCL finds; PoCL is enough.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <breakeven/plugin.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "suite/verify/gemm_check.hpp"
#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {
namespace {

using Bytes = std::vector<std::byte>;

const Manifest& manifest() {
  static void* const library = dlopen(OPENCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
}

std::unique_ptr<Backend> backend_with(std::initializer_list<Variable> settings) {
  return manifest().create({settings.begin(), settings.size()});
}

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* reason = manifest().probe()) GTEST_SKIP() << reason;
  }
};

std::string fact(std::span<const Fact> facts, std::string_view key) {
  for (const Fact& one : facts)
    if (one.key == key) return std::string(one.value);
  return {};
}

Slice whole(Buffer& buffer) {
  return {&buffer, 0, buffer.bytes()};
}

bool run(Queue& queue, const AnyOperation& operation) {
  const auto task = queue.prepare_any(operation);
  if (!task) return false;
  task->enqueue();
  queue.synchronize();
  return true;
}

std::unique_ptr<Buffer> on(Device& device, const Bytes& contents) {
  auto buffer = device.allocate(contents.size(), Memory::device);
  const auto host = device.allocate(contents.size(), Memory::pageable);
  std::memcpy(host->data(), contents.data(), contents.size());
  run(*device.queue(), Copy{whole(*buffer), whole(*host)});
  return buffer;
}

Bytes contents_of(Buffer& buffer) {
  const auto host = buffer.device().allocate(buffer.bytes(), Memory::pageable);
  run(*buffer.device().queue(), Copy{whole(*host), whole(buffer)});
  const auto* const data = static_cast<const std::byte*>(host->data());
  return {data, data + buffer.bytes()};
}

Bytes numbered(std::size_t bytes) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 % 251);
  return made;
}

// An exact product on the backend's first device.
void expect_right(Backend& backend, Gemm gemm) {
  Device& device = *backend.devices().front();
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  Bytes a(gemm.m * gemm.k * element), b(gemm.k * gemm.n * element), c(gemm.m * gemm.n * element);
  fill_exact(gemm, 3, a, b);
  if (gemm.beta == 0)
    poison(c);
  else
    fill(gemm.type, Values::small_integers, 5, c);
  const auto on_a = on(device, a), on_b = on(device, b), on_c = on(device, c);
  gemm.a = whole(*on_a), gemm.b = whole(*on_b), gemm.c = whole(*on_c);
  ASSERT_TRUE(run(*device.queue(), gemm));
  const Bytes result = contents_of(*on_c);
  const auto found = check_exact(gemm, {.a = a, .b = b, .c_before = c, .c = result}, 3);
  EXPECT_TRUE(found.passed) << found.message;
}

TEST_F(OpenCl, SaysWhatADeviceIs) {
  const auto backend = backend_with({});
  for (Device* const device : backend->devices()) {
    for (const char* key : {"platform", "driver", "opencl_version", "compute_units", "clock_mhz",
                            "local_memory_bytes", "memory_bytes", "products"})
      EXPECT_NE(fact(device->facts(), key), "") << key;
    EXPECT_GT(device->info().memory_bytes, 0u);
    EXPECT_GT(device->info().free_bytes, 0u);
  }
}

TEST_F(OpenCl, RefusesSettingsThatMeanNothing) {
  for (const Variable wrong :
       {Variable{"parts", "0"}, Variable{"parts", "two"}, Variable{"parts", "2x"},
        Variable{"products", "fast"}, Variable{"tune", "yes"}}) {
    try {
      backend_with({wrong});
      ADD_FAILURE() << wrong.name << '=' << wrong.value << " was accepted";
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(wrong.value), text.npos) << text;
      EXPECT_EQ(text.find('\n'), text.npos) << text;
    }
  }
}

TEST_F(OpenCl, AnUnsupportedSizeOfPartsLeavesTheDeviceWhole) {
  EXPECT_GE(backend_with({{"parts", "1024"}})->devices().size(), 1u);
}

// Products by CLBlast: direct and indirect kernels, its batched call and its temporary buffer.
TEST_F(OpenCl, ClBlastMultiplies) {
  std::unique_ptr<Backend> backend;
  try {
    backend = backend_with({{"products", "clblast"}});
  } catch (const std::runtime_error& reason) {
    EXPECT_NE(std::string(reason.what()).find("libclblast1"), std::string::npos);
    GTEST_SKIP() << reason.what();
  }
  EXPECT_EQ(fact(backend->devices().front()->facts(), "products"), "clblast, own for 16 bits");
  expect_right(*backend, {.m = 33, .n = 17, .k = 65, .alpha = 2, .beta = -1});
  expect_right(*backend, {.m = 8, .n = 9, .k = 10, .batch = 3});
  expect_right(*backend, {.m = 640, .n = 600, .k = 520});
  expect_right(*backend, {.m = 640, .n = 600, .k = 520, .batch = 2, .alpha = -1, .beta = 2});
  expect_right(*backend, {.m = 5, .n = 5, .k = 0, .beta = 2});
}

TEST_F(OpenCl, OwnProductsOfEveryType) {
  const auto backend = backend_with({{"products", "own"}});
  for (const Type type : {Type::f32, Type::f64, Type::f16, Type::bf16}) {
    if (type == Type::f64 && fact(backend->devices().front()->facts(), "f64") != "yes") continue;
    expect_right(*backend, {.type = type, .m = 201, .n = 133, .k = 77, .batch = 2, .beta = 1});
    expect_right(*backend, {.type = type, .m = 3, .n = 2, .k = 0, .beta = 2});
  }
}

template <class Real>
Bytes bytes_of_all(const std::vector<Real>& values) {
  Bytes made(values.size() * sizeof(Real));
  std::memcpy(made.data(), values.data(), made.size());
  return made;
}

template <class Real>
std::vector<Real> reals_of(Buffer& buffer) {
  const Bytes data = contents_of(buffer);
  std::vector<Real> values(data.size() / sizeof(Real));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

// On both sides of where the method changes, of where the result is 1, and beyond what exp can do.
template <class Real>
void expect_right_tanh(Type type) {
  std::vector<Real> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<Real>(i) / 199);
  for (int i = -300; i <= 30; ++i) x.push_back(std::pow(Real(1.9), static_cast<Real>(i) / 4));
  for (const Real value : {Real(0), Real(-0.0), std::numeric_limits<Real>::infinity(),
                           -std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::max(),
                           std::numeric_limits<Real>::min()})
    x.push_back(value);
  x.resize((x.size() + 15) / 16 * 16, std::numeric_limits<Real>::quiet_NaN());  // whole vectors
  const auto backend = backend_with({});
  Device& device = *backend->devices().front();
  const auto in = on(device, bytes_of_all(x)), out = on(device, bytes_of_all(x));
  if (!run(*device.queue(), Tanh{type, x.size(), whole(*in), whole(*out)})) return;
  const auto result = reals_of<Real>(*out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double right = std::tanh(static_cast<long double>(x[i]));
    if (std::isnan(x[i]))
      EXPECT_TRUE(std::isnan(result[i])) << i;
    else
      EXPECT_LE(std::abs(result[i] - right),
                3 * std::numeric_limits<Real>::epsilon() * std::abs(right))
          << "tanh(" << x[i] << ") is " << result[i];
    EXPECT_EQ(std::signbit(result[i]), std::signbit(x[i])) << x[i];
    EXPECT_FALSE(std::abs(result[i]) > 1) << x[i];
  }
}

TEST_F(OpenCl, TanhIsRightEverywhere) {
  expect_right_tanh<float>(Type::f32);
  expect_right_tanh<double>(Type::f64);
}

TEST_F(OpenCl, SumsRowsOfAnyLength) {
  const auto backend = backend_with({});
  Device& device = *backend->devices().front();
  for (const std::size_t n : {0u, 1u, 7u, 64u, 1000u, 100003u}) {
    constexpr std::size_t rows = 3;
    std::vector<float> x(rows * n), expected(rows);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i % 17) - 5;
      expected[i / n] += x[i];  // exact
    }
    x.resize(std::max<std::size_t>(x.size(), 1));
    const auto in = on(device, bytes_of_all(x)), out = on(device, Bytes(rows * 4));
    ASSERT_TRUE(run(*device.queue(), Sum{Type::f32, n, rows, whole(*in), whole(*out)}));
    EXPECT_EQ(reals_of<float>(*out), expected) << n;
  }
}

// x = x y + z, where each step needs the one before.
TEST_F(OpenCl, ASequenceIsItsTasksInOrder) {
  const auto backend = backend_with({});
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  constexpr std::size_t n = 1001;
  const auto x = on(device, bytes_of_all(std::vector<float>(n, 1))),
             y = on(device, bytes_of_all(std::vector<float>(n, -2))),
             z = on(device, bytes_of_all(std::vector<float>(n, 3)));
  const auto times_y = queue->prepare(MultiplyAdd{
                 .n = n, .a = whole(*x), .b = whole(*y), .c = whole(*z), .out = whole(*x)}),
             times_z = queue->prepare(MultiplyAdd{
                 .n = n, .a = whole(*x), .b = whole(*z), .c = whole(*y), .out = whole(*x)}),
             copy = queue->prepare(Copy{whole(*y), whole(*z)});
  const std::array<Task*, 3> tasks{times_y.get(), times_z.get(), times_y.get()};
  const auto all = queue->sequence(tasks);
  if (!all) GTEST_SKIP() << "no command buffers here";
  float expected = 1;
  for (int time = 0; time < 3; ++time) {
    all->enqueue();  // again before it is done
    expected = ((expected * -2 + 3) * 3 - 2) * -2 + 3;
  }
  queue->synchronize();
  EXPECT_EQ(reals_of<float>(*x), std::vector<float>(n, expected));
  const std::array<Task*, 2> with_a_copy{times_y.get(), copy.get()};
  EXPECT_EQ(queue->sequence(with_a_copy), nullptr);
  EXPECT_NE(queue->sequence({}), nullptr);
}

// Files of tiles, of this test's own.
class Tiles : public OpenCl {
 protected:
  void SetUp() override {
    OpenCl::SetUp();
    if (IsSkipped()) return;
    folder_ = std::filesystem::temp_directory_path() / ("tiles" + std::to_string(getpid()));
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path file() const { return folder_ / "breakeven" / "opencl-tiles"; }
  static std::string tile_of(Backend& backend) {
    return fact(backend.devices().front()->facts(), "tile_f32");
  }

  std::filesystem::path folder_;
};

// Every cut through the matrices: tails of tiles, of groups, of blocks.
TEST_F(Tiles, OfAnyShapeGiveTheSameProduct) {
  for (const char* tile : {"1x1x1x1x1", "4x1x4x4x16", "8x3x2x3x50"}) {
    const auto backend = backend_with({{"products", "own"}, {"tile", tile}});
    EXPECT_EQ(tile_of(*backend), tile);
    SCOPED_TRACE(tile);
    expect_right(*backend, {.m = 61, .n = 133, .k = 101, .beta = -1});
    expect_right(*backend, {.transpose_a = Transpose::yes,
                            .transpose_b = Transpose::yes,
                            .m = 33,
                            .n = 65,
                            .k = 51,
                            .batch = 2});
  }
}

TEST_F(Tiles, ThatMeanNothingAreRefused) {
  for (const char* tile :
       {"6x2x1x8", "6x2x1x8x0", "6x2x1x8x512x1", "-6x2x1x8x512", "6,2,1,8,512", ""})
    EXPECT_THROW(backend_with({{"tile", tile}}), std::runtime_error) << tile;
}

TEST_F(Tiles, AreSearchedOnceAndKept) {
  EXPECT_EQ(tile_of(*backend_with({{"products", "own"}})), "usual");
  expect_right(*backend_with({{"products", "own"}, {"tune", "on"}}), {.m = 50, .n = 60, .k = 70});
  const std::string found = tile_of(*backend_with({{"products", "own"}}));
  EXPECT_EQ(std::count(found.begin(), found.end(), 'x'), 4) << found;
  const auto written = std::filesystem::last_write_time(file());
  expect_right(*backend_with({{"products", "own"}, {"tune", "on"}}), {.m = 50, .n = 60, .k = 70});
  EXPECT_EQ(std::filesystem::last_write_time(file()), written);
}

TEST_F(Tiles, InADamagedFileAreAnErrorThatNamesTheLine) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "6x2x1x8x512 f32 on another device, driver 1\nsix by two\n";
  try {
    backend_with({});
    FAIL() << "it was accepted";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("opencl-tiles, line 2"), text.npos) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
  }
}

class TwoParts : public OpenCl {
 protected:
  void SetUp() override {
    OpenCl::SetUp();
    if (IsSkipped()) return;
    backend_ = backend_with({{"parts", "2"}});
    if (backend_->devices().size() < 2) GTEST_SKIP() << "no device can be divided here";
  }
  Device& first() { return *backend_->devices()[0]; }
  Device& second() { return *backend_->devices()[1]; }

  std::unique_ptr<Backend> backend_;
};

TEST_F(TwoParts, AreDevicesWithNamesOfTheirOwn) {
  EXPECT_NE(first().info().name, second().info().name);
  EXPECT_TRUE(first().reaches(second()));
}

TEST_F(TwoParts, CopiesArriveFromEitherSide) {
  const Bytes data = numbered(100003);
  const auto here = on(first(), data), there = on(second(), Bytes(data.size()));
  ASSERT_TRUE(run(*first().queue(), Copy{whole(*there), whole(*here)}));
  EXPECT_EQ(contents_of(*there), data);
  const Bytes other = numbered(data.size() - 1);
  const auto back = on(first(), Bytes(other.size())), from = on(second(), other);
  ASSERT_TRUE(run(*first().queue(), Copy{whole(*back), whole(*from)}));
  EXPECT_EQ(contents_of(*back), other);
}

// One after the other through two queues, a hundred times: a lost wait shows as an old value.
void pass_to_and_fro(Device& first, Device& second) {
  const auto ahead = first.queue(), behind = second.queue();
  const auto host = first.allocate(1 << 20, Memory::pageable);
  const auto between = first.allocate(1 << 20, Memory::pageable);
  const auto result = second.allocate(1 << 20, Memory::pageable);
  const auto on_first = first.allocate(1 << 20, Memory::device);
  const auto on_second = second.allocate(1 << 20, Memory::device);
  const auto up = ahead->prepare(Copy{whole(*on_first), whole(*host)});
  const auto down = ahead->prepare(Copy{whole(*between), whole(*on_first)});
  const auto on = behind->prepare(Copy{whole(*on_second), whole(*between)});
  const auto out = behind->prepare(Copy{whole(*result), whole(*on_second)});
  const auto done = ahead->event(), taken = behind->event();
  for (int time = 1; time <= 100; ++time) {
    ahead->synchronize();
    std::memset(host->data(), time, host->bytes());
    ahead->wait(*taken);
    up->enqueue();
    down->enqueue();
    ahead->record(*done);
    behind->wait(*done);
    on->enqueue();
    out->enqueue();
    behind->record(*taken);
    behind->synchronize();
    const auto* const bytes = static_cast<const unsigned char*>(result->data());
    ASSERT_EQ(bytes[0], time);
    ASSERT_EQ(bytes[result->bytes() - 1], time);
  }
}

// In either direction, asked of either side, and from one host's memory to the other's.
TEST_F(TwoParts, CopiesCrossContexts) {
  const auto other = backend_with({});
  Device& far = *other->devices().front();
  const Bytes data = numbered(100003), nothing(data.size());
  for (Device* const asked : {&first(), &far}) {
    const auto here = on(first(), data), there = on(far, nothing), back = on(second(), nothing);
    const auto queue = asked->queue();
    const auto away = queue->prepare(Copy{whole(*there), whole(*here)}),
               home = queue->prepare(Copy{whole(*back), whole(*there)});
    ASSERT_TRUE(away && home);
    away->enqueue();
    home->enqueue();
    queue->synchronize();
    EXPECT_EQ(contents_of(*back), data);

    const auto host = first().allocate(data.size(), Memory::pinned);
    ASSERT_TRUE(run(*queue, Copy{whole(*host), whole(*there)}));
    EXPECT_EQ(std::memcmp(host->data(), data.data(), data.size()), 0);
    std::memset(host->data(), 7, host->bytes());
    ASSERT_TRUE(run(*queue, Copy{{there.get(), 10, 1000}, {host.get(), 20, 1000}}));
    EXPECT_EQ(contents_of(*there)[9], data[9]);
    EXPECT_EQ(contents_of(*there)[10], std::byte{7});
    EXPECT_EQ(contents_of(*there)[1010], data[1010]);
  }
}

TEST_F(TwoParts, WaitForOneAnother) {
  pass_to_and_fro(first(), second());
}

TEST_F(TwoParts, WaitAcrossContexts) {
  const auto whole_device = backend_with({});
  pass_to_and_fro(first(), *whole_device->devices().front());
}

TEST_F(OpenCl, TellsTheTimeOnTheDevice) {
  const auto backend = backend_with({});
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto start = queue->event(), end = queue->event();
  EXPECT_LT(end->since(*start), 0);
  const auto x = on(device, Bytes(1 << 24)), out = on(device, Bytes(1 << 24));
  const auto task = queue->prepare(Copy{whole(*out), whole(*x)});
  queue->record(*start);
  task->enqueue();
  queue->record(*end);
  queue->synchronize();
  EXPECT_GT(end->since(*start), 0);
}

TEST_F(OpenCl, OnlyCopiesBetweenEqualPlacesOrApart) {
  const auto backend = backend_with({});
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const Bytes data = numbered(1000);
  const auto buffer = on(device, data);
  EXPECT_EQ(queue->prepare(Copy{{buffer.get(), 0, 100}, {buffer.get(), 50, 100}}), nullptr);
  EXPECT_THROW(queue->prepare(Copy{{buffer.get(), 0, 100}, {buffer.get(), 500, 99}}),
               std::invalid_argument);
  EXPECT_THROW(queue->prepare(Copy{{buffer.get(), 950, 100}, {buffer.get(), 0, 100}}),
               std::invalid_argument);
  ASSERT_TRUE(run(*queue, Copy{{buffer.get(), 0, 100}, {buffer.get(), 100, 100}}));
  EXPECT_EQ(std::memcmp(contents_of(*buffer).data(), &data[100], 100), 0);
}

}  // namespace
}  // namespace breakeven
