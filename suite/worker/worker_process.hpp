// SPDX-License-Identifier: Apache-2.0
// A worker as its parent sees it: a process that holds one plugin, answers one request at a time,
// and may crash, hang or print without harm to the run.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "suite/registry/setting.hpp"
#include "suite/worker/interrupt.hpp"

namespace breakeven {

using Seconds = std::chrono::duration<double>;

// The worker is gone; `reason` says how, in one line.
struct WorkerEnded : std::runtime_error {
  enum class How { crashed, hung, out_of_memory };
  WorkerEnded(How what, const std::string& reason, std::string printed)
      : std::runtime_error(reason), how(what), output(std::move(printed)) {}
  How how;
  std::string output;  // what it printed last
};

struct WorkerStart {
  std::filesystem::path plugin;  // empty: a worker that knows only the machine
  std::vector<Setting> settings;
  std::map<std::string, std::string> environment;  // set on top of the parent's
};

class WorkerProcess {
 public:
  // Starts the process; it answers the first request when its plugin is loaded.
  WorkerProcess(const WorkerStart& start, Interrupt& interrupt);
  // Asks it to leave and ends its whole process group if it does not do so at once.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Blocks until the answer is here. Throws WorkerEnded (crashed, or no answer within `limit`). An
  // interrupt grants a short answer two seconds more, then throws Interrupted; after either
  // exception the worker is of no more use.
  nlohmann::json request(const nlohmann::json& message, Seconds limit);

  // A paused worker uses no processor time. Neither blocks; a request to a paused worker resumes
  // it.
  void pause();
  void resume();

  // What the plugin printed since the last call: the beginning and the end where it is long.
  std::string take_output();

  bool idle() const noexcept;  // alive, and no request is in flight
  int process_id() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace breakeven
