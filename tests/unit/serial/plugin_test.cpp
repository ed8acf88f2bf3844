// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>
#include <breakeven/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven {
namespace {

const Manifest& manifest() {
  static void* const library = dlopen(SERIAL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
}

std::unique_ptr<Backend> make_backend() {
  return manifest().create({});
}

Slice whole(Buffer& buffer) {
  return {&buffer, 0, buffer.bytes()};
}

std::span<float> floats(Buffer& buffer) {
  return {static_cast<float*>(buffer.data()), buffer.bytes() / sizeof(float)};
}

std::size_t allowed_processors() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return std::size_t(CPU_COUNT(&set));
}

TEST(SerialPlugin, EveryAllowedCoreIsADevice) {
  const auto backend = make_backend();
  ASSERT_GE(backend->devices().size(), 1u);
  EXPECT_LE(backend->devices().size(), allowed_processors());
}

TEST(SerialPlugin, CoresOutsideOfTheAffinityDoNotExist) {
  const auto in_a_process_of_one_core = [] {
    make_backend()->devices().back()->bind_thread();
    _exit(int(make_backend()->devices().size()));
  };
  EXPECT_EXIT(in_a_process_of_one_core(), testing::ExitedWithCode(1), "");
}

TEST(SerialPlugin, TheVariantCanBeChosenAndIsRecorded) {
  const std::string name{serial::variants().back()->name};  // of the least that a processor needs
  const Variable least{"variant", name}, unknown{"variant", "fastest"};
  const auto backend = manifest().create({&least, 1});
  ASSERT_FALSE(backend->facts().empty());
  EXPECT_EQ(backend->facts().front().key, "gemm_variant");
  EXPECT_EQ(backend->facts().front().value, name);
  EXPECT_THROW(manifest().create({&unknown, 1}), std::runtime_error);
}

TEST(SerialPlugin, ProductsAreMadeInTheWayThatIsAskedFor) {
  for (const char* const known : {"tried", "rules", "intel", "zen4+turns_b", "rules+packs+low"}) {
    const Variable plan{"plan", known};
    EXPECT_FALSE(manifest().create({&plan, 1})->devices().empty()) << known;
  }
  for (const char* const unknown :
       {"", "guessed", "tried+packs", "packs", "rules+", "rules+rules"}) {
    const Variable plan{"plan", unknown};
    EXPECT_THROW(manifest().create({&plan, 1}), std::runtime_error) << unknown;
  }
}

TEST(SerialPlugin, AProductSaysInWhichWayItIsMade) {
  const Variable packs{"plan", "rules+packs"}, rules{"plan", "rules"};
  for (const auto& [plan, routine] :
       {std::pair(&packs, "gemm plan=rules+packs"), std::pair(&rules, "gemm")}) {
    const auto backend = manifest().create({plan, 1});
    Device& device = *backend->devices().front();
    const auto x = device.allocate(64, Memory::device), out = device.allocate(64, Memory::device);
    Gemm gemm{.m = 1, .n = 1, .k = 1};
    gemm.a = gemm.b = whole(*x), gemm.c = whole(*out);
    EXPECT_EQ(device.queue()->prepare(gemm)->info().routine, routine);
  }
}

TEST(SerialPlugin, BindThreadLeavesOneProcessor) {
  const auto backend = make_backend();
  std::size_t processors = 0;
  std::thread([&] {
    backend->devices().front()->bind_thread();
    processors = allowed_processors();
  }).join();
  EXPECT_EQ(processors, 1u);
}

TEST(SerialPlugin, PinnedMemoryIsNotSupported) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  EXPECT_EQ(device.allocate(64, Memory::pinned), nullptr);
  EXPECT_NE(device.allocate(0, Memory::device)->data(), nullptr);
}

TEST(SerialPlugin, ImpossibleAllocationsAreOutOfMemory) {
  const auto backend = make_backend();
  EXPECT_THROW(backend->devices().front()->allocate(~std::size_t(0), Memory::device),
               std::bad_alloc);
}

TEST(SerialPlugin, Tf32IsNotSupported) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto buffer = device.allocate(64, Memory::device),
             out = device.allocate(64, Memory::device);
  Gemm tf32{.math = Math::tf32, .m = 1, .n = 1, .k = 1};
  tf32.a = tf32.b = whole(*buffer), tf32.c = whole(*out);
  EXPECT_EQ(queue->prepare(tf32), nullptr);
}

// Of -8 … 8, as bits of bf16: a float's upper half.
std::uint16_t bf16(int value) {
  const float wide = float(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &wide, sizeof bits);
  return std::uint16_t(bits >> 16);
}

TEST(SerialPlugin, ProductsOf16BitsAreSummedInF32AndRoundedOnce) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  // 1 and 256 times 2⁻⁸ make 2; in sums of bf16 each of them would be lost.
  constexpr std::size_t m = 3, n = 5, k = 257, batch = 2;
  const auto a = device.allocate(batch * m * k * 2, Memory::device),
             b = device.allocate(batch * k * n * 2, Memory::device),
             c = device.allocate(batch * m * n * 2, Memory::device);
  auto* const pa = static_cast<std::uint16_t*>(a->data());
  auto* const pb = static_cast<std::uint16_t*>(b->data());
  auto* const pc = static_cast<std::uint16_t*>(c->data());
  for (std::size_t i = 0; i < batch * m * k; ++i) pa[i] = i % k == 0 ? bf16(1) : 0x3b80;  // 2⁻⁸
  for (const auto& [transpose_b, beta] : {std::pair(Transpose::no, 0), {Transpose::yes, 1}}) {
    std::fill_n(pb, batch * k * n, bf16(1));
    for (std::size_t i = 0; i < batch * m * n; ++i)
      pc[i] = beta == 0 ? std::uint16_t(0x7fc0) : bf16(int(i % 3) - 1);
    Gemm gemm{.type = Type::bf16, .m = m, .n = n, .k = k, .batch = batch, .beta = double(beta)};
    gemm.transpose_b = transpose_b;
    gemm.a = whole(*a), gemm.b = whole(*b), gemm.c = whole(*c);
    queue->prepare(gemm)->enqueue();
    for (std::size_t i = 0; i < batch * m * n; ++i)
      EXPECT_EQ(pc[i], bf16(2 + beta * (int(i % 3) - 1))) << i << " with beta " << beta;
  }
}

TEST(SerialPlugin, ANormOf16BitsIsAnF32) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  constexpr std::size_t n = 2500;
  const auto x = device.allocate(2 * n * 2, Memory::device),
             out = device.allocate(8, Memory::device);
  std::fill_n(static_cast<std::uint16_t*>(x->data()), n, std::uint16_t(0x4200));      // 3 in f16
  std::fill_n(static_cast<std::uint16_t*>(x->data()) + n, n, std::uint16_t(0x7800));  // 32768
  queue->prepare(Norm{Type::f16, n, 2, whole(*x), whole(*out)})->enqueue();
  EXPECT_EQ(floats(*out)[0], 150);
  EXPECT_EQ(floats(*out)[1], 1638400);
}

TEST(SerialPlugin, OperandsOfAnotherCoreAreRefusedByName) {
  const auto backend = make_backend();
  if (backend->devices().size() < 2) GTEST_SKIP() << "one core";
  Device &first = *backend->devices()[0], &second = *backend->devices()[1];
  const auto queue = first.queue();
  const auto here = first.allocate(64, Memory::device), there = second.allocate(64, Memory::device);
  try {
    queue->prepare(Tanh{Type::f32, 16, whole(*there), whole(*here)});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(first.info().name), text.npos) << text;
    EXPECT_NE(text.find(second.info().name), text.npos) << text;
  }
}

TEST(SerialPlugin, CopyTakesMemoryOfEveryCore) {
  const auto backend = make_backend();
  Device &first = *backend->devices().front(), &last = *backend->devices().back();
  const auto from = last.allocate(64, Memory::pageable), to = first.allocate(64, Memory::device);
  for (std::size_t i = 0; i < 16; ++i) floats(*from)[i] = float(i);
  const auto queue = first.queue();
  queue->prepare(Copy{{to.get(), 4, 32}, {from.get(), 8, 32}})->enqueue();
  queue->synchronize();
  EXPECT_EQ(floats(*to)[1], 2);
  EXPECT_EQ(floats(*to)[8], 9);
}

TEST(SerialPlugin, OperandsThatAreTooSmallAreRefused) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto small = device.allocate(60, Memory::device), out = device.allocate(64, Memory::device);
  EXPECT_THROW(queue->prepare(Tanh{Type::f32, 16, whole(*small), whole(*out)}),
               std::invalid_argument);
  EXPECT_THROW(queue->prepare(Tanh{Type::f32, 1, {small.get(), 2, 4}, whole(*out)}),
               std::invalid_argument);
  EXPECT_THROW(queue->prepare(Tanh{Type::f32, 1, {small.get(), 60, 4}, whole(*out)}),
               std::invalid_argument);
  Gemm huge{.m = std::size_t(1) << 40, .n = 1, .k = std::size_t(1) << 40};
  huge.a = huge.b = whole(*small), huge.c = whole(*out);
  EXPECT_THROW(queue->prepare(huge), std::invalid_argument);
}

TEST(SerialPlugin, ABatchOfProductsAndASequenceGiveEveryResult) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto x = device.allocate(24, Memory::device), out = device.allocate(8, Memory::device);
  for (std::size_t i = 0; i < 6; ++i) floats(*x)[i] = float(i);
  Gemm gemm{.m = 1, .n = 1, .k = 3, .batch = 2};
  gemm.a = gemm.b = whole(*x), gemm.c = whole(*out);
  const auto product = queue->prepare(gemm);
  const auto root = queue->prepare(Norm{Type::f32, 2, 1, whole(*out), whole(*out)});
  Task* const steps[] = {product.get(), root.get()};
  product->enqueue();
  EXPECT_EQ(floats(*out)[0], 5);
  EXPECT_EQ(floats(*out)[1], 50);
  queue->sequence(steps)->enqueue();
  EXPECT_FLOAT_EQ(floats(*out)[0], std::sqrt(2525.0f));
}

TEST(SerialPlugin, EventsGiveTheTimeBetweenThem) {
  const auto backend = make_backend();
  Device& device = *backend->devices().front();
  const auto queue = device.queue(), other = device.queue();
  const auto start = queue->event(), stop = queue->event(), never = queue->event();
  queue->record(*start);
  other->wait(*start);
  other->wait(*never);
  queue->record(*stop);
  EXPECT_GE(stop->since(*start), 0);
  EXPECT_LT(stop->since(*never), 0);
}

}  // namespace
}  // namespace breakeven
