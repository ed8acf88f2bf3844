// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

#include "suite/registry/discovery.hpp"

namespace breakeven {
namespace {

namespace process = boost::process;
using Time = std::chrono::steady_clock;

constexpr auto look_again = std::chrono::milliseconds(2);  // for a child whose pipes stay open

// No other child inherits either end.
process::pipe private_pipe() {
  process::pipe pipe;
  for (const int end : {pipe.native_source(), pipe.native_sink()}) fcntl(end, F_SETFD, FD_CLOEXEC);
  fcntl(pipe.native_source(), F_SETFL, O_NONBLOCK);
  return pipe;
}

class Child {
 public:
  explicit Child(const ChildStart& start)
      : child_(process::exe = (start.program.empty() ? program_file() : start.program).string(),
               process::args = start.arguments, (process::std_in < process::null),
               process::std_out > output_, process::std_err > errors_, group_) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!ended_) end(false);
  }

  // What to wait for; a negative number is nothing.
  std::array<pollfd, 2> pipes() const {
    return {pollfd{output_open_ ? output_.native_source() : -1, POLLIN, 0},
            pollfd{errors_open_ ? errors_.native_source() : -1, POLLIN, 0}};
  }

  // Reads what there is. True: the child has ended, or its time is over.
  bool advance(std::chrono::milliseconds time_limit) {
    std::error_code error;
    const bool running = child_.running(error);
    drain(output_, end_.output, output_open_);
    drain(errors_, end_.errors, errors_open_);
    if (running && Time::now() - start_ < time_limit) return false;
    end(!running);
    return true;
  }

  ChildEnd result() const { return end_; }

 private:
  static void drain(process::pipe& pipe, std::string& into, bool& open) {
    std::array<char, 4096> part;
    while (open) {
      const auto bytes = ::read(pipe.native_source(), part.data(), part.size());
      if (bytes > 0) {
        if (into.size() < most_output) into.append(part.data(), static_cast<std::size_t>(bytes));
      } else {
        if (bytes < 0 && errno == EINTR) continue;
        open = bytes < 0 && errno == EAGAIN;
        return;
      }
    }
  }

  void end(bool in_time) {
    ended_ = true;
    std::error_code ignored;
    group_.terminate(ignored);  // also what the child has left behind
    child_.wait(ignored);
    const int status = child_.native_exit_code();
    end_.in_time = in_time;
    end_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end_.seconds = std::chrono::duration<double>(Time::now() - start_).count();
  }

  process::pipe output_ = private_pipe(), errors_ = private_pipe();
  process::group group_;
  process::child child_;
  Time::time_point start_ = Time::now();
  ChildEnd end_;
  bool output_open_ = true, errors_open_ = true, ended_ = false;
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
  if (end.signal != 0) {
    const char* const name = sigabbrev_np(end.signal);
    return name ? fmt::format("crashed (SIG{})", name) : fmt::format("crashed ({})", end.signal);
  }
  return fmt::format("ended the process with status {}", end.exit_status);
}

}  // namespace breakeven
