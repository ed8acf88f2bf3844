// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/noise.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

#include "suite/measure/timer.hpp"
#include "tests/fakes.hpp"

namespace breakeven {
namespace {

// Kernels of 10 ms that move by `spread`, one more than there are visits.
std::vector<NoiseReading> quiet_run(std::size_t visits, double spread = 0.002) {
  std::vector<NoiseReading> readings(visits + 1);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    readings[i].kernel_ns = 1e7 * (1 + (static_cast<double>(i % 3) - 1) * spread);
    readings[i].since_ns = 2e7;
  }
  return readings;
}

void work_for(std::int64_t ns) {
  const std::int64_t start = steady_clock().now();
  while (steady_clock().now() - start < ns) {
  }
}

// A third of a second each: ticks of 10 ms are much less.
TEST(Others, HaveWhatAnotherProcessTakes) {
  const Others others;
  const pid_t child = fork();
  if (child == 0) {
    work_for(300'000'000);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const double its_ns = static_cast<double>(usage.ru_utime.tv_sec) * 1e9 +
                        static_cast<double>(usage.ru_utime.tv_usec) * 1e3;
  EXPECT_GT(others.busy_ns(), its_ns / 2);
}

// A plugin may bind the thread that asks, and others have the processors of its other threads.
TEST(Others, AreSeenOnTheProcessorsOfEveryThread) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one processor";
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  std::atomic<bool> is_over = false;
  std::jthread elsewhere([&] { is_over.wait(false); });
  const pid_t child = fork();
  if (child == 0) {
    sched_setaffinity(0, sizeof one, &one);
    work_for(300'000'000);
    _exit(0);
  }
  cpu_set_t rest = before;
  CPU_CLR(last, &rest);
  sched_setaffinity(0, sizeof rest, &rest);
  const Others others;
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  sched_setaffinity(0, sizeof before, &before);
  is_over = true;
  is_over.notify_one();
  const double its_ns = static_cast<double>(usage.ru_utime.tv_sec) * 1e9 +
                        static_cast<double>(usage.ru_utime.tv_usec) * 1e3;
  EXPECT_GT(others.busy_ns(), its_ns / 2);
}

// Whatever else runs here: what this process had, nobody else did.
TEST(Others, DoNotHaveWhatThisProcessTakes) {
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  const Others others;
  const std::int64_t start = steady_clock().now();
  const std::clock_t before = std::clock();
  {
    std::vector<std::jthread> threads;
    for (double i = 0; i < processors; ++i) threads.emplace_back(work_for, 300'000'000);
  }
  const double own_ns = static_cast<double>(std::clock() - before) * 1e9 / CLOCKS_PER_SEC;
  const auto took_ns = static_cast<double>(steady_clock().now() - start);
  EXPECT_LT(others.busy_ns(), processors * took_ns - own_ns + 0.25 * processors * took_ns);
}

TEST(Noise, QuietRunHasNoDisturbedVisits) {
  EXPECT_EQ(disturbances(quiet_run(20)), std::vector<std::string>(20));
}

TEST(Noise, SlowKernelDisturbsTheVisitsBesideIt) {
  auto readings = quiet_run(20);
  readings[5].kernel_ns = 1.1e7;
  const auto found = disturbances(readings);
  for (std::size_t visit = 0; visit < found.size(); ++visit) {
    EXPECT_EQ(found[visit], visit == 4 || visit == 5 ? "kernel +10 %" : "") << visit;
  }
}

TEST(Noise, FastKernelIsADisturbanceToo) {
  auto readings = quiet_run(20);
  readings[0].kernel_ns = 0.9e7;
  EXPECT_EQ(disturbances(readings)[0], "kernel -10 %");
}

TEST(Noise, DifferenceBelowTwoPercentIsNone) {
  auto readings = quiet_run(20);
  readings[5].kernel_ns = 1.015e7;
  EXPECT_EQ(disturbances(readings), std::vector<std::string>(20));
}

TEST(Noise, MachineThatAlwaysMovesIsJudgedByItsOwnSpread) {
  auto readings = quiet_run(30, 0.03);
  readings[5].kernel_ns = 1.08e7;
  EXPECT_EQ(disturbances(readings)[5], "");
  readings[5].kernel_ns = 1.2e7;
  EXPECT_NE(disturbances(readings)[5], "");
}

TEST(Noise, WhatHappenedBetweenTwoReadingsDisturbsTheVisitBetweenThem) {
  auto readings = quiet_run(10);
  readings[3].steal_ns = 2e6;
  readings[5].throttled_ns = 3e6;
  const auto found = disturbances(readings);
  EXPECT_EQ(found[2], "steal 10 %");
  EXPECT_EQ(found[4], "throttled 3 ms");
  EXPECT_EQ(found[6], "");
}

TEST(Noise, NothingToJudgeWithoutAVisit) {
  EXPECT_TRUE(disturbances({}).empty());
  EXPECT_TRUE(disturbances(quiet_run(0)).empty());
}

TEST(Noise, FirstReadingHasNoBefore) {
  NoiseWatch watch(steady_clock());
  EXPECT_EQ(watch.read().since_ns, 0);
  const NoiseReading second = watch.read();
  EXPECT_GT(second.since_ns, 0);
  EXPECT_GT(second.kernel_ns, 0);
}

}  // namespace
}  // namespace breakeven
