// SPDX-License-Identifier: Apache-2.0
// What the plugins and cases take on a double that has time. Nothing here is a measurement: the
// figures are those of profiles.
#include <algorithm>
#include <cmath>
#include <map>

#include "harness.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/measure/ceilings.hpp"
#include "suite/measure/device_ceilings.hpp"
#include "suite/measure/energy_stretch.hpp"
#include "suite/measure/steady_clock_rate.hpp"
#include "suite/model/case.hpp"

extern "C" double fake_cuda_now();
extern "C" long fake_cuda_timed_records();

namespace breakeven::test {
namespace {

Environment on(const std::string& profile) {
  return {{"FAKE_CUDA_PROFILE", std::string(FAKE_PROFILES) + "/" + profile}};
}

class DoubleClock final : public Clock {
 public:
  std::int64_t now() noexcept override { return static_cast<std::int64_t>(fake_cuda_now()); }
};

double took(Queue& queue, Task& task) {
  const double begin = fake_cuda_now();
  task.enqueue();
  queue.synchronize();
  return fake_cuda_now() - begin;
}

// A square product over all GPUs.
double product_over_all(std::size_t n, const char* overlap_from_mib, Type type = Type::f32) {
  const auto backend = backend_of("multi-gpu", {{"overlap_from_mib", overlap_from_mib}});
  Device& device = *backend->devices().front();
  const auto queue = device.queue();
  const std::size_t bytes = n * n * bytes_of(type);
  const auto allocate = [&] { return device.allocate(bytes, Memory::device, n * bytes_of(type)); };
  const auto a = allocate(), b = allocate(), c = allocate();
  Gemm gemm{.type = type, .m = n, .n = n, .k = n};
  gemm.a = {a.get(), 0, bytes};
  gemm.b = {b.get(), 0, bytes};
  gemm.c = {c.get(), 0, bytes};
  const auto task = queue->prepare(gemm);
  for (int i = 0; i < 30; ++i) took(*queue, *task);  // the clock comes up
  return took(*queue, *task);
}

constexpr std::size_t large = 8192;
// Of the profile: a GPU's eighth of the product, and a GPU's part of b over one link.
constexpr double multiplying_ns = 2.0 * large * large * large / 8 / (256 * 132 * 1.98),
                 part_ns = 4.0 * large * large / 8 / 400;

TEST(Time, EveryLinkFeedsAGatheredProductAtTheSameTime) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    const double gathering = product_over_all(large, "never") - multiplying_ns;
    EXPECT_GT(gathering, 7 * part_ns);
    EXPECT_LT(gathering, 8.5 * part_ns);
  });
}

TEST(Time, EveryLinkFeedsA16BitProductAtTheSameTime) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    const double gathering =
        product_over_all(large, "never", Type::f16) - multiplying_ns * 256 / 4096;
    const double handing_over_ns = 8 * 8 * 2e3;  // one thread, a call for each copy
    EXPECT_GT(gathering, 7 * part_ns / 2);
    EXPECT_LT(gathering, 7 * part_ns / 2 + handing_over_ns);
  });
}

TEST(Time, GatheringIsHiddenBehindTheProduct) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    const double whole = product_over_all(large, "4");
    EXPECT_GT(whole, multiplying_ns);
    EXPECT_LT(whole, 1.15 * std::max(multiplying_ns, 7 * part_ns));
  });
}

// So large that handing over is hidden, too. The part of b that comes last is multiplied when all
// are there, and the sum is rounded after it.
TEST(Time, GatheringIsHiddenBehindA16BitProduct) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    constexpr std::size_t larger = 2 * large;
    const double gathering = 4 * 7 * part_ns / 2, multiplying = 8 * multiplying_ns * 256 / 4096;
    const double rounding = (4.0 + 2.0) * larger * larger / 8 / 3000;
    const double whole = product_over_all(larger, "4", Type::bf16);
    EXPECT_GT(whole, gathering + multiplying / 8 + rounding);
    EXPECT_LT(whole, 1.15 * (gathering + multiplying / 8 + rounding));
    EXPECT_LT(whole, 0.7 * product_over_all(larger, "never", Type::bf16));
  });
}

// Four calls for each two GPUs are worth it for more bytes where there are more GPUs.
TEST(Time, WhatNobodyChoseIsTheFasterWay) {
  const auto expect_faster = [](const char* profile, std::size_t n) {
    expect_passes(on(profile), [n] {
      const double before = product_over_all(n, "never", Type::bf16);
      const double meanwhile = product_over_all(n, "0", Type::bf16);
      EXPECT_LT(product_over_all(n, "auto", Type::bf16), 1.01 * std::min(before, meanwhile));
    });
  };
  expect_faster("two_over_pcie.profile", 3072);          // meanwhile
  expect_faster("eight_behind_switches.profile", 6144);  // before
  expect_faster("eight_behind_switches.profile", 8192);  // meanwhile
}

TEST(Time, WithoutPeersTheHostFeedsAllAndThatIsHiddenTooAsFarAsItGoes) {
  expect_passes(on("two_over_pcie.profile"), [] {
    EXPECT_LT(product_over_all(large, "4"), 0.9 * product_over_all(large, "never"));
  });
}

constexpr std::size_t copied = std::size_t{64} << 20;

struct Way {
  std::size_t gpu;
  bool is_down;
};

// Copies between pinned memory and GPUs that begin together, until all are done.
double copies_took(const std::vector<Way>& ways) {
  const auto backend = backend_of("cublas");
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<std::unique_ptr<Task>> tasks;
  for (const Way& way : ways) {
    Device& device = *backend->devices()[way.gpu];
    Slice to, from;
    for (auto& [slice, memory] :
         {std::pair(&to, way.is_down ? Memory::pinned : Memory::device),
          std::pair(&from, way.is_down ? Memory::device : Memory::pinned)}) {
      buffers.push_back(device.allocate(copied, memory, 1));
      *slice = {buffers.back().get(), 0, copied};
    }
    queues.push_back(device.queue());
    tasks.push_back(queues.back()->prepare(Copy{to, from}));
  }
  const double begin = fake_cuda_now();
  for (const auto& task : tasks) task->enqueue();
  for (const auto& queue : queues) queue->synchronize();
  return fake_cuda_now() - begin;
}

// Each GPU's link has 25 GB/s of the profile, the host 40.
TEST(Time, CopiesShareTheHostsLinkAndHaveEachDirectionForThemselves) {
  expect_passes(on("two_over_pcie.profile"), [] {
    const double alone = copies_took({{0, true}});
    EXPECT_NEAR(alone, copied / 25.0, 2e4);
    EXPECT_LT(copies_took({{0, true}, {0, false}}), 1.02 * alone);
    const double both = copies_took({{0, true}, {1, true}});
    EXPECT_GT(both, 2 * copied / 40.0);
    EXPECT_LT(both, 1.45 * alone);
    EXPECT_NEAR(copies_took({{0, true}, {1, true}, {0, false}, {1, false}}), both, 2e4);
  });
}

TEST(Time, FencesBetweenGpusRecordNoTime) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    product_over_all(4096, "0");
    product_over_all(4096, "never");
    EXPECT_EQ(fake_cuda_timed_records(), 0);
  });
}

// One thread that hands over all of a GPU's work before the next one's, and one that takes turns.
TEST(Time, OneFeederFillsBothGpusInTurnAndOneAfterTheOtherInOrder) {
  expect_passes(on("two_over_pcie.profile"), [] {
    const auto backend = backend_of("cublas");
    Session session{*backend, 42};
    const auto cases = all_cases();
    const Case& parallel = **std::find_if(
        cases.begin(), cases.end(), [](const Case* one) { return one->name() == "parallel"; });
    const auto run = [&](const char* mode) {
      Key key;
      key.case_name = "parallel";
      key.mode = mode;
      key.m = key.n = key.k = 16;
      key.count = 4000;
      key.devices = 2;
      key.feeders = 1;
      DoubleClock clock;
      return parallel.prepare(key, session)->run(1, clock);
    };
    const Sample in_turn = run("many-small"), in_order = run("many-small-in-order");
    EXPECT_GT(in_order.wall, 1.5 * in_turn.wall);
    // Handing over costs what a call does, however long the GPU takes.
    EXPECT_LT(in_turn.enqueue, 0.6 * in_turn.wall);
  });
}

struct Loop {
  std::unique_ptr<Backend> backend = backend_of("cublas");
  Device& device = *backend->devices().front();
  std::unique_ptr<Queue> queue = device.queue();
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Task> task;

  explicit Loop(std::size_t n) : memory(device.allocate(3 * n * n * 4, Memory::device, 1)) {
    const std::size_t bytes = n * n * 4;
    Gemm gemm{.m = n, .n = n, .k = n};
    gemm.a = {memory.get(), 0, bytes};
    gemm.b = {memory.get(), bytes, bytes};
    gemm.c = {memory.get(), 2 * bytes, bytes};
    task = queue->prepare(gemm);
  }
  std::optional<double> reading(std::string_view key) const {
    Reading all[64];
    for (const Reading& one : std::span(all, device.readings(all)))
      if (one.key == key) return one.value;
    return std::nullopt;
  }
};

TEST(Time, AGpuThatRestedIsWarmedUntilItsClockStands) {
  expect_passes(on("laptop.profile"), [] {
    Loop loop(2048);
    DoubleClock clock;
    SteadyClockRate rate(clock);
    const double cold = took(*loop.queue, *loop.task);
    EXPECT_TRUE(rate.reach([&] { took(*loop.queue, *loop.task); },
                           [&] { return loop.reading("sm_clock_mhz"); }));
    EXPECT_LT(took(*loop.queue, *loop.task), 0.3 * cold);
  });
}

TEST(Time, JoulesOfAStretchAreThoseOfTheWork) {
  expect_passes(on("sixty_fourth.profile"), [] {
    Loop loop(2048);
    DoubleClock clock;
    double watts = 0;
    // Again where other work held up the host, since the GPU takes power meanwhile, too.
    for (int attempt = 0; attempt < 3 && std::abs(watts - 72) > 2; ++attempt) {
      double spent = 0;
      const auto metered = meter_energy(
          [&] {
            spent = took(*loop.queue, *loop.task);
            return 1.0;
          },
          [&] { return loop.reading("energy_joules"); }, clock);
      ASSERT_TRUE(metered);
      watts = metered->joules / (metered->repetitions * spent * 1e-9);
    }
    EXPECT_NEAR(watts, 72, 2);
  });
}

TEST(Time, ABurstOfARestedGpuIsAtTheClockBeforeItsLimit) {
  expect_passes(on("sixty_fourth.profile"), [] {
    const auto backend = backend_of("cublas");
    DoubleClock clock;
    const std::vector<std::string> names{"gemm_f64", "gemm_f64_sustained"};
    const Ceilings ceilings = device_ceilings(*backend->devices().front(), clock, names);
    const Ceiling* const burst = find(ceilings, "gemm_f64");
    const Ceiling* const sustained = find(ceilings, "gemm_f64_sustained");
    ASSERT_TRUE(burst && sustained);
    constexpr double flops_per_clock = 4 * 58;
    EXPECT_NEAR(burst->value / (flops_per_clock * 2.04e9), 1, 0.02);
    EXPECT_NEAR(sustained->value / (flops_per_clock * 1.2e9), 1, 0.02);
  });
}

TEST(Time, F64IsASixtyFourthWhereTheGpuSaysSo) {
  expect_passes(on("sixty_fourth.profile"), [] {
    const auto backend = backend_of("cublas");
    std::map<std::string, double> peaks;
    for (const Fact& fact : backend->devices().front()->facts())
      if (fact.key.starts_with("peak_"))
        peaks[std::string(fact.key)] = std::stod(std::string(fact.value));
    EXPECT_DOUBLE_EQ(peaks["peak_f32_flop_per_s"], 64 * peaks["peak_f64_flop_per_s"]);
    EXPECT_NEAR(peaks["peak_f32_flop_per_s"], 2 * 128 * 58 * 2.04e9, 1e8);
    EXPECT_NEAR(peaks["peak_memory_byte_per_s"], 300e9, 1e9);
  });
}

TEST(Time, ASliceOfAGpuHasNoPowerOfItsOwn) {
  expect_passes(on("slice.profile"), [] {
    Loop loop(64);
    EXPECT_FALSE(loop.reading("energy_joules"));
    EXPECT_FALSE(loop.reading("power_watts"));
    EXPECT_TRUE(loop.reading("sm_clock_mhz"));
  });
}

TEST(Time, PartsOfMakingABackendAreNamed) {
  expect_passes(on("eight_behind_switches.profile"), [] {
    std::map<std::string, int> stages;
    for (const std::string plugin : {"cublas", "multi-gpu"}) {
      const auto backend = backend_of(plugin);
      for (const Stage& stage : backend->stages()) ++stages[std::string(stage.name)];
    }
    EXPECT_EQ(stages, (std::map<std::string, int>{{"driver", 2}, {"library", 2}, {"nvml", 2}}));
  });
}

}  // namespace
}  // namespace breakeven::test
