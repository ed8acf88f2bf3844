// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/control_group.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

namespace breakeven {
namespace {

constexpr auto version_2_mount =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr auto version_1_mount =
    "30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

TEST(ControlGroup, MachineWithoutControlGroupsHasNoLimit) {
  FakeRoot root;
  const ControlGroup group(root.path());
  EXPECT_EQ(group.quota(), std::nullopt);
  EXPECT_EQ(group.throttled_ns(), std::nullopt);
}

TEST(ControlGroup, Version2QuotaAndThrottledTime) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/box\n");
  root.write("proc/self/mountinfo", version_2_mount);
  root.write("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  root.write("sys/fs/cgroup/box/cpu.stat", "usage_usec 7\nnr_throttled 2\nthrottled_usec 42\n");
  const ControlGroup group(root.path());
  EXPECT_EQ(group.quota(), 1.5);
  EXPECT_EQ(group.throttled_ns(), 42e3);
}

TEST(ControlGroup, LeastQuotaOfTheGroupsAboveCounts) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/slice/box\n");
  root.write("proc/self/mountinfo", version_2_mount);
  root.write("sys/fs/cgroup/slice/cpu.max", "50000 100000\n");
  root.write("sys/fs/cgroup/slice/box/cpu.max", "max 100000\n");
  EXPECT_EQ(ControlGroup(root.path()).quota(), 0.5);
}

TEST(ControlGroup, LeastFreeMemoryOfTheGroupsAboveCountsWithoutPagesOfFiles) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/slice/box\n");
  root.write("proc/self/mountinfo", version_2_mount);
  root.write("sys/fs/cgroup/slice/memory.max", "1000\n");
  root.write("sys/fs/cgroup/slice/memory.current", "700\n");
  root.write("sys/fs/cgroup/slice/memory.stat", "anon 600\ninactive_file 100\n");
  root.write("sys/fs/cgroup/slice/box/memory.max", "max\n");
  root.write("sys/fs/cgroup/slice/box/memory.current", "500\n");
  EXPECT_EQ(ControlGroup(root.path()).free_memory(), 400);
}

TEST(ControlGroup, MemoryOfVersion1HasAHierarchyOfItsOwn) {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:memory:/job\n3:cpu:/\n0::/\n");
  root.write("proc/self/mountinfo",
             "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "900\n");
  root.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "950\n");
  EXPECT_EQ(ControlGroup(root.path()).free_memory(), 0);
  EXPECT_EQ(ControlGroup(root.path()).quota(), std::nullopt);
}

TEST(ControlGroup, Version1) {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/box\n0::/\n");
  root.write("proc/self/mountinfo", version_1_mount);
  root.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "200000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.stat", "nr_periods 9\nthrottled_time 77\n");
  const ControlGroup group(root.path());
  EXPECT_EQ(group.quota(), 2.0);
  EXPECT_EQ(group.throttled_ns(), 77);
}

TEST(ControlGroup, Version1WithoutLimitSaysMinusOne) {
  FakeRoot root;
  root.write("proc/self/cgroup", "3:cpu:/\n");
  root.write("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ControlGroup(root.path()).quota(), std::nullopt);
}

TEST(ControlGroup, ContainerSeesItsOwnGroupAsTheMount) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/docker/abc\n");
  root.write("proc/self/mountinfo",
             "30 24 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(ControlGroup(root.path()).quota(), 4.0);
}

}  // namespace
}  // namespace breakeven
