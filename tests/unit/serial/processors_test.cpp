// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "tests/unit/machine/arm_texts.hpp"
#include "tests/unit/machine/fake_root.hpp"

namespace breakeven {
namespace {

// The system's number of the processor that the calling thread is bound to.
int bound_to() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &set)) return number;
  return -1;
}

TEST(Processors, KeepTheOrderOfTheMachineWhereAllAreAlike) {
  const FakeRoot root;
  root.write("proc/cpuinfo", neoverse_n1);
  const cpu::Processors alike(root.path()), told(FakeRoot().path());
  ASSERT_EQ(alike.cores(), told.cores());
  alike.bind_thread_to(0);
  const int first = bound_to();
  told.bind_thread_to(0);
  EXPECT_EQ(bound_to(), first);
  alike.bind_thread_to_all();
}

TEST(Processors, TheFastestSortComesFirstAndSaysItsName) {
  const FakeRoot root;
  const cpu::Processors plain(root.path());
  if (plain.cores() < 2) GTEST_SKIP() << "one core";
  plain.bind_thread_to(0);
  const int small = bound_to();
  plain.bind_thread_to(1);
  const int big = bound_to();
  plain.bind_thread_to_all();
  const auto text = [](int number, std::string_view part) {
    return "processor : " + std::to_string(number) +
           "\nCPU implementer : 0x41\nCPU part : " + std::string(part) + "\n\n";
  };
  root.write("proc/cpuinfo", text(small, "0xd05") + text(big, "0xd0b"));
  for (std::size_t core = 0; core < plain.cores(); ++core) {
    plain.bind_thread_to(core);
    root.write("sys/devices/system/cpu/cpu" + std::to_string(bound_to()) + "/cpu_capacity",
               bound_to() == big ? "1024\n" : "530\n");
  }
  plain.bind_thread_to_all();
  const cpu::Processors sorted(root.path());
  EXPECT_EQ(sorted.model(0), "Cortex-A76");
  EXPECT_EQ(sorted.model(1), "Cortex-A55");
  sorted.bind_thread_to(0);
  EXPECT_EQ(bound_to(), big);
  sorted.bind_thread_to_all();
}

}  // namespace
}  // namespace breakeven
