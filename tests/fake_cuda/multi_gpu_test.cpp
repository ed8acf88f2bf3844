// SPDX-License-Identifier: Apache-2.0
// The multi-gpu plugin on 2, 3, 4 and 8 fake GPUs gives, for exact inputs, the bits of one device.
#include <map>

#include <sched.h>

#include "double/touched.hpp"
#include "harness.hpp"
#include "matrices.hpp"

namespace breakeven::test {
namespace {

class MultiGpu : public testing::TestWithParam<int> {
 protected:
  Environment environment(const char* slow = "1:300") const {
    return {{"FAKE_CUDA_DEVICES", std::to_string(GetParam())}, {"FAKE_CUDA_SLOW", slow}};
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, MultiGpu, testing::Values(2, 3, 4, 8));

// One product with its rows over all parts, twice over: the second time b has just been made by
// another spread product, on which nothing has waited. With rows before them a and c begin where no
// pack does.
void products_by_rows(Device& device, Type type, Transpose transpose_b, std::size_t m,
                      double beta = 1, std::size_t rows_before = 0) {
  const std::size_t k = 6, n = 5, e = bytes_of(type);
  const auto queue = device.queue();
  const Values a = integers(m * k, 1), first = integers(k * k, 2), second = integers(k * n, 3);
  const Values c = integers(m * n, 4);
  Tensor ta(device, *queue, type, m * k, k * e, rows_before * k);
  Tensor tf(device, *queue, type, k * k, k * e);
  Tensor ts(device, *queue, type, k * n, n * e), tb(device, *queue, type, k * n, n * e);
  Tensor tc(device, *queue, type, m * n, n * e, rows_before * n);
  ta.put(a);
  tf.put(first);
  ts.put(second);
  if (beta != 0) tc.put(c);  // which is no number else
  Gemm make_b{.type = type, .m = k, .n = n, .k = k};
  make_b.a = tf.slice();
  make_b.b = ts.slice();
  make_b.c = tb.slice();
  Gemm gemm{
      .type = type, .transpose_b = transpose_b, .m = m, .n = n, .k = k, .alpha = -1, .beta = beta};
  gemm.a = ta.slice();
  gemm.b = tb.slice();
  gemm.c = tc.slice();
  const auto b_task = queue->prepare(make_b), task = queue->prepare(gemm);
  ASSERT_NE(task, nullptr);
  b_task->enqueue();
  task->enqueue();
  const Values b = product(make_b, first, second, {});
  expect_near(tc.get(), product(gemm, a, b, c), 0, "product by rows, m = " + std::to_string(m));
}

TEST_P(MultiGpu, AProductIsCutByRowsAlsoWhereSomePartsGetNone) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("multi-gpu");
    ASSERT_EQ(backend->devices().size(), 1u);
    Device& device = *backend->devices().front();
    for (const std::size_t m : {1u, 2u, 5u, 7u, 16u, 33u}) {
      products_by_rows(device, Type::f32, Transpose::no, m);
      products_by_rows(device, Type::f64, Transpose::yes, m);
    }
    products_by_rows(device, Type::bf16, Transpose::no, 9);
  });
}

void products_gathered_meanwhile(Device& device, Type type) {
  for (const std::size_t m : {1u, 2u, 5u, 33u})
    for (const std::size_t rows_before : {0u, 1u})
      for (const double beta : {0.0, 1.0, 2.0})
        products_by_rows(device, type, Transpose::no, m, beta, rows_before);
}

TEST_P(MultiGpu, AProductIsTheSameWhereBIsGatheredMeanwhile) {
  for (const char* peers : {"on", "off"}) {
    Environment here = environment("0:300");
    here.emplace_back("FAKE_CUDA_PEERS", peers);
    expect_passes(here, [] {
      const auto backend = backend_of("multi-gpu", {{"overlap_from_mib", "0"}});
      for (const Type type : {Type::f32, Type::f64, Type::f16, Type::bf16})
        products_gathered_meanwhile(*backend->devices().front(), type);
    });
  }
}

// One number and two ones are added up to every element of a c of 16 bits, which cannot hold the
// number and one: rounded after each part, or before beta c is added, it would be the number.
TEST_P(MultiGpu, AProductOf16BitsIsRoundedOnce) {
  expect_passes(environment(), [parts = static_cast<std::size_t>(GetParam())] {
    const auto backend = backend_of("multi-gpu", {{"overlap_from_mib", "0"}});
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    const std::size_t m = parts, n = 3, k = 2 * parts;
    for (const auto& [type, number] : {std::pair(Type::f16, 2048.0), std::pair(Type::bf16, 256.0)})
      for (const bool is_one_in_c : {false, true}) {
        Tensor a(device, *queue, type, m * k, 2 * k), b(device, *queue, type, k * n, 2 * n);
        Tensor c(device, *queue, type, m * n, 2 * n);
        Values of_b(k * n);
        for (std::size_t i = 0; i < n; ++i) {
          of_b[i] = number;
          of_b[n + i] = 1;
          of_b[2 * n + i] = is_one_in_c ? 0 : 1;
        }
        a.put(Values(m * k, 1));
        b.put(of_b);
        c.put(Values(m * n, is_one_in_c ? 1 : 0));
        Gemm gemm{.type = type, .m = m, .n = n, .k = k, .beta = 1};
        gemm.a = a.slice();
        gemm.b = b.slice();
        gemm.c = c.slice();
        const auto task = queue->prepare(gemm);
        ASSERT_NE(task, nullptr);
        EXPECT_EQ(task->info().author, Author::both);
        task->enqueue();
        expect_near(c.get(), Values(m * n, number + 2), 0, is_one_in_c ? "c of ones" : "b of ones");
      }
  });
}

TEST_P(MultiGpu, WithoutPeerAccessTheProductIsTheSame) {
  Environment alone = environment();
  alone.emplace_back("FAKE_CUDA_PEERS", "off");
  expect_passes(alone, [] {
    const auto backend = backend_of("multi-gpu");
    products_by_rows(*backend->devices().front(), Type::f32, Transpose::no, 11);
  });
}

TEST_P(MultiGpu, ABatchIsDealtOutByMatrices) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    for (const std::size_t batch : {1u, 2u, 21u})
      for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
        const std::size_t n = 5, bytes = n * n * 4;
        const Values a = integers(batch * n * n, 1), b = integers(batch * n * n, 2);
        Tensor ta(device, *queue, Type::f32, a.size(), bytes);
        Tensor tb(device, *queue, Type::f32, b.size(), bytes);
        Tensor tc(device, *queue, Type::f32, b.size(), bytes);
        Tensor norms(device, *queue, Type::f32, batch, 4);
        ta.put(a);
        tb.put(b);
        Gemm gemm{.transpose_a = transpose, .m = n, .n = n, .k = n, .batch = batch};
        gemm.a = ta.slice();
        gemm.b = tb.slice();
        gemm.c = tc.slice();
        const auto task = queue->prepare(gemm);
        ASSERT_NE(task, nullptr);
        task->enqueue();
        const auto norm = queue->prepare(Norm{Type::f32, n * n, batch, tc.slice(), norms.slice()});
        ASSERT_NE(norm, nullptr);
        norm->enqueue();
        const Values expected = product(gemm, a, b, {});
        expect_near(tc.get(), expected, 0, "batch");
        Values lengths(batch);
        for (std::size_t i = 0; i < expected.size(); ++i)
          lengths[i / (n * n)] += expected[i] * expected[i];
        for (double& length : lengths) length = std::sqrt(length);
        expect_near(norms.get(), lengths, 1e-4, "norms of a batch");
      }
  });
}

TEST_P(MultiGpu, NormsOfAVectorOverAllPartsAndIntoAnotherLayout) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    for (const Type type : {Type::f32, Type::f64, Type::f16}) {
      const Type result = type == Type::f64 ? Type::f64 : Type::f32;
      const Values x = integers(1500, 3);
      Tensor tx(device, *queue, type, x.size(), 30 * bytes_of(type));
      Tensor one(device, *queue, result, 1), many(device, *queue, result, 50, 1);
      tx.put(x);
      queue->prepare(Norm{type, 1500, 1, tx.slice(), one.slice()})->enqueue();
      queue->prepare(Norm{type, 30, 50, tx.slice(), many.slice()})->enqueue();
      Values squares(50);
      for (std::size_t i = 0; i < x.size(); ++i) squares[i / 30] += x[i] * x[i];
      double whole = 0;
      for (double& square : squares) {
        whole += square;
        square = std::sqrt(square);
      }
      expect_near(one.get(), {std::sqrt(whole)}, 1e-4, "one norm");
      expect_near(many.get(), squares, 1e-5, "many norms");
    }
  });
}

TEST_P(MultiGpu, ElementwiseOperationsStayOnTheirParts) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    const std::size_t n = 5000;
    const Values a = integers(n, 1), b = integers(n, 2);
    Tensor ta(device, *queue, Type::f32, n), tb(device, *queue, Type::f32, n);
    Tensor other(device, *queue, Type::f32, n, n * 4);
    ta.put(a);
    tb.put(b);
    const auto task =
        queue->prepare(MultiplyAdd{Type::f32, n, ta.slice(), tb.slice(), tb.slice(), ta.slice()});
    ASSERT_NE(task, nullptr);
    task->enqueue();
    Values expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = a[i] * b[i] + b[i];
    expect_near(ta.get(), expected, 0, "multiply-add");
    queue->prepare(Tanh{Type::f32, n, ta.slice(), tb.slice()})->enqueue();
    for (double& value : expected) value = std::tanh(value);
    expect_near(tb.get(), expected, 1e-6, "tanh");
    EXPECT_EQ(queue->prepare(Tanh{Type::f32, n, ta.slice(), other.slice()}), nullptr);
  });
}

TEST_P(MultiGpu, CopiesBetweenLayoutsAtAnyOffset) {
  expect_passes(environment("1:100"), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    for (const Memory memory : {Memory::pageable, Memory::pinned}) {
      const std::size_t bytes = 10000;
      const auto source = device.allocate(bytes, memory), target = device.allocate(bytes, memory);
      const auto rows = device.allocate(bytes, Memory::device, 100);
      const auto blocks = device.allocate(bytes, Memory::device, 1700);
      auto* const from = static_cast<unsigned char*>(source->data());
      for (std::size_t i = 0; i < bytes; ++i)
        from[i] = static_cast<unsigned char>(i * 31 + i / 256);
      const auto copy = [&](const auto& to, std::size_t a, const auto& of, std::size_t b,
                            std::size_t count) {
        const auto task =
            queue->prepare(Copy{Slice{to.get(), a, count}, Slice{of.get(), b, count}});
        task->enqueue();
        task->enqueue();
        // The task may go only after its work.
        queue->synchronize();
      };
      copy(rows, 0, source, 0, bytes);
      copy(blocks, 3, rows, 17, 9900);
      copy(target, 1, blocks, 3, 9900);
      EXPECT_EQ(std::memcmp(static_cast<char*>(target->data()) + 1, from + 17, 9900), 0);
    }
  });
}

cpu_set_t processors_of_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

std::vector<int> processors_here() {
  const cpu_set_t set = processors_of_thread();
  std::vector<int> all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) all.push_back(processor);
  return all;
}

// Three GPUs, the second beside another processor than the others.
Environment apart() {
  const auto here = processors_here();
  const std::string one = std::to_string(here.at(0)), other = std::to_string(here.at(1));
  return {{"FAKE_CUDA_DEVICES", "3"}, {"FAKE_CUDA_PROCESSORS", one + " " + other + " " + one}};
}

class MultiGpuPinned : public testing::Test {
 protected:
  void SetUp() override {
    if (processors_here().size() < 2) GTEST_SKIP() << "this process has one processor";
  }
};

TEST_F(MultiGpuPinned, EveryStretchLiesBesideTheGpuThatCopiesIt) {
  expect_passes(apart(), [] {
    const auto here = processors_here();
    const auto backend = backend_of("multi-gpu", {{"weights", "1,2,1"}});
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    const std::size_t row = 20000, bytes = 6 * row;  // 2, 3 and 1 by weight
    for (int turn = 0; turn < 2; ++turn) {           // what was given back is registered anew
      const cpu_set_t before = processors_of_thread();
      const auto source = device.allocate(bytes, Memory::pinned, row);
      const cpu_set_t after = processors_of_thread();
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
      auto* const from = static_cast<std::byte*>(source->data());
      for (std::size_t at = 0; at < bytes; at += 4096) {
        const bool is_of_second = at >= 2 * row && at < 5 * row;
        EXPECT_EQ(fake_cuda_touched_from(from + at), here[is_of_second ? 1 : 0]) << at;
      }
      const auto target = device.allocate(bytes, Memory::pinned);
      const auto between = device.allocate(bytes, Memory::device, row);
      for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 31);
      const auto there =
          queue->prepare(Copy{Slice{between.get(), 0, bytes}, Slice{source.get(), 0, bytes}});
      const auto back =
          queue->prepare(Copy{Slice{target.get(), 0, bytes}, Slice{between.get(), 0, bytes}});
      there->enqueue();
      back->enqueue();
      queue->synchronize();
      EXPECT_EQ(std::memcmp(target->data(), from, bytes), 0);
    }
  });
}

TEST_F(MultiGpuPinned, IsRegisteredNoLongerThanItIsThere) {
  const auto allocate = [] {
    const auto backend = backend_of("multi-gpu");
    backend->devices().front()->allocate(10000, Memory::pinned);
  };
  expect_passes(apart(), allocate);
  Environment without = apart();
  without.emplace_back("FAKE_CUDA_SKIP", "cudaHostUnregister");
  expect_fails(without, allocate);
}

TEST_F(MultiGpuPinned, ThatCannotBePinnedIsBadAlloc) {
  Environment full = apart();
  full.emplace_back("FAKE_CUDA_FAIL", "cudaHostRegister:1:2");
  expect_passes(full, [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    EXPECT_THROW(device.allocate(10000, Memory::pinned), std::bad_alloc);
    EXPECT_EQ(device.allocate(0, Memory::pinned)->bytes(), 0U);
  });
}

// As CUDA allocates it for any GPU.
TEST_F(MultiGpuPinned, IsOnePieceWhereGpusAreNotApartOrCannotBeGivenMemoryOfTheSystem) {
  const std::string processor = std::to_string(processors_here().front());
  std::vector<Environment> all;
  for (const std::string& beside : {processor + " " + processor, processor, std::string()})
    all.push_back({{"FAKE_CUDA_DEVICES", "2"},
                   {"FAKE_CUDA_PROCESSORS", beside},
                   {"FAKE_CUDA_FAIL", "cudaHostRegister:1:2"}});
  all.push_back(apart());
  all.back().emplace_back("FAKE_CUDA_REGISTER", "off");
  for (const Environment& one : all)
    expect_passes(one, [] {
      const auto backend = backend_of("multi-gpu");
      EXPECT_NE(backend->devices().front()->allocate(100000, Memory::pinned), nullptr);
    });
}

TEST_P(MultiGpu, EventsOrderItsQueuesAndTellNoTime) {
  expect_passes(environment("*:500"), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto first = device.queue(), second = device.queue();
    const std::size_t n = 3000;
    Tensor x(device, *first, Type::f32, n);
    x.put(Values(n, 2));
    const auto square =
        first->prepare(MultiplyAdd{Type::f32, n, x.slice(), x.slice(), x.slice(), x.slice()});
    const auto fetch = second->prepare(Copy{x.host(), x.slice()});
    const auto done = first->event(), unused = first->event();
    square->enqueue();
    first->record(*done);
    second->wait(*unused);
    second->wait(*done);
    fetch->enqueue();
    second->synchronize();
    expect_near(x.seen(), Values(n, 6), 0, "after the event");
    first->synchronize();
    EXPECT_LT(done->since(*done), 0);
  });
}

TEST_P(MultiGpu, WhatCannotBeCutIsNull) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    const auto queue = device.queue();
    const auto rows = device.allocate(32 * 32 * 4, Memory::device, 32 * 4);
    const auto other = device.allocate(32 * 32 * 4, Memory::device, 1000);
    const Slice a{rows.get(), 0, 4096}, b{other.get(), 0, 4096};
    Gemm gemm{.m = 32, .n = 32, .k = 32, .a = a, .b = a, .c = a};
    EXPECT_NE(queue->prepare(gemm), nullptr);
    gemm.a = b;
    EXPECT_EQ(queue->prepare(gemm), nullptr);
    gemm.a = a;
    gemm.transpose_a = Transpose::yes;
    EXPECT_EQ(queue->prepare(gemm), nullptr);
    EXPECT_EQ(queue->sequence({}), nullptr);
    EXPECT_EQ(rows->data(), nullptr);
    EXPECT_THROW(queue->prepare(Tanh{Type::f32, 32, Slice{rows.get(), 4000, 128}, a}),
                 std::invalid_argument);
  });
}

std::map<std::string, std::string> facts_of(const Device& device) {
  std::map<std::string, std::string> facts;
  for (const Fact& fact : device.facts()) facts.emplace(fact.key, fact.value);
  return facts;
}

TEST(MultiGpuOptions, WeightsMoveTheCut) {
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_MEMORY", "100000000"}}, [] {
    const auto backend = backend_of("multi-gpu", {{"weights", "1,3"}});
    Device& device = *backend->devices().front();
    EXPECT_EQ(facts_of(device)["weights"], "1,3");
    products_by_rows(device, Type::f32, Transpose::no, 10);
    // Three quarters of 120 MB fit the second GPU, one quarter the first; halves fit as well, but
    // three quarters of 140 MB do not.
    EXPECT_NE(device.allocate(120000000, Memory::device, 1000), nullptr);
    EXPECT_THROW(device.allocate(140000000, Memory::device, 1000), std::bad_alloc);
  });
}

TEST(MultiGpuOptions, PartsOfUnequalWeightAreGatheredMeanwhile) {
  expect_passes({{"FAKE_CUDA_DEVICES", "3"}, {"FAKE_CUDA_SLOW", "1:300"}}, [] {
    const auto backend = backend_of("multi-gpu", {{"weights", "1,3,2"}, {"overlap_from_mib", "0"}});
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
      products_gathered_meanwhile(*backend->devices().front(), type);
  });
}

TEST(MultiGpuOptions, LogicalDevicesOnOneGpuAreRightAndMarked) {
  expect_passes({{"FAKE_CUDA_DEVICES", "1"}, {"BREAKEVEN_MULTI_GPU_DEVICES", "0,0"}}, [] {
    const auto backend = backend_of("multi-gpu");
    Device& device = *backend->devices().front();
    EXPECT_EQ(device.info().name, "1 x Fake GPU as 2 logical devices");
    EXPECT_EQ(device.info().memory_bytes, std::size_t{2} << 30);
    EXPECT_EQ(facts_of(device)["logical"], "yes");
    EXPECT_NE(backend->advice().find("no speed-up"), std::string_view::npos);
    products_by_rows(device, Type::f32, Transpose::no, 9);
  });
}

// The message of what create throws.
std::string refusal(std::vector<Variable> settings = {}) {
  try {
    backend_of("multi-gpu", std::move(settings));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(MultiGpuOptions, WhatMakesNoSenseIsSaid) {
  const auto expect_refusal = [](const char* devices, const std::string& part) {
    expect_passes({{"FAKE_CUDA_DEVICES", "2"}, {"BREAKEVEN_MULTI_GPU_DEVICES", devices}},
                  [part] { EXPECT_NE(refusal().find(part), std::string::npos) << refusal(); });
  };
  expect_refusal("0,2", "names GPU 2, there are 2");
  expect_refusal("0;1", "give numbers with commas");
  expect_refusal("", "give numbers with commas");
  expect_passes({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    EXPECT_NE(refusal({{"weights", "1"}}).find("1 numbers for 2 devices"), std::string::npos);
    EXPECT_NE(refusal({{"weights", "1,0"}}).find("numbers above 0"), std::string::npos);
  });
}

TEST(MultiGpuOptions, OneGpuAloneIsAReasonNotToBeUsable) {
  expect_passes({{"FAKE_CUDA_DEVICES", "1"}, {"BREAKEVEN_MULTI_GPU_DEVICES", "all"}}, [] {
    const char* const reason = manifest_of("multi-gpu").probe();
    ASSERT_NE(reason, nullptr);
    EXPECT_EQ(std::string(reason).find("one GPU; "), 0u) << reason;
  });
  expect_passes({{"FAKE_CUDA_DEVICES", "1"}, {"BREAKEVEN_MULTI_GPU_DEVICES", "0"}}, [] {
    EXPECT_EQ(manifest_of("multi-gpu").probe(), nullptr);
    EXPECT_EQ(backend_of("multi-gpu")->devices().size(), 1u);
  });
  expect_passes({{"FAKE_CUDA_DEVICES", "0"}}, [] {
    EXPECT_EQ(std::string(manifest_of("multi-gpu").probe()), "no NVIDIA GPU is visible");
  });
}

TEST_P(MultiGpu, FactsAndReadingsOfEveryGpu) {
  expect_passes(environment(), [count = GetParam()] {
    const auto backend = backend_of("multi-gpu");
    const Device& device = *backend->devices().front();
    auto facts = facts_of(device);
    EXPECT_EQ(facts["logical"], "no");
    EXPECT_EQ(facts["gpu1_compute_capability"], "9.0");
    std::map<std::string, int> seen;
    Reading readings[128];
    for (const Reading& reading : std::span(readings, device.readings(readings)))
      ++seen[std::string(reading.key)];
    EXPECT_EQ(seen["energy_joules"], 1);
    for (int gpu = 0; gpu < count; ++gpu)
      EXPECT_EQ(seen["gpu" + std::to_string(gpu) + "_temperature_celsius"], 1);
  });
}

}  // namespace
}  // namespace breakeven::test
