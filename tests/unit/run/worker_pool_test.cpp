// SPDX-License-Identifier: Apache-2.0
#include "suite/run/worker_pool.hpp"

#include <gmock/gmock.h>
#include <poll.h>

#include <fstream>
#include <string>

#include "tests/unit/run/scripted_worker.hpp"

namespace breakeven {
namespace {

// proc(5): `pid (name) state`; T is stopped. The kernel takes a moment.
bool becomes_stopped(int process, bool stopped) {
  for (int patience = 10'000; patience > 0; --patience) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_ends = text.rfind(')');
    if (name_ends != std::string::npos && (text.substr(name_ends + 2, 1) == "T") == stopped)
      return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

TEST(WorkerPool, OneWorkerRunsAndTheOthersStandStill) {
  const scripted::Script script;
  const Plugin first = script.plugin("first"), second = script.plugin("second");
  Interrupt interrupt;
  WorkerPool workers({}, interrupt);
  const int one = workers.running(first).process_id();
  const int other = workers.running(second).process_id();
  EXPECT_NE(one, other);
  EXPECT_TRUE(becomes_stopped(one, true));
  EXPECT_TRUE(becomes_stopped(other, false));
  EXPECT_EQ(workers.running(first).process_id(), one);
  EXPECT_TRUE(becomes_stopped(one, false));
  EXPECT_TRUE(becomes_stopped(other, true));
  workers.pause_all();
  EXPECT_TRUE(becomes_stopped(one, true));
}

TEST(WorkerPool, ADiscardedWorkerIsFollowedByAFreshOne) {
  const scripted::Script script;
  const Plugin plugin = script.plugin("scripted");
  Interrupt interrupt;
  WorkerPool workers({}, interrupt);
  const int before = workers.running(plugin).process_id();
  workers.discard(plugin);
  EXPECT_NE(workers.running(plugin).process_id(), before);
}

}  // namespace
}  // namespace breakeven
