// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/binding.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

namespace breakeven {
namespace {

TEST(Binding, CountsThreadsWithTheSameProcessors) {
  FakeRoot root;
  root.write("proc/self/task/1/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
  root.write("proc/self/task/2/status", "Cpus_allowed_list:\t1\n");
  root.write("proc/self/task/3/status", "Cpus_allowed_list:\t0-3\n");
  EXPECT_EQ(observed_binding(root.path()), "0-3*2;1");
}

TEST(Binding, UnknownWhereTheKernelDoesNotTell) {
  FakeRoot root;
  EXPECT_EQ(observed_binding(root.path()), "NA");
}

TEST(Binding, ThisProcessRunsSomewhere) {
  EXPECT_NE(observed_binding(), "NA");
}

}  // namespace
}  // namespace breakeven
