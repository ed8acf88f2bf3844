// SPDX-License-Identifier: Apache-2.0
// The cublas plugin through the contract, on 1, 2 and 4 fake GPUs.
#include <array>
#include <chrono>
#include <map>
#include <span>
#include <thread>

#include "harness.hpp"
#include "matrices.hpp"

namespace breakeven::test {
namespace {

constexpr Type all_types[] = {Type::f32, Type::f64, Type::f16, Type::bf16};

void on_every_device(const std::function<void(Device&, Queue&)>& body) {
  const auto backend = backend_of("cublas");
  for (Device* device : backend->devices()) {
    const auto queue = device->queue();
    body(*device, *queue);
  }
}

class Cublas : public testing::TestWithParam<int> {
 protected:
  Environment environment() const { return {{"FAKE_CUDA_DEVICES", std::to_string(GetParam())}}; }
};

INSTANTIATE_TEST_SUITE_P(Devices, Cublas, testing::Values(1, 2, 4));

TEST_P(Cublas, EveryGpuIsADevice) {
  expect_passes(environment(), [count = GetParam()] {
    const auto backend = backend_of("cublas");
    ASSERT_EQ(backend->devices().size(), static_cast<std::size_t>(count));
    for (Device* device : backend->devices()) {
      EXPECT_EQ(device->info().kind, Kind::gpu);
      EXPECT_GT(device->info().free_bytes, 0u);
      for (Device* peer : backend->devices()) EXPECT_TRUE(device->reaches(*peer));
    }
  });
}

TEST_P(Cublas, ProductsOfIntegersAreExact) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      for (const Type type : all_types)
        for (const Transpose ta : {Transpose::no, Transpose::yes})
          for (const Transpose tb : {Transpose::no, Transpose::yes})
            for (const std::size_t batch : {1u, 3u}) {
              Gemm gemm{.type = type,
                        .transpose_a = ta,
                        .transpose_b = tb,
                        .m = 5,
                        .n = 3,
                        .k = 7,
                        .batch = batch,
                        .alpha = 2,
                        .beta = -1};
              const Values a = integers(batch * 35, 1), b = integers(batch * 21, 2);
              const Values c = integers(batch * 15, 3);
              Tensor ta_(device, queue, type, a.size(), 1, 1), tb_(device, queue, type, b.size());
              Tensor tc_(device, queue, type, c.size(), 1, 3);
              ta_.put(a);
              tb_.put(b);
              tc_.put(c);
              gemm.a = ta_.slice();
              gemm.b = tb_.slice();
              gemm.c = tc_.slice();
              queue.prepare(gemm)->enqueue();
              expect_near(tc_.get(), product(gemm, a, b, c), 0, "gemm");
            }
    });
  });
}

TEST_P(Cublas, BetaZeroDoesNotReadTheOldProduct) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      Tensor a(device, queue, Type::f32, 4), b(device, queue, Type::f32, 4);
      Tensor c(device, queue, Type::f32, 4);
      a.put({1, 2, 3, 4});
      b.put({1, 0, 0, 1});
      c.put(Values(4, std::nan("")));
      Gemm gemm{.m = 2, .n = 2, .k = 2, .a = a.slice(), .b = b.slice(), .c = c.slice()};
      queue.prepare(gemm)->enqueue();
      expect_near(c.get(), {1, 2, 3, 4}, 0, "gemm over NaN");
    });
  });
}

TEST_P(Cublas, Tf32IsLessExactThanF32) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      const Values a = reals(64 * 64, 5), b = reals(64 * 64, 6);
      Tensor ta(device, queue, Type::f32, a.size()), tb(device, queue, Type::f32, b.size());
      Tensor tc(device, queue, Type::f32, a.size());
      ta.put(a);
      tb.put(b);
      Gemm gemm{.m = 64, .n = 64, .k = 64, .a = ta.slice(), .b = tb.slice(), .c = tc.slice()};
      const Values exact = product(gemm, a, b, {});
      const auto error = [&](Math math) {
        gemm.math = math;
        queue.prepare(gemm)->enqueue();
        const Values found = tc.get();
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
          worst = std::max(worst, std::abs(found[i] - exact[i]));
        return worst;
      };
      EXPECT_LT(error(Math::native), 1e-5);
      EXPECT_GT(error(Math::tf32), 1e-4);
    });
  });
}

TEST_P(Cublas, NormsOfEveryTypeAndLength) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      for (const Type type : all_types)
        for (const std::size_t n : {1u, 3u, 100u, 40000u})
          for (const std::size_t batch : {1u, 2u})
            for (const std::size_t offset : {0u, 1u}) {
              const Type result = type == Type::f64 ? Type::f64 : Type::f32;
              const Values x = integers(n * batch, 7);
              Tensor tx(device, queue, type, x.size(), 1, offset);
              Tensor out(device, queue, result, batch);
              tx.put(x);
              queue.prepare(Norm{type, n, batch, tx.slice(), out.slice()})->enqueue();
              Values expected(batch);
              for (std::size_t i = 0; i < x.size(); ++i) expected[i / n] += x[i] * x[i];
              for (double& norm : expected) norm = std::sqrt(norm);
              expect_near(out.get(), expected, 1e-3, "norm");
            }
    });
  });
}

TEST_P(Cublas, ElementwiseOperationsAtEveryLengthAndOffset) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      for (const Type type : all_types)
        for (std::size_t n = 1; n <= 20; ++n)
          for (const std::size_t offset : {0u, 1u}) {
            const Values a = integers(n, 8, 1), b = integers(n, 9, 1), c = integers(n, 10, 1);
            Tensor ta(device, queue, type, n, 1, offset), tb(device, queue, type, n);
            Tensor tc(device, queue, type, n), out(device, queue, type, n, 1, offset);
            ta.put(a);
            tb.put(b);
            tc.put(c);
            Values sum(n), gradient(n), tangent(n);
            for (std::size_t i = 0; i < n; ++i) {
              sum[i] = a[i] * b[i] + c[i];
              gradient[i] = b[i] * (1 - a[i] * a[i]);
              tangent[i] = std::tanh(c[i]);
            }
            queue.prepare(MultiplyAdd{type, n, ta.slice(), tb.slice(), tc.slice(), out.slice()})
                ->enqueue();
            expect_near(out.get(), sum, 0, "multiply-add");
            queue.prepare(TanhGradient{type, n, ta.slice(), tb.slice(), out.slice()})->enqueue();
            expect_near(out.get(), gradient, 0, "tanh gradient");
            queue.prepare(Tanh{type, n, tc.slice(), tc.slice()})->enqueue();
            expect_near(tc.get(), tangent, 4e-3, "tanh in place");
          }
    });
  });
}

TEST_P(Cublas, CopiesBetweenAllPlaces) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("cublas");
    for (Device* from : backend->devices())
      for (Device* to : backend->devices())
        for (const Memory host : {Memory::pageable, Memory::pinned}) {
          const auto queue = from->queue();
          const auto source = from->allocate(300, host), target = to->allocate(300, host);
          const auto first = from->allocate(300, Memory::device);
          const auto second = to->allocate(300, Memory::device);
          auto* const bytes = static_cast<unsigned char*>(source->data());
          for (int i = 0; i < 300; ++i) bytes[i] = static_cast<unsigned char>(i * 7);
          std::memset(target->data(), 0, 300);
          const auto whole = [](const auto& buffer) { return Slice{buffer.get(), 0, 300}; };
          std::vector<std::unique_ptr<Task>> tasks;
          tasks.push_back(queue->prepare(Copy{whole(first), whole(source)}));
          tasks.push_back(queue->prepare(Copy{whole(first), whole(first)}));
          tasks.push_back(queue->prepare(Copy{whole(second), whole(first)}));
          tasks.push_back(
              queue->prepare(Copy{Slice{target.get(), 1, 298}, Slice{second.get(), 2, 298}}));
          for (const auto& task : tasks) task->enqueue();
          queue->synchronize();
          EXPECT_EQ(std::memcmp(static_cast<char*>(target->data()) + 1, bytes + 2, 298), 0);
          EXPECT_EQ(static_cast<char*>(target->data())[299], 0);
          EXPECT_EQ(queue->prepare(Copy{Slice{first.get(), 0, 200}, Slice{first.get(), 100, 200}}),
                    nullptr);
        }
  });
}

TEST_P(Cublas, ASequenceDoesTheWorkOfItsTasksEachTime) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue& queue) {
      Tensor x(device, queue, Type::f64, 4), one(device, queue, Type::f64, 4);
      x.put({0, 1, 2, 3});
      one.put({1, 1, 1, 1});
      const auto add =
          queue.prepare(MultiplyAdd{Type::f64, 4, x.slice(), one.slice(), one.slice(), x.slice()});
      Task* const three[] = {add.get(), add.get(), add.get()};
      const auto sequence = queue.sequence(three);
      ASSERT_NE(sequence, nullptr);
      expect_near(x.get(), {0, 1, 2, 3}, 0, "recording does nothing");
      sequence->enqueue();
      sequence->enqueue();
      expect_near(x.get(), {6, 7, 8, 9}, 0, "sequence");

      const auto pageable = device.allocate(32, Memory::pageable);
      const auto waits = queue.prepare(Copy{Slice{pageable.get(), 0, 32}, x.slice()});
      Task* const unfit[] = {waits.get()};
      EXPECT_EQ(queue.sequence(unfit), nullptr);
      expect_near(x.get(), {6, 7, 8, 9}, 0, "the queue works on after a refused sequence");
    });
  });
}

TEST_P(Cublas, EventsOrderQueuesAndTellTime) {
  expect_passes(
      {{"FAKE_CUDA_DEVICES", std::to_string(GetParam())}, {"FAKE_CUDA_SLOW", "0:5000"}}, [] {
        const auto backend = backend_of("cublas");
        Device& slow = *backend->devices().front();
        Device& fast = *backend->devices().back();
        const auto first = slow.queue(), second = fast.queue();
        Tensor x(slow, *first, Type::f32, 1);
        x.put({5});
        const auto other = fast.allocate(4, Memory::device);
        const auto host = fast.allocate(4, Memory::pinned);
        const auto start = first->event(), end = first->event(), unused = first->event();
        const auto add =
            first->prepare(MultiplyAdd{Type::f32, 1, x.slice(), x.slice(), x.slice(), x.slice()});
        const auto fetch = second->prepare(Copy{Slice{other.get(), 0, 4}, x.slice()});
        const auto down = second->prepare(Copy{Slice{host.get(), 0, 4}, Slice{other.get(), 0, 4}});
        first->record(*start);
        add->enqueue();
        first->record(*end);
        second->wait(*unused);
        second->wait(*end);
        fetch->enqueue();
        down->enqueue();
        second->synchronize();
        EXPECT_EQ(*static_cast<float*>(host->data()), 30);
        first->synchronize();
        EXPECT_GE(end->since(*start), 0.005);
        EXPECT_LT(end->since(*unused), 0);
      });
}

TEST_P(Cublas, OperandsThatDoNotGoTogetherAreRefused) {
  expect_passes(environment(), [] {
    const auto backend = backend_of("cublas");
    Device& device = *backend->devices().front();
    Device& peer = *backend->devices().back();
    const auto queue = device.queue();
    const auto here = device.allocate(16, Memory::device),
               there = peer.allocate(16, Memory::device);
    const auto host = device.allocate(16, Memory::pinned);
    const auto tanh_of = [&](const auto& x, std::size_t bytes) {
      return queue->prepare(Tanh{Type::f32, 4, Slice{x.get(), 0, bytes}, Slice{here.get(), 0, 16}});
    };
    EXPECT_EQ(tanh_of(host, 16), nullptr);
    EXPECT_THROW(tanh_of(here, 12), std::invalid_argument);
    EXPECT_THROW(tanh_of(here, 20), std::invalid_argument);
    if (&peer == &device) return;
    try {
      tanh_of(there, 16);
      ADD_FAILURE() << "operands of two devices went together";
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("GPU 0"), text.npos) << text;
      EXPECT_NE(text.find("GPU " + std::to_string(backend->devices().size() - 1)), text.npos);
    }
  });
}

TEST_P(Cublas, FactsAndReadingsComeFromTheRuntimeAndTheManagementLibrary) {
  expect_passes(environment(), [] {
    on_every_device([](Device& device, Queue&) {
      std::map<std::string_view, std::string_view> facts;
      for (const Fact& fact : device.facts())
        EXPECT_TRUE(facts.emplace(fact.key, fact.value).second) << fact.key;
      EXPECT_EQ(facts.at("compute_capability"), "9.0");
      EXPECT_EQ(facts.at("cublas_workspace_bytes"), "33554432");
      EXPECT_EQ(facts.at("power_limit_watts"), "700");
      EXPECT_EQ(facts.at("nvlinks"), "4");
      EXPECT_EQ(facts.at("ecc"), "on");
      EXPECT_EQ(facts.at("mig"), "NA");
      EXPECT_EQ(facts.at("persistence"), "on");
      EXPECT_EQ(facts.at("max_sm_clock_mhz"), "1980");
      EXPECT_EQ(facts.at("max_memory_clock_mhz"), "3201");
      EXPECT_EQ(facts.at("max_pcie_generation"), "5");
      EXPECT_EQ(facts.at("max_pcie_width"), "16");
      EXPECT_EQ(facts.at("uuid").substr(0, 12), "GPU-00000000");
      const auto readings_now = [&] {
        std::array<Reading, 32> readings;
        std::map<std::string_view, double> by_key;
        for (const Reading& reading : std::span(readings).first(device.readings(readings)))
          EXPECT_TRUE(by_key.emplace(reading.key, reading.value).second) << reading.key;
        return by_key;
      };
      const auto before = readings_now();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the energy may be a little old
      const auto after = readings_now();
      for (const char* counter : {"energy_joules", "power_throttle_ns"}) {
        EXPECT_GT(before.at(counter), 0) << counter;
        EXPECT_GT(after.at(counter), before.at(counter)) << counter;
      }
      const std::map<std::string_view, double> steady{
          {"thermal_throttle_ns", 0},  {"throttle_reasons", 4},
          {"sm_clock_mhz", 1500},      {"memory_clock_mhz", 2600},
          {"temperature_celsius", 40}, {"memory_temperature_celsius", 45},
          {"power_watts", 250.5},      {"pcie_generation", 4},
          {"pcie_width", 8},           {"ecc_uncorrected", 2}};
      for (const auto& [key, value] : steady) EXPECT_EQ(after.at(key), value) << key;
      EXPECT_EQ(after.size(), steady.size() + 2);
      Reading one[1];
      EXPECT_EQ(device.readings(one), 1u);
    });
  });
}

TEST(CublasOptions, TheWorkspaceIsAsLargeAsAsked) {
  expect_passes({}, [] {
    const auto backend = backend_of("cublas", {{"workspace_mib", "5"}});
    std::string_view bytes;
    for (const Fact& fact : backend->devices().front()->facts())
      if (fact.key == "cublas_workspace_bytes") bytes = fact.value;
    EXPECT_EQ(bytes, "5242880");
    EXPECT_THROW(backend_of("cublas", {{"workspace_mib", "5x"}}), std::runtime_error);
  });
}

}  // namespace
}  // namespace breakeven::test
