// SPDX-License-Identifier: Apache-2.0
// This program, or another build of it, as a process of its own, with what it starts.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "suite/registry/descriptor.hpp"

namespace breakeven {

struct Pipe {
  Descriptor read, write;  // closed in every child that is not given them
};

Pipe make_pipe();  // throws std::system_error

// It has a process group of its own, /dev/null to read, no blocked signals, and dies with the
// parent.
class ChildProcess {
 public:
  struct Start {
    std::filesystem::path program = {};  // empty: this one
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> environment = {};  // set on top of the parent's
    int output = -1, errors = -1;                         // where it writes
    std::vector<int> kept = {};                           // descriptors that it gets beside these
  };

  // Throws std::system_error where there are too few descriptors, else std::runtime_error.
  explicit ChildProcess(const Start& start);
  // Ends what is left of the group.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int id() const noexcept { return id_; }
  void signal_group(int number) const noexcept;
  bool has_ended() const noexcept;
  // Waits so long, then kills it; ends what is left of the group. The status as waitpid() has it,
  // also when called again.
  int reap(std::chrono::milliseconds patience) noexcept;

 private:
  int id_ = 0, status_ = 0;
  bool is_reaped_ = false;
};

// `SIGSEGV`, or its number.
std::string signal_name(int number);

}  // namespace breakeven
