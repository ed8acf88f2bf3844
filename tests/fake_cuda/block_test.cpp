// SPDX-License-Identifier: Apache-2.0
// Blocks of GPU threads that break the rules are told so: kernels with one fault each.
#include "tests/support/block/block.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace breakeven::block {
namespace {

#define HERE (Site{__FILE__, __LINE__})

// What is wrong with it, which all orders of its threads agree on; empty: nothing.
template <class Thread>
std::string fault_of(const Thread& thread, unsigned threads = 64, Limits limits = {}) {
  std::string fault;
  for (const Order order : {Order::ascending, Order::descending, Order::random}) {
    try {
      run({.threads = threads, .order = order, .seed = 7, .limits = limits}, thread);
      EXPECT_EQ(fault, "") << "not found in another order";
    } catch (const Fault& broken) {
      EXPECT_TRUE(order == Order::ascending || !fault.empty()) << "not found in another order";
      fault = broken.what();
    }
  }
  return fault;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// Each thread takes what its neighbours hold, twice; without its first, second or third barrier.
struct Neighbours {
  int without = 0;

  void pass(int which) const {
    if (which != without) barrier(HERE);
  }
  void operator()(unsigned i) const {
    auto* const held = static_cast<int*>(shared(64 * sizeof(int)));
    const auto beside = [&] { return held[(i + 63) % 64] + held[(i + 1) % 64]; };
    held[i] = static_cast<int>(i);
    pass(1);
    const int sum = beside();
    pass(2);
    held[i] = sum;
    pass(3);
    if (without == 0 && i > 1 && i < 62) {
      EXPECT_EQ(beside(), 4 * static_cast<int>(i));
    }
    if (without == 3) held[(i + 1) % 64] = 0;
  }
};

TEST(Block, ThreadsMeetAtBarriersInWhateverOrderTheyRun) {
  EXPECT_EQ(fault_of(Neighbours{}), "");
}

#ifdef ACCESSES_ARE_WATCHED
TEST(Block, AMissingBarrierIsFoundInEveryOrderWhereverItIs) {
  for (const int without : {1, 2, 3}) {
    const std::string fault = fault_of(Neighbours{without});
    EXPECT_TRUE(says(fault, "a byte that with no barrier in between")) << without << ": " << fault;
  }
}

TEST(Block, AnAccessBesideAnArrayOrAcrossItsAlignmentIsFound) {
  alignas(16) static float memory[80];
  const Array array{reinterpret_cast<const std::byte*>(memory), 64 * sizeof(float)};
  const auto fault = [&](auto thread) -> std::string {
    try {
      run({.threads = 16, .arrays = {&array, 1}}, thread);
    } catch (const Fault& broken) {
      return broken.what();
    }
    return {};
  };
  struct alignas(16) Pack {
    float at[4];
  };
  EXPECT_EQ(fault([](unsigned i) { reinterpret_cast<Pack*>(memory)[i] = {}; }), "");
  EXPECT_EQ(fault([](unsigned i) { memory[i * 4 + 5] = 1; }),
            "thread 15 writes 4 bytes beside what the kernel was given");
  float* volatile from = memory + 1;  // the compiler is not to know
  const std::string crooked = fault([&](unsigned i) {
    const Pack pack = reinterpret_cast<const Pack*>(from)[i % 15];
    memory[i] = pack.at[0] + pack.at[1] + pack.at[2] + pack.at[3];
  });
  EXPECT_TRUE(says(crooked, "at an address that is not a multiple")) << crooked;
}

TEST(Block, TrafficTellsHalfSectorsAndBankConflicts) {
  alignas(128) static float memory[1024];
  const Array array{reinterpret_cast<const std::byte*>(memory), sizeof memory};
  const auto traffic = [&](auto thread) {
    Traffic counted;
    run({.threads = 64, .arrays = {&array, 1}, .traffic = &counted}, thread);
    return counted;
  };
  struct alignas(16) Pack {
    float at[4];
  };
  const Traffic whole = traffic([](unsigned i) { memory[i] = 1; });
  EXPECT_EQ(whole.sectors, 8u);
  EXPECT_EQ(whole.least_sectors, 8u);
  const Traffic packs = traffic([](unsigned i) { reinterpret_cast<Pack*>(memory)[i] = {}; });
  EXPECT_EQ(packs.sectors, 32u);
  EXPECT_EQ(packs.least_sectors, 32u);
  const Traffic halves = traffic([](unsigned i) { memory[i / 4 * 8 + i % 4] = 1; });
  EXPECT_EQ(halves.sectors, 16u);
  EXPECT_EQ(halves.least_sectors, 8u);
  const auto spread = [&](unsigned stride) {
    return traffic([=](unsigned i) { static_cast<float*>(shared(16384))[i * stride] = 1; });
  };
  EXPECT_EQ(spread(1).passes, 2u);
  EXPECT_EQ(spread(1).least_passes, 2u);
  EXPECT_EQ(spread(2).passes, 4u);
  EXPECT_EQ(spread(33).passes, 2u);
  EXPECT_EQ(spread(32).passes, 64u);
}
#endif

TEST(Block, ABarrierThatSomeThreadsDoNotReachIsFound) {
  const std::string ended = fault_of([](unsigned i) {
    if (i < 40) barrier(HERE);
  });
  EXPECT_TRUE(says(ended, "a barrier that not all threads reach")) << ended;
  EXPECT_TRUE(says(ended, "thread 40 has ended")) << ended;
  const std::string elsewhere = fault_of([](unsigned i) {
    if (i < 40)
      barrier(HERE);
    else
      barrier(HERE);
  });
  EXPECT_TRUE(says(elsewhere, "block_test.cpp:")) << elsewhere;
}

TEST(Block, ShufflesGoUpToTheWarpsEnd) {
  const auto sums = [](unsigned warp) {
    std::vector<float> sum(64);
    run({.threads = 64, .order = Order::descending, .limits = {.warp = warp}}, [&](unsigned i) {
      float value = static_cast<float>(i);
      for (unsigned step = warp / 2; step > 0; step /= 2)
        value += shuffle_down(warp == 32 ? ~0u : (1u << warp) - 1, value, step, HERE);
      sum[i] = value;
    });
    return sum;
  };
  EXPECT_EQ(sums(32)[0], 31 * 16);
  EXPECT_EQ(sums(32)[32], 31 * 16 + 32 * 32);
  EXPECT_EQ(sums(32)[31], 31 * 32);  // its own, five times doubled
  EXPECT_EQ(sums(16)[16], 15 * 8 + 16 * 16);
}

TEST(Block, AShuffleThatALaneDoesNotReachIsFound) {
  const std::string ended = fault_of([](unsigned i) {
    if (i != 37) shuffle_down(~0u, 1.f, 1, HERE);
  });
  EXPECT_TRUE(says(ended, "waits at the shuffle of block_test.cpp:")) << ended;
  EXPECT_TRUE(says(ended, "thread 37 has ended")) << ended;
  const std::string partial = fault_of([](unsigned) { shuffle_down(~0u, 1.f, 1, HERE); }, 40);
  EXPECT_TRUE(says(partial, "which the block does not have")) << partial;
  const std::string masked = fault_of([](unsigned i) {
    if (i % 32 < 16) shuffle_down(0xffffu, 1.0, 1, HERE);
  });
  EXPECT_TRUE(says(masked, "whose mask leaves out a lane that it needs")) << masked;
}

TEST(Block, LimitsOfTheArchitectureAreKept) {
  const auto takes = [](std::size_t bytes) { return [bytes](unsigned) { shared(bytes); }; };
  EXPECT_EQ(fault_of(takes(48 * 1024)), "");
  EXPECT_EQ(fault_of(takes(48 * 1024 + 1)), "49153 bytes of shared memory, a block has 49152");
  EXPECT_EQ(fault_of(takes(48 * 1024 + 1), 64, {.shared_bytes = 99 * 1024}), "");
  EXPECT_EQ(fault_of([](unsigned) {}, 1025), "a block of 1025 threads, at most 1024 are allowed");
}

}  // namespace
}  // namespace breakeven::block
