// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/workers.hpp"

#include <gmock/gmock.h>
#include <poll.h>

#include <fstream>
#include <string>
#include <vector>

#include "suite/protocol/worker_process.hpp"
#include "tests/unit/engine/scripted_worker.hpp"

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

int process_of(Workers& workers, const Plugin& plugin) {
  return dynamic_cast<WorkerProcess&>(workers.running(&plugin)).process_id();
}

TEST(Workers, OneWorkerRunsAndTheOthersStandStill) {
  const scripted::Script script;
  const Plugin first = script.plugin("first"), second = script.plugin("second");
  Interrupt interrupt;
  Workers workers(worker_processes({}, interrupt));
  const int one = process_of(workers, first);
  const int other = process_of(workers, second);
  EXPECT_NE(one, other);
  EXPECT_TRUE(becomes_stopped(one, true));
  EXPECT_TRUE(becomes_stopped(other, false));
  EXPECT_EQ(process_of(workers, first), one);
  workers.running(&first).ask(AskReadings{}, Seconds(60));  // wakes it
  EXPECT_TRUE(becomes_stopped(one, false));
  EXPECT_TRUE(becomes_stopped(other, true));
  workers.pause_all();
  EXPECT_TRUE(becomes_stopped(one, true));
}

TEST(Workers, ABackendRestsOnceBeforeItsWorkerIsStopped) {
  const scripted::Script script;
  const Plugin first = script.plugin("first"), second = script.plugin("second");
  Interrupt interrupt;
  Workers workers(worker_processes({}, interrupt));
  const int one = process_of(workers, first);
  workers.running(&second);
  workers.pause_all();
  workers.pause_all();
  workers.running(&first).ask(AskReadings{}, Seconds(60));
  std::vector<std::string> of_the_first;
  for (const scripted::Asked& asked : script.asked())
    if (asked.process == one) of_the_first.push_back(asked.what);
  EXPECT_EQ(of_the_first, (std::vector<std::string>{"open", "rest", "readings"}));
}

TEST(Workers, ADiscardedWorkerIsFollowedByAFreshOne) {
  const scripted::Script script;
  const Plugin plugin = script.plugin("scripted");
  Interrupt interrupt;
  Workers workers(worker_processes({}, interrupt));
  const int before = process_of(workers, plugin);
  workers.discard(&plugin);
  EXPECT_NE(process_of(workers, plugin), before);
}

}  // namespace
}  // namespace breakeven
