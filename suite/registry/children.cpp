// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "suite/registry/child_process.hpp"

namespace breakeven {
namespace {

using Time = std::chrono::steady_clock;

constexpr auto look_again = std::chrono::milliseconds(2);  // for a child whose pipes stay open

class Child {
 public:
  explicit Child(const ChildStart& start)
      : process_({.program = start.program,
                  .arguments = start.arguments,
                  .output = output_.write.number(),
                  .errors = errors_.write.number()}) {
    for (Pipe* pipe : {&output_, &errors_}) {
      pipe->write.reset();
      fcntl(pipe->read.number(), F_SETFL, O_NONBLOCK);
    }
  }

  // What to wait for; a negative number is nothing.
  std::array<pollfd, 2> pipes() const {
    return {pollfd{output_.read.number(), POLLIN, 0}, pollfd{errors_.read.number(), POLLIN, 0}};
  }

  // Reads what there is. True: the child has ended, or its time is over.
  bool advance(std::chrono::milliseconds time_limit) {
    const bool has_ended = process_.has_ended();
    drain(output_.read, end_.output);
    drain(errors_.read, end_.errors);
    if (!has_ended && Time::now() - start_ < time_limit) return false;
    const int status = process_.reap(std::chrono::milliseconds(0));
    end_.in_time = has_ended;
    end_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end_.seconds = std::chrono::duration<double>(Time::now() - start_).count();
    return true;
  }

  ChildEnd result() const { return end_; }

 private:
  static void drain(Descriptor& pipe, std::string& into) {
    std::array<char, 4096> part;
    while (pipe) {
      const auto bytes = ::read(pipe.number(), part.data(), part.size());
      if (bytes > 0) {
        if (into.size() < most_output) into.append(part.data(), static_cast<std::size_t>(bytes));
      } else {
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes == 0 || errno != EAGAIN) pipe.reset();
        return;
      }
    }
  }

  Pipe output_ = make_pipe(), errors_ = make_pipe();
  ChildProcess process_;
  Time::time_point start_ = Time::now();
  ChildEnd end_;
};

}  // namespace

std::vector<ChildEnd> run_children(std::span<const ChildStart> starts,
                                   std::chrono::milliseconds time_limit, std::size_t at_once) {
  std::vector<ChildEnd> ends(starts.size());
  std::vector<std::pair<std::size_t, std::unique_ptr<Child>>> running;
  std::size_t next = 0;
  while (next < starts.size() || !running.empty()) {
    for (; next < starts.size() && running.size() < at_once; ++next)
      running.emplace_back(next, std::make_unique<Child>(starts[next]));
    std::vector<pollfd> pipes;
    for (const auto& [index, child] : running)
      for (const pollfd& pipe : child->pipes()) pipes.push_back(pipe);
    ::poll(pipes.data(), pipes.size(), static_cast<int>(look_again.count()));
    std::erase_if(running, [&](auto& entry) {
      auto& [index, child] = entry;
      if (!child->advance(time_limit)) return false;
      ends[index] = child->result();
      return true;
    });
  }
  return ends;
}

std::string describe(const ChildEnd& end) {
  if (!end.in_time) return fmt::format("gave no answer within {:.0f} s", end.seconds);
  if (end.signal != 0) return fmt::format("crashed ({})", signal_name(end.signal));
  return fmt::format("ended the process with status {}", end.exit_status);
}

}  // namespace breakeven
