// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/binding.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

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

// Whose other threads may run elsewhere.
TEST(Binding, OfOneThreadTakesNoProcessorFromTheProcess) {
  const KeepAffinity keep;
  const cpu_set_t all = processors_of_process();
  EXPECT_GT(CPU_COUNT(&all), 0);
  std::promise<void> bound, counted;
  std::thread free([&, until = counted.get_future()]() mutable {
    bound.set_value();
    until.wait();
  });
  bound.get_future().wait();
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const cpu_set_t still = processors_of_process();
  EXPECT_TRUE(CPU_EQUAL(&still, &all));
  counted.set_value();
  free.join();
}

}  // namespace
}  // namespace breakeven
