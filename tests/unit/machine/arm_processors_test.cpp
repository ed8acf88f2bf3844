// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/arm_processors.hpp"

#include <gtest/gtest.h>

#include "tests/unit/machine/arm_texts.hpp"
#include "tests/unit/machine/fake_root.hpp"

namespace breakeven {
namespace {

TEST(ArmProcessors, AreNamedOneByOne) {
  const FakeRoot root;
  root.write("proc/cpuinfo", big_and_little());
  const auto processors = arm_processors(root.path());
  ASSERT_EQ(processors.size(), 8u);
  EXPECT_EQ(processors[3].number, 3u);
  EXPECT_EQ(name_of(processors[3].core), "Cortex-A55");
  EXPECT_EQ(processors[4].number, 4u);
  EXPECT_EQ(name_of(processors[4].core), "Cortex-A76");
}

TEST(ArmProcessors, OneThatIsNotKnownKeepsItsNumbers) {
  EXPECT_EQ(name_of({0x61, 0xfff}), "implementer 0x61 part 0xfff");
  EXPECT_EQ(name_of({0x41, 0xd4f}), "Neoverse V2");
  EXPECT_EQ(name_of({0x41, 0xd8c}), "C1-Ultra");
  EXPECT_EQ(name_of({0xc0, 0xac3}), "Ampere-1");
  EXPECT_EQ(name_of({0x61, 0x023}), "Apple M1 Firestorm");
}

TEST(ArmProcessors, ThereAreNoneElsewhere) {
  const FakeRoot root;
  EXPECT_TRUE(arm_processors(root.path()).empty());
  root.write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon\n\n");
  EXPECT_TRUE(arm_processors(root.path()).empty());
  root.write("proc/cpuinfo", "processor\t: \nCPU part\t: what\nCPU part");
  EXPECT_EQ(arm_processors(root.path()).size(), 1u) << "a damaged text does no harm";
}

TEST(ArmProcessors, CapacityIsThatOfTheKernelOrFull) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/cpu0/cpu_capacity", "530\n");
  root.write("sys/devices/system/cpu/cpu1/cpu_capacity", "none\n");
  EXPECT_EQ(capacity_of(0, root.path()), 530u);
  EXPECT_EQ(capacity_of(1, root.path()), 1024u);
  EXPECT_EQ(capacity_of(2, root.path()), 1024u);
}

}  // namespace
}  // namespace breakeven
