// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/thread_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>
#include <string>

namespace breakeven {
namespace {

constexpr std::size_t members = 4;

TEST(ThreadTeam, EveryMemberWorksOncePerRunOnAThreadOfItsOwn) {
  std::array<int, members> worked{};
  std::array<std::thread::id, members> threads;
  ThreadTeam team(
      members, [](std::size_t) {},
      [&](std::size_t member) {
        ++worked[member];
        threads[member] = std::this_thread::get_id();
      });
  for (int run = 1; run <= 100; ++run) {
    team.arm();
    team.run();
    for (const int count : worked) ASSERT_EQ(count, run);
  }
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(threads.begin(), threads.end()).size(), members);
}

TEST(ThreadTeam, NobodyWorksBeforeTheRun) {
  std::atomic<int> worked{0};
  ThreadTeam team(
      members, [](std::size_t) {}, [&](std::size_t) { ++worked; });
  team.arm();
  EXPECT_EQ(worked, 0);
  team.run();
  EXPECT_EQ(worked, 4);
}

TEST(ThreadTeam, ThreadsBeginOnceAndTheCallerDoesNot) {
  std::array<std::atomic<int>, members> begun{};
  ThreadTeam team(
      members, [&](std::size_t member) { ++begun[member]; }, [](std::size_t) {});
  for (int run = 0; run < 3; ++run) {
    team.arm();
    team.run();
  }
  EXPECT_EQ(begun[0], 0);
  for (std::size_t member = 1; member < members; ++member) EXPECT_EQ(begun[member], 1);
}

TEST(ThreadTeam, AFailureIsThrownOnceTheOthersAreThroughAndTheTeamGoesOn) {
  std::atomic<int> worked{0};
  bool fails = true;
  ThreadTeam team(
      members, [](std::size_t) {},
      [&](std::size_t member) {
        if (fails && member > 1) throw std::runtime_error("member " + std::to_string(member));
        ++worked;
      });
  team.arm();
  try {
    team.run();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "member 2");
  }
  EXPECT_EQ(worked, 2);
  fails = false;
  team.arm();
  EXPECT_NO_THROW(team.run());
  EXPECT_EQ(worked, 6);
}

TEST(ThreadTeam, AMemberThatCouldNotBeginDoesNotWork) {
  std::atomic<int> worked{0};
  ThreadTeam team(
      2, [](std::size_t) { throw std::runtime_error("no such processor"); },
      [&](std::size_t) { ++worked; });
  team.arm();
  EXPECT_THROW(team.run(), std::runtime_error);
  EXPECT_EQ(worked, 1);
}

TEST(ThreadTeam, OneMemberIsTheCallerAlone) {
  int worked = 0;
  ThreadTeam team(
      1, [](std::size_t) {}, [&](std::size_t) { ++worked; });
  team.arm();
  team.run();
  EXPECT_EQ(worked, 1);
}

}  // namespace
}  // namespace breakeven
