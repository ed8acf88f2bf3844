// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/ceilings.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suite/measure/device_ceilings.hpp"

namespace breakeven {
namespace {

const Ceilings machine{
    {"fma_f32_core", 100e9, "flop/s"},         {"fma_f32_all", 180e9, "flop/s"},
    {"fma_f64_core", 50e9, "flop/s"},          {"triad_core_l1", 200e9, "byte/s", 32e3},
    {"triad_core_l2", 100e9, "byte/s", 1e6},   {"triad_core_memory", 20e9, "byte/s", 1e8},
    {"triad_all_memory", 30e9, "byte/s", 1e8}, {"read_core_memory", 25e9, "byte/s", 1e8}};
const Ceilings gpu{{"gemm_f32", 50e12, "flop/s"},    {"gemm_tf32", 400e12, "flop/s"},
                   {"multiply_add", 4e12, "byte/s"}, {"copy_h2d", 50e9, "byte/s"},
                   {"copy_h2d_latency", 2000, "ns"}, {"launch", 5000, "ns"},
                   {"launch_amortised", 2000, "ns"}};

Key key_of(Type type = Type::f32) {
  Key key;
  key.case_name = "matmul";
  key.type = type;
  return key;
}

TEST(Ceilings, ProductOfOneCoreIsHeldAgainstItsFmaPeak) {
  const auto found = ceiling_of(key_of(), {2e9, 12e6}, 25e6, {Kind::cpu, 1}, machine, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "fma_f32_core");
  EXPECT_EQ(found->unit, "flop/s");
  EXPECT_NEAR(found->share, 0.8, 1e-12);
}

// What a device made of several gathers from its parts is held against what goes between them.
TEST(Ceilings, GatheredBytesAreHeldAgainstTheExchange) {
  Ceilings several = gpu;
  several.push_back({"exchange", 1e12, "byte/s"});
  Work work{2e9, 12e6};
  work.copied.exchanged = 100e6;
  work.bytes += work.copied.exchanged;
  const auto found = ceiling_of(key_of(), work, 200e3, {Kind::gpu, 1}, {}, several);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "exchange");
  EXPECT_NEAR(found->share, 0.5, 1e-12);
}

TEST(Ceilings, TypeChoosesThePeak) {
  EXPECT_EQ(ceiling_of(key_of(Type::f64), {2e9, 0}, 1e9, {Kind::cpu, 1}, machine, {})->source,
            "fma_f64_core");
}

TEST(Ceilings, SixteenBitsAreHeldAgainstTheirInstructionsAndElseAgainstF32) {
  const auto source = [](Type type, const Ceilings& of) {
    return ceiling_of(key_of(type), {2e9, 0}, 1e9, {Kind::cpu, 1}, of, {})->source;
  };
  Ceilings with_instruction = machine;
  with_instruction.push_back({"fma_bf16_core", 200e9, "flop/s"});
  EXPECT_EQ(source(Type::bf16, machine), "fma_f32_core");
  EXPECT_EQ(source(Type::bf16, with_instruction), "fma_bf16_core");
  EXPECT_EQ(source(Type::f16, with_instruction), "fma_f32_core");
}

TEST(Ceilings, ThreadsAndDevicesBothCountAsCores) {
  EXPECT_EQ(ceiling_of(key_of(), {2e9, 0}, 1e9, {Kind::cpu, 2}, machine, {})->source,
            "fma_f32_all");
  Key two = key_of();
  two.devices = 2;
  EXPECT_EQ(ceiling_of(two, {2e9, 0}, 1e9, {Kind::cpu, 1}, machine, {})->value, 180e9);
  EXPECT_EQ(ceiling_of(two, {0, 1e9}, 1e9, {Kind::cpu, 1}, machine, {})->source,
            "triad_all_memory");
}

TEST(Ceilings, AShareTellsWhatItsCeilingWasMadeFrom) {
  using Names = std::vector<std::string>;
  const auto measured = [](double flops, double bytes, std::size_t threads) {
    return ceiling_of(key_of(), {flops, bytes}, 1e9, {Kind::cpu, threads}, machine, {})->measured;
  };
  EXPECT_EQ(measured(2e9, 0, 1), Names{"fma_f32_core"});
  EXPECT_EQ(measured(2e9, 0, 2), (Names{"fma_f32_core", "fma_f32_all"}));
  EXPECT_EQ(measured(0, 1e9, 2), (Names{"triad_core_memory", "triad_all_memory"}));
}

TEST(Ceilings, BytesAreHeldAgainstTheCacheThatHoldsThem) {
  const auto source = [](double bytes, const char* cache) {
    Key key = key_of();
    key.cache = cache;
    return ceiling_of(key, {0, bytes}, 1e9, {Kind::cpu, 1}, machine, {})->source;
  };
  EXPECT_EQ(source(30e3, "hot"), "triad_core_l1");
  EXPECT_EQ(source(33e3, "hot"), "triad_core_l2");
  EXPECT_EQ(source(2e8, "hot"), "triad_core_memory");
  EXPECT_EQ(source(30e3, "cold"), "triad_core_memory");
}

TEST(Ceilings, BetweenTheLastCacheAndMemoryTheRateFallsSlowly) {
  const auto found = [](double bytes) {
    return *ceiling_of(key_of(), {0, bytes}, 1e9, {Kind::cpu, 1}, machine, {});
  };
  EXPECT_EQ(found(1e6).source, "triad_core_l2");
  EXPECT_EQ(found(1e7).source, "triad_core_l2~memory");
  EXPECT_EQ(found(1e7).measured, (std::vector<std::string>{"triad_core_l2", "triad_core_memory"}));
  // Half of the way from 1 to 100 MB: half of the bytes at 100 GB/s, half at 20 GB/s.
  EXPECT_NEAR(found(1e7).value, 1 / (0.5 / 100e9 + 0.5 / 20e9), 1);
  EXPECT_NEAR(found(1e8).value, 20e9, 1);
}

TEST(Ceilings, OperandsThatAreUsedAgainCountOnceForTheCache) {
  const auto source = [](double bytes, double operands) {
    return ceiling_of(key_of(), {0, bytes, 1, 0, operands}, 1e9, {Kind::cpu, 1}, machine, {})
        ->source;
  };
  EXPECT_EQ(source(2e8, 0), "triad_core_memory");
  EXPECT_EQ(source(2e8, 30e3), "triad_core_l1");
}

TEST(Ceilings, WhatIsReadBeyondATriadIsHeldAgainstTheRead) {
  const auto found = [](double bytes, double bytes_read) {
    return *ceiling_of(key_of(), {0, bytes, 1, bytes_read}, 100e6, {Kind::cpu, 1}, machine, {});
  };
  EXPECT_EQ(found(2e9, 2e9).source, "read_core_memory");
  EXPECT_NEAR(found(2e9, 2e9).share, 0.8, 1e-12);
  EXPECT_EQ(found(3e9, 2e9).source, "triad_core_memory");
  EXPECT_EQ(found(2e9, 1e9).source, "triad_core_memory");
  // Three operands, one result: 3 GB at 20 GB/s, 1 GB at 25 GB/s.
  EXPECT_EQ(found(4e9, 3e9).source, "triad_core_memory+read_core_memory");
  EXPECT_NEAR(found(4e9, 3e9).value, 4e9 / 0.19, 1);
  EXPECT_NEAR(found(4e9, 3e9).share, 1.9, 1e-12);
  EXPECT_EQ(found(4e9, 3e9).measured,
            (std::vector<std::string>{"triad_core_memory", "read_core_memory"}));
}

TEST(Ceilings, CopyOnACpuReadsAndWritesEachByte) {
  const Work work{.bytes = 1e9, .copied = {.d2d = 1e9}};
  const auto found = ceiling_of(key_of(), work, 200e6, {Kind::cpu, 1}, machine, {});
  EXPECT_EQ(found->source, "triad_core_memory/2");
  EXPECT_EQ(found->value, 10e9);
  EXPECT_NEAR(found->share, 0.5, 1e-12);
  EXPECT_EQ(found->measured, std::vector<std::string>{"triad_core_memory"});
}

TEST(Ceilings, OfOtherWorkWithCopiesTheCopiedBytesCountTwice) {
  const Work work{.bytes = 3e9, .copied = {.h2d = 1e9}};
  const auto found = ceiling_of(key_of(), work, 400e6, {Kind::cpu, 1}, machine, {});
  EXPECT_EQ(found->source, "triad_core_memory");
  EXPECT_NEAR(found->share, 0.5, 1e-12);
}

TEST(Ceilings, TheLongestTimeBinds) {
  // 1e9 flops need 10 ms, 4e8 bytes 20 ms.
  const auto found = ceiling_of(key_of(), {1e9, 4e8}, 40e6, {Kind::cpu, 1}, machine, {});
  EXPECT_EQ(found->source, "triad_core_memory");
  EXPECT_NEAR(found->share, 0.5, 1e-12);
}

TEST(Ceilings, MathChoosesTheProductOfADevice) {
  Key key = key_of();
  key.math = Math::tf32;
  EXPECT_EQ(ceiling_of(key, {1e12, 0}, 1e9, {Kind::gpu, 1}, machine, gpu)->source, "gemm_tf32");
}

TEST(Ceilings, SmallWorkOnADeviceIsBoundByTheLaunch) {
  const auto found = ceiling_of(key_of(), {2e3, 300}, 8000, {Kind::gpu, 1}, machine, gpu);
  EXPECT_EQ(found->source, "launch_amortised");
  EXPECT_EQ(found->unit, "ns");
  EXPECT_NEAR(found->share, 0.25, 1e-12);
}

TEST(Ceilings, CopyIsBoundByLatencyOrBandwidthOfItsDirection) {
  const auto source = [](double bytes, double waits) {
    const Work work{.bytes = bytes, .copied = {.h2d = bytes, .waits = waits}};
    return ceiling_of(key_of(), work, 1e9, {Kind::gpu, 1}, machine, gpu)->source;
  };
  EXPECT_EQ(source(1 << 30, 1), "copy_h2d");
  EXPECT_EQ(source(4, 1), "copy_h2d_latency");
  // 1 MB needs 20 us; ten waits need as long, eleven longer.
  EXPECT_EQ(source(1e6, 9), "copy_h2d");
  EXPECT_EQ(source(1e6, 11), "copy_h2d_latency");
}

TEST(Ceilings, AProductWithItsCopiesIsBoundByWhatTakesLongest) {
  // 100 us of copying at 50 GB/s, 40 us of computing; 15 MB of a device's own memory, 4 us.
  const Work work{.flops = 2e9, .bytes = 20e6, .copied = {.h2d = 5e6}};
  const auto found = ceiling_of(key_of(), work, 200e3, {Kind::gpu, 1}, machine, gpu);
  EXPECT_EQ(found->source, "copy_h2d");
  EXPECT_NEAR(found->share, 0.5, 1e-12);
  EXPECT_EQ(ceiling_of(key_of(), {20e9, 20e6}, 1e6, {Kind::gpu, 1}, machine, gpu)->source,
            "gemm_f32");
}

// Not so many times what one of them sustains alone.
TEST(Ceilings, WhatIsSustainedIsThatOfAsManyDevicesTogether) {
  const Ceilings device{{"gemm_f32", 50e12, "flop/s"},
                        {"gemm_f32_sustained", 40e12, "flop/s"},
                        {"gemm_f32_sustained_low", 39e12, "flop/s"},
                        {"gemm_f32_sustained*2", 60e12, "flop/s"},
                        {"gemm_f32_sustained*2_low", 58e12, "flop/s"},
                        {"gemm_f32_sustained*2_clock", 1100, "MHz"}};
  Key key = key_of();
  const auto sustained = [&] {
    return ceiling_of(key, {2e12, 0}, 1e9, {Kind::gpu, 1}, {}, device)->sustained;
  };
  EXPECT_EQ(sustained()->value, 40e12);
  EXPECT_EQ(sustained()->mhz, 0);
  key.devices = 2;
  EXPECT_EQ(sustained()->value, 60e12);
  EXPECT_EQ(sustained()->low, 58e12);
  EXPECT_EQ(sustained()->mhz, 1100);
  key.devices = 3;
  EXPECT_FALSE(sustained());
}

TEST(Ceilings, LaunchesCountAsOftenAsTheWorkNeedsThem) {
  const Ceilings device{{"launch_amortised", 2000, "ns"}};
  EXPECT_NEAR(ceiling_of(Key{}, {0, 0, 100}, 4e5, {Kind::gpu, 1}, {}, device)->share, 0.5, 1e-9);
  EXPECT_FALSE(ceiling_of(Key{}, {0, 0, 0}, 4e5, {Kind::gpu, 1}, {}, device));
}

TEST(Ceilings, NoneWithoutAMeasurement) {
  Key tf32 = key_of();
  tf32.math = Math::tf32;
  EXPECT_FALSE(ceiling_of(tf32, {1e9, 0}, 1e9, {Kind::cpu, 1}, machine, {}));
  EXPECT_FALSE(ceiling_of(key_of(), {1e9, 0}, 1e9, {Kind::gpu, 1}, machine, {}));
}

TEST(Ceilings, NoneOfAnotherResourceWhereThePeakIsUnknown) {
  Ceilings bytes_only = machine;
  std::erase_if(bytes_only, [](const Ceiling& one) { return one.name == "fma_f64_core"; });
  const auto found = [&](double flops) {
    return ceiling_of(key_of(Type::f64), {flops, 30e3}, 1e6, {Kind::cpu, 2}, bytes_only, {});
  };
  EXPECT_FALSE(found(2e6));
  EXPECT_TRUE(found(0));
}

TEST(Ceilings, SurviveTheWayBetweenProcesses) {
  const Ceilings back = nlohmann::json::parse(nlohmann::json(machine).dump()).get<Ceilings>();
  ASSERT_EQ(back.size(), machine.size());
  EXPECT_EQ(back[3].name, "triad_core_l1");
  EXPECT_EQ(back[3].value, 200e9);
  EXPECT_EQ(back[3].bytes, 32e3);
}

TEST(Ceilings, CopiesOfANodeAreHeldAgainstItsNetworkByTheirSize) {
  const Ceilings node{
      {"network_eager", 4e9, "byte/s", 4096}, {"network_eager_latency", 500, "ns"},
      {"network_rendezvous", 8e9, "byte/s"},  {"network_rendezvous_latency", 9000, "ns"},
      {"peer_eager", 1e9, "byte/s", 65536},   {"peer_eager_latency", 700, "ns"},
      {"peer_rendezvous", 2e9, "byte/s"},     {"peer_rendezvous_latency", 9500, "ns"},
      {"launch_amortised", 20000, "ns"}};
  const auto source = [&](Work work, double bytes) {
    work.bytes = bytes;
    const auto found = ceiling_of(Key(), work, 1e6, {.kind = Kind::node}, {}, node);
    return found ? found->source : "none";
  };
  EXPECT_EQ(source({.copied = {.h2d = 4}}, 4), "network_eager_latency");
  EXPECT_EQ(source({.copied = {.d2h = 4096}}, 4096), "network_eager");
  EXPECT_EQ(source({.copied = {.h2d = 8192}}, 8192), "network_rendezvous_latency");
  EXPECT_EQ(source({.copied = {.d2h = 1e9}}, 1e9), "network_rendezvous");
  EXPECT_EQ(source({.copied = {.peer = 8192}}, 8192), "peer_eager");
  EXPECT_EQ(source({.copied = {.peer = 1e9}}, 1e9), "peer_rendezvous");
  EXPECT_EQ(source({.flops = 1, .copied = {.h2d = 4}}, 8), "launch_amortised");
}

TEST(Ceilings, EagerAndRendezvousAreToldApart) {
  std::vector<CopyTime> times;
  for (double bytes = 1; bytes <= 16 << 20; bytes *= 2)
    times.push_back({bytes, bytes <= 4096 ? 400 + bytes / 4 : 3000 + bytes / 10});
  const PiecewiseFit fit = fit_in_pieces(times);
  EXPECT_EQ(fit.largest_small, 4096);
  EXPECT_NEAR(fit.small.latency_ns, 400, 1e-3);
  EXPECT_NEAR(fit.small.bytes_per_ns, 4, 1e-6);
  EXPECT_NEAR(fit.large.latency_ns, 3000, 1e-3);
  EXPECT_NEAR(fit.large.bytes_per_ns, 10, 1e-6);
}

TEST(Ceilings, CopyFitFindsLatencyAndBandwidth) {
  std::vector<CopyTime> times;
  for (double bytes = 4; bytes < 1e9; bytes *= 4) times.push_back({bytes, 2500 + bytes / 50});
  const CopyFit fit = fit_copies(times);
  EXPECT_NEAR(fit.latency_ns, 2500, 1e-3);
  EXPECT_NEAR(fit.bytes_per_ns, 50, 1e-6);
}

}  // namespace
}  // namespace breakeven
