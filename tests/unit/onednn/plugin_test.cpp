// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <breakeven/plugin.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace breakeven {
namespace {

const Manifest& manifest() {
  static void* const library = dlopen(ONEDNN_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
}

std::unique_ptr<Backend> make_backend(std::string_view threads) {
  const Variable setting{"threads", threads};
  return manifest().create({&setting, 1});
}

std::string_view fact(const Backend& backend, std::string_view key) {
  for (const Fact& fact : backend.facts())
    if (fact.key == key) return fact.value;
  return {};
}

TEST(OneDnnPlugin, IsOneDeviceThatNamesItsVersionAndThreads) {
  const auto backend = make_backend("1");
  EXPECT_EQ(backend->devices().size(), 1u);
  EXPECT_NE(fact(*backend, "onednn_version").find('.'), std::string_view::npos);
  EXPECT_TRUE(fact(*backend, "threads") == "1" || fact(*backend, "threads") == "unknown");
}

// What becomes a variable of the environment is not given to create, which reads this one.
TEST(OneDnnPlugin, IsToldItsThreads) {
  for (const Option& option : manifest().options)
    EXPECT_EQ(option.environment_variable, "") << option.name;
}

TEST(OneDnnPlugin, NamesTheOptionThatIsWrong) {
  for (const char* text : {"0", "two", "1x", "-1", "99999"}) try {
      make_backend(text);
      FAIL() << text << " was accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("option threads"), std::string::npos);
    }
}

TEST(OneDnnPlugin, DoesNotDoWhatOneDnnCannot) {
  const auto backend = make_backend("1");
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const auto memory = device.allocate(64, Memory::device);
  const Slice some{memory.get(), 0, 64};
  EXPECT_EQ(queue->prepare(Gemm{.type = Type::f64, .a = some, .b = some, .c = some}), nullptr);
  EXPECT_EQ(queue->prepare(Norm{.type = Type::f32, .x = some, .out = some}), nullptr);
  EXPECT_THROW(queue->prepare(Gemm{
                   .type = Type::f32, .m = 9, .n = 9, .k = 9, .a = some, .b = some, .c = some}),
               std::invalid_argument);
}

// 257 is not a number of bf16, 258 is: a sum that is rounded before its last step comes out as 256.
TEST(OneDnnPlugin, SumsOfBf16AreRoundedOnce) {
  const auto backend = make_backend("all");
  Device& device = *backend->devices().front();
  constexpr std::uint16_t one = 0x3f80, two = 0x4000, sum = 0x4381;
  constexpr std::size_t m = 3, n = 5, k = 257;
  std::vector<std::unique_ptr<Buffer>> buffers;
  const auto filled = [&](std::size_t elements, std::uint16_t value) {
    buffers.push_back(device.allocate(2 * elements, Memory::device));
    std::fill_n(static_cast<std::uint16_t*>(buffers.back()->data()), elements, value);
    return Slice{buffers.back().get(), 0, 2 * elements};
  };
  const auto queue = device.queue();
  const auto task = queue->prepare(Gemm{.type = Type::bf16,
                                        .m = m,
                                        .n = n,
                                        .k = k,
                                        .a = filled(m * k, one),
                                        .b = filled(k * n, one),
                                        .c = filled(m * n, 0)});
  if (task == nullptr) GTEST_SKIP() << "this oneDNN has no bf16 on this processor";
  EXPECT_FALSE(task->info().routine.empty());
  auto* const a = static_cast<std::uint16_t*>(buffers[0]->data());
  for (std::size_t i = 0; i < m; ++i) a[i * k] = two;
  task->enqueue();
  queue->synchronize();
  const auto* const c = static_cast<const std::uint16_t*>(buffers[2]->data());
  for (std::size_t i = 0; i < m * n; ++i) EXPECT_EQ(c[i], sum) << i;
}

}  // namespace
}  // namespace breakeven
