// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "suite/registry/discovery.hpp"

namespace breakeven {

namespace {

namespace bp = boost::process;

// The environment is set here: bp::environment of Boost 1.74 reads beyond its strings.
struct Setup : bp::extend::handler {
  Setup(const std::vector<int>& descriptors, std::vector<char*> variables)
      : kept(descriptors), environment(std::move(variables)) {}
  std::vector<int> kept;
  std::vector<char*> environment;

  template <typename Executor>
  void on_setup(Executor& executor) {
    executor.env = environment.data();
  }

  template <typename Executor>
  void on_exec_setup(Executor&) const {
    for (const int descriptor : kept) fcntl(descriptor, F_SETFD, 0);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
  }
};

// The parent's variables, `set` on top of them. Google Benchmark's own are left out: they would
// change what a visit does.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& set) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with("BENCHMARK_") && !set.contains(name)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : set) variables.push_back(name + "=" + value);
  return variables;
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

ChildProcess::ChildProcess(const Start& start) {
  std::vector<std::string> environment = environment_with(start.environment);
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  const std::filesystem::path program = start.program.empty() ? program_file() : start.program;
  try {
    bp::child child(bp::exe = program.string(), bp::args = start.arguments, bp::std_in < bp::null,
                    bp::posix::fd.bind(STDOUT_FILENO, start.output),
                    bp::posix::fd.bind(STDERR_FILENO, start.errors), Setup(start.kept, variables));
    id_ = child.id();
    child.detach();
  } catch (const bp::process_error& error) {
    if (error.code() == std::errc::too_many_files_open) throw std::system_error(error.code());
    throw std::runtime_error(fmt::format("a process could not be started: {}", error.what()));
  }
}

ChildProcess::~ChildProcess() {
  reap(std::chrono::milliseconds(0));
}

void ChildProcess::signal_group(int number) const noexcept {
  kill(-id_, number);
}

bool ChildProcess::has_ended() const noexcept {
  siginfo_t info{};
  return is_reaped_ ||
         (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid != 0);
}

// Polls, since a child that closed its pipe may still be on its way out.
int ChildProcess::reap(std::chrono::milliseconds patience) noexcept {
  if (is_reaped_) return status_;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (waitpid(id_, &status_, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      signal_group(SIGKILL);
      waitpid(id_, &status_, 0);
      break;
    }
    poll(nullptr, 0, 1);
  }
  signal_group(SIGKILL);
  is_reaped_ = true;
  return status_;
}

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : std::to_string(number);
}

}  // namespace breakeven
