// SPDX-License-Identifier: Apache-2.0
// A worker in a process of its own: it may crash, hang or print without harm to the run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/protocol/interrupt.hpp"
#include "suite/protocol/worker_client.hpp"

namespace breakeven {

// The worker is gone, and how: crashed, hung or out of memory; what() says more in one line.
struct WorkerEnded : std::runtime_error {
  WorkerEnded(Status how, const std::string& reason, std::string printed)
      : std::runtime_error(reason), status(how), output(std::move(printed)) {}
  Status status;
  std::string output;  // what it printed last
};

struct WorkerStart {
  std::filesystem::path program;  // empty: this one
  std::filesystem::path plugin;   // empty: a worker that knows only the machine
  std::vector<Setting> settings;
  std::map<std::string, std::string> environment;  // set on top of the parent's
};

class WorkerProcess final : public WorkerClient {
 public:
  // Starts the process; it answers the first request when its plugin is loaded.
  WorkerProcess(const WorkerStart& start, Interrupt& interrupt);
  // Asks it to leave and ends its whole process group if it does not do so at once.
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void pause() override;
  bool idle() const noexcept override;
  std::string take_output() override;
  int process_id() const noexcept;

 private:
  // Throws WorkerEnded (no answer within `limit` is a hang). An interrupt grants a short answer two
  // seconds more, then throws Interrupted. A request to a paused worker resumes it.
  nlohmann::json exchange(const nlohmann::json& message, Seconds limit) override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace breakeven
