// SPDX-License-Identifier: Apache-2.0
// A worker as its parent sees it: a process, or one in this process that cannot be stopped.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "suite/protocol/messages.hpp"
#include "suite/protocol/worker.hpp"

namespace breakeven {

using Seconds = std::chrono::duration<double>;

class WorkerClient {
 public:
  virtual ~WorkerClient() = default;

  // Asks, and blocks until the answer is here. What it throws beside BadAnswer is up to the
  // implementation; after an exception the worker is of no more use.
  template <typename Request>
  Reply<typename Request::Answer> ask(const Request& request, Seconds limit);

  // Between pause and the next request nothing of the worker runs, nor of its backend elsewhere.
  // Blocks until it stands still. A worker that fails in it says so at the next request.
  virtual void pause() = 0;

  // Alive, and no request is in flight.
  virtual bool idle() const noexcept = 0;

  // What the plugin printed since the last call: the beginning and the end where it is long.
  virtual std::string take_output() = 0;

 private:
  virtual nlohmann::json exchange(const nlohmann::json& request, Seconds limit) = 0;
};

// In this process: a crash is the program's, nothing is stopped, and no limit is kept.
class InProcessWorker final : public WorkerClient {
 public:
  explicit InProcessWorker(Worker& worker) : worker_(worker) {}
  void pause() override {}
  bool idle() const noexcept override { return true; }
  std::string take_output() override { return {}; }

 private:
  nlohmann::json exchange(const nlohmann::json& request, Seconds) override;

  Worker& worker_;
};

}  // namespace breakeven
