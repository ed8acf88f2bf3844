// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/description.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "fake_root.hpp"
#include "reports/schema/schema.hpp"
#include "tests/unit/machine/arm_texts.hpp"

namespace breakeven {
namespace {

struct DescriptionTest : testing::Test {
  FakeRoot root;
  std::string get(std::string_view key) const {
    return std::string(describe_machine("box", root.path())[key]);
  }
};

TEST_F(DescriptionTest, EveryColumnIsOneOfTheReport) {
  for (const auto& [name, value] : describe_machine().columns) {
    EXPECT_TRUE(column_named(name)) << name;
    EXPECT_FALSE(value.empty()) << name;
  }
}

TEST_F(DescriptionTest, WhatIsNotToldIsNotGuessed) {
  for (const auto* key : {"cpu_model", "vector_extensions", "memory_bytes", "governor", "cpu_quota",
                          "os", "kernel", "microcode", "hypervisor", "max_mhz", "boost", "smt",
                          "transparent_huge_pages", "swap_bytes", "load_average"}) {
    EXPECT_EQ(get(key), "NA") << key;
  }
  EXPECT_EQ(get("no_such_key"), "NA");
}

TEST_F(DescriptionTest, ReadsTheProcessor) {
  root.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
             "model name\t: Xeon 8480\nstepping\t: 8\nmicrocode\t: 0x2b\n"
             "flags\t\t: fpu sse2 avx avx2 fma avx512f hypervisor\n");
  EXPECT_EQ(get("cpu_model"), "Xeon 8480");
  EXPECT_EQ(get("cpu_vendor"), "GenuineIntel");
  EXPECT_EQ(get("cpu_family"), "6");
  EXPECT_EQ(get("cpu_model_number"), "143");
  EXPECT_EQ(get("microcode"), "0x2b");
  EXPECT_EQ(get("vector_extensions"), "avx512f avx2 fma avx sse2");
  EXPECT_EQ(get("hypervisor"), "yes");
}

TEST_F(DescriptionTest, ReadsAnArmProcessor) {
  root.write("proc/cpuinfo", neoverse_n1);
  root.write("sys/class/dmi/id/product_name", "c6g.large\n");
  EXPECT_EQ(get("cpu_model"), "Neoverse N1");
  EXPECT_EQ(get("vector_extensions"), "asimdhp asimd");
  EXPECT_EQ(get("cpu_vendor"), "0x41");
  EXPECT_EQ(get("cpu_model_number"), "0xd0c");
  EXPECT_EQ(get("cpu_stepping"), "r3p1");
  EXPECT_EQ(get("board"), "c6g.large");
  EXPECT_EQ(get("hypervisor"), "NA") << "no flag tells";
}

TEST_F(DescriptionTest, ReadsABoardWithoutFirmwareTables) {
  root.write("proc/cpuinfo", cortex_a76);
  root.write("proc/device-tree/model", std::string_view("Raspberry Pi 5 Model B Rev 1.0\0", 31));
  EXPECT_EQ(get("cpu_model"), "Cortex-A76");
  EXPECT_EQ(get("board"), "Raspberry Pi 5 Model B Rev 1.0");
}

TEST_F(DescriptionTest, CountsTheSortsOfCoresAndTakesTheClockOfTheFastest) {
  root.write("proc/cpuinfo", big_and_little());
  root.write("proc/sys/abi/sve_default_vector_length", "32\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1800000\n");
  root.write("sys/devices/system/cpu/cpu4/cpufreq/cpuinfo_max_freq", "2400000\n");
  EXPECT_EQ(get("cpu_model"), "4 x Cortex-A55 + 4 x Cortex-A76");
  EXPECT_EQ(get("max_mhz"), "2400");
  EXPECT_EQ(get("sve_bytes"), "32");
}

TEST_F(DescriptionTest, PagesAndLinesAreThoseOfTheSystem) {
  EXPECT_EQ(get("page_bytes"), std::to_string(sysconf(_SC_PAGESIZE)));
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  EXPECT_EQ(get("cache_line_bytes"), line > 0 ? std::to_string(line) : "NA");
}

TEST_F(DescriptionTest, ReadsMemoryInBytes) {
  root.write("proc/meminfo",
             "MemTotal:       1048576 kB\nMemAvailable:    524288 kB\nHugePages_Total:       7\n"
             "Hugepagesize:       2048 kB\nSwapTotal:             0 kB\n");
  EXPECT_EQ(get("memory_bytes"), "1073741824");
  EXPECT_EQ(get("available_bytes"), "536870912");
  EXPECT_EQ(get("huge_pages"), "7");
  EXPECT_EQ(get("huge_page_bytes"), "2097152");
  EXPECT_EQ(get("swap_bytes"), "0");
}

TEST_F(DescriptionTest, ReadsTheSystem) {
  root.write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
  root.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  root.write("proc/loadavg", "0.25 0.30 0.10 1/100 4242\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
  root.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  root.write("sys/devices/system/cpu/smt/active", "1\n");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("run/.containerenv", "");
  EXPECT_EQ(get("os"), "Debian GNU/Linux 12");
  EXPECT_EQ(get("kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(get("load_average"), "0.25");
  EXPECT_EQ(get("governor"), "performance");
  EXPECT_EQ(get("max_mhz"), "3700");
  EXPECT_EQ(get("boost"), "off");
  EXPECT_EQ(get("smt"), "on");
  EXPECT_EQ(get("transparent_huge_pages"), "madvise");
  EXPECT_EQ(get("container"), "podman");
}

TEST_F(DescriptionTest, NameReplacesTheHostName) {
  EXPECT_EQ(get("machine"), "box");
  EXPECT_NE(describe_machine()["machine"], "box");
}

TEST_F(DescriptionTest, IdentityIsThatOfTheMachineNotItsName) {
  root.write("etc/machine-id", "0123456789abcdef\n");
  root.write("proc/meminfo", "MemTotal: 16777216 kB\n");
  const std::string id = get("machine_id");
  EXPECT_EQ(id, describe_machine("another name", root.path())["machine_id"]);
  EXPECT_EQ(id.find("0123456789abcdef"), id.npos) << "the machine's own id is not published";
  root.write("proc/meminfo", "MemTotal: 16777000 kB\n");
  EXPECT_EQ(get("machine_id"), id) << "the kernel took a little more for itself";
  root.write("etc/machine-id", "fedcba9876543210\n");
  EXPECT_NE(get("machine_id"), id);
}

}  // namespace
}  // namespace breakeven
