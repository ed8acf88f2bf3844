// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/energy.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

namespace breakeven {
namespace {

constexpr auto zone = "sys/class/powercap/intel-rapl:0";

void write_package(const FakeRoot& root, const std::string& folder, std::string_view name,
                   std::string_view microjoules) {
  root.write(folder + "/name", name);
  root.write(folder + "/max_energy_range_uj", "1000000000\n");
  root.write(folder + "/energy_uj", microjoules);
}

TEST(Energy, UnknownWithoutCounters) {
  FakeRoot root;
  EXPECT_EQ(EnergyCounter(root.path()).joules(), std::nullopt);
}

TEST(Energy, SumsPackagesAndNotTheirParts) {
  FakeRoot root;
  write_package(root, zone, "package-0\n", "1000000\n");
  write_package(root, "sys/class/powercap/intel-rapl:1", "package-1\n", "0\n");
  write_package(root, "sys/class/powercap/intel-rapl:0:0", "core\n", "0\n");
  EnergyCounter counter(root.path());
  write_package(root, zone, "package-0\n", "3000000\n");
  write_package(root, "sys/class/powercap/intel-rapl:1", "package-1\n", "500000\n");
  write_package(root, "sys/class/powercap/intel-rapl:0:0", "core\n", "900000\n");
  EXPECT_EQ(counter.joules(), 2.5);
}

TEST(Energy, CounterMayWrap) {
  FakeRoot root;
  write_package(root, zone, "package-0\n", "999000000\n");
  EnergyCounter counter(root.path());
  write_package(root, zone, "package-0\n", "1000000\n");
  EXPECT_EQ(counter.joules(), 2.0);
  write_package(root, zone, "package-0\n", "2000000\n");
  EXPECT_EQ(counter.joules(), 3.0);
}

TEST(Energy, UnknownWhereTheCounterMayNotBeRead) {
  FakeRoot root;
  root.write(std::string(zone) + "/name", "package-0\n");
  root.write(std::string(zone) + "/max_energy_range_uj", "1000000000\n");
  EXPECT_EQ(EnergyCounter(root.path()).joules(), std::nullopt);
}

}  // namespace
}  // namespace breakeven
