// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "suite/protocol/bounded_text.hpp"
#include "suite/protocol/line_channel.hpp"
#include "suite/registry/child_process.hpp"

namespace breakeven {

using namespace std::chrono_literals;

namespace {

// How long a worker may be gone before that is noticed, where its end of the pipe stays open.
constexpr std::chrono::milliseconds look_again = 1s;
constexpr Seconds limit_of_rest{10};

// How many processes the kernel has ended for want of memory, on the machine or in this container.
long out_of_memory_kills() {
  for (const char* path : {"/sys/fs/cgroup/memory.events", "/proc/vmstat"}) {
    std::ifstream file(path);
    std::string name;
    long value = 0;
    while (file >> name >> value)
      if (name == "oom_kill") return value;
  }
  return 0;
}

}  // namespace

struct WorkerProcess::State {
  State(Interrupt& source) : interrupt(source), oom_kills_before(out_of_memory_kills()) {}

  Interrupt& interrupt;
  long oom_kills_before;
  Descriptor to_worker, from_worker, output;
  LineReader answers;
  BoundedText printed{4096};
  std::optional<ChildProcess> child;
  bool paused = false;
  bool asked = false;  // a request is in flight
  bool ended = false;
  std::optional<WorkerEnded> end;  // how it ended while it was told to rest

  void resume() noexcept {
    if (!ended && std::exchange(paused, false)) child->signal_group(SIGCONT);
  }

  void drain_output() {
    std::array<char, 4096> chunk;
    for (;;) {
      const ssize_t got = read(output.number(), chunk.data(), chunk.size());
      if (got <= 0) {
        if (got == 0) output.reset();
        return;
      }
      printed.append({chunk.data(), static_cast<std::size_t>(got)});
    }
  }

  int reap(std::chrono::milliseconds patience) {
    ended = true;
    return child->reap(patience);
  }

  std::optional<nlohmann::json> next_answer() {
    try {
      return answers.next();
    } catch (const std::runtime_error& error) {
      fail_garbled(error.what());
    }
  }

  void read_answers() {
    try {
      if (answers.fill(from_worker.number())) return;
    } catch (const std::runtime_error& error) {
      fail_garbled(error.what());
    }
    fail_gone();
  }

  // A plugin shares the worker's descriptors: what it writes there ends the worker, not the run.
  [[noreturn]] void fail_garbled(const char* why) {
    reap(0ms);
    if (output) drain_output();
    throw WorkerEnded(Status::crashed, fmt::format("the worker answered nonsense: {}", why),
                      printed.take());
  }

  [[noreturn]] void fail_at_rest(const Outcome& outcome) {
    reap(0ms);
    if (output) drain_output();
    throw WorkerEnded(outcome.status, fmt::format("when it was to rest: {}", outcome.reason),
                      printed.take());
  }

  [[noreturn]] void fail_hung(Seconds limit) {
    reap(0ms);
    if (output) drain_output();
    throw WorkerEnded(Status::hung,
                      fmt::format("no answer within {:.3g} s; the worker was ended", limit.count()),
                      printed.take());
  }

  [[noreturn]] void fail_gone() {
    const int status = reap(2s);
    if (output) drain_output();
    if (WIFSIGNALED(status)) {
      const int number = WTERMSIG(status);
      if (number == SIGKILL && out_of_memory_kills() > oom_kills_before)
        throw WorkerEnded(Status::out_of_memory,
                          "the kernel ended the worker because memory ran out", printed.take());
      const std::string name = signal_name(number);
      throw WorkerEnded(Status::crashed,
                        fmt::format("the worker was ended by signal {} ({})", number, name),
                        printed.take());
    }
    throw WorkerEnded(
        Status::crashed,
        fmt::format("the worker left by itself with exit status {}", WEXITSTATUS(status)),
        printed.take());
  }
};

WorkerProcess::WorkerProcess(const WorkerStart& start, Interrupt& interrupt)
    : state_(std::make_unique<State>(interrupt)) {
  Pipe requests = make_pipe(), answers = make_pipe(), output = make_pipe();
  fcntl(output.read.number(), F_SETFL, O_NONBLOCK);

  const std::vector<int> kept{requests.read.number(), answers.write.number()};
  std::vector<std::string> arguments = {"worker", "--channel",
                                        fmt::format("{},{}", kept[0], kept[1])};
  if (!start.plugin.empty()) arguments.insert(arguments.end(), {"--plugin", start.plugin.string()});
  for (const Setting& setting : start.settings)
    arguments.insert(arguments.end(),
                     {"--option", setting.backend + "." + setting.name + "=" + setting.value});
  state_->child.emplace(ChildProcess::Start{.program = start.program,
                                            .arguments = std::move(arguments),
                                            .environment = start.environment,
                                            .output = output.write.number(),
                                            .errors = output.write.number(),
                                            .kept = kept});
  state_->to_worker = std::move(requests.write);
  state_->from_worker = std::move(answers.read);
  state_->output = std::move(output.read);
}

WorkerProcess::~WorkerProcess() {
  if (state_->ended) return;
  state_->resume();
  state_->to_worker.reset();  // the worker leaves when nobody can ask any more
  state_->from_worker.reset();
  state_->reap(state_->asked ? 0ms : 500ms);
}

nlohmann::json WorkerProcess::exchange(const nlohmann::json& message, Seconds limit) {
  if (state_->end) throw WorkerEnded(*std::exchange(state_->end, std::nullopt));
  if (state_->ended) throw std::logic_error("request to a worker that has ended");
  state_->resume();
  state_->asked = true;
  try {
    write_line(state_->to_worker.number(), message);
  } catch (const std::system_error&) {
    state_->fail_gone();
  }
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
  bool interrupted = false;
  for (;;) {
    if (auto answer = state_->next_answer()) {
      if (state_->output) state_->drain_output();
      state_->asked = false;
      return *std::move(answer);
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= 0ms && interrupted) state_->interrupt.check();
    if (left <= 0ms) state_->fail_hung(limit);
    // A negative descriptor is passed over.
    std::array<pollfd, 3> waiting = {
        {{state_->from_worker.number(), POLLIN, 0},
         {interrupted ? -1 : state_->interrupt.descriptor(), POLLIN, 0},
         {state_->output.number(), POLLIN, 0}}};
    // What the plugin started may hold the pipe open when the worker is gone.
    const bool is_gone = state_->child->has_ended();
    poll(waiting.data(), waiting.size(),
         is_gone ? 0 : static_cast<int>(std::min(left, look_again).count()));
    if (is_gone && waiting[0].revents == 0) state_->fail_gone();
    if (waiting[1].revents != 0) {
      interrupted = true;
      state_->interrupt.notice();
      deadline = std::min(deadline, std::chrono::steady_clock::now() + 2s);
    }
    if (waiting[2].revents != 0 && state_->output) state_->drain_output();
    if (waiting[0].revents != 0) state_->read_answers();
  }
}

void WorkerProcess::pause() {
  if (state_->ended || state_->paused) return;
  try {
    if (!state_->asked)
      if (const auto reply = ask(Rest{}, limit_of_rest); !reply.ok())
        state_->fail_at_rest(reply.outcome);
  } catch (const WorkerEnded& end) {
    state_->end = end;
    return;
  } catch (const BadAnswer&) {  // the next answer will be none either
  }
  state_->paused = true;
  state_->child->signal_group(SIGSTOP);
  siginfo_t ignored;  // one that has ended meanwhile says so at the next request
  while (waitid(P_PID, static_cast<id_t>(state_->child->id()), &ignored,
                WSTOPPED | WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

std::string WorkerProcess::take_output() {
  return state_->printed.take();
}

bool WorkerProcess::idle() const noexcept {
  return !state_->ended && !state_->asked;
}

int WorkerProcess::process_id() const noexcept {
  return state_->child->id();
}

}  // namespace breakeven
