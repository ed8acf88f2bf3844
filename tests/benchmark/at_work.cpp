// SPDX-License-Identifier: Apache-2.0
#include "at_work.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "arguments.hpp"

namespace breakeven {

namespace {

// What both processes see.
struct Shared {
  bool returned;
  int status;
  char name[200];  // of who is at work; empty: the program itself
};

Shared* seen = nullptr;

}  // namespace

int run_apart(const char* program, const std::function<int()>& work) {
  void* const page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) seen = static_cast<Shared*>(page);
  const pid_t parent = getpid(), child = seen ? fork() : -1;
  if (child < 0) {
    std::fprintf(stderr, "%s: there is no room for a process; end some others\n", program);
    return 1;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    seen->status = work();
    seen->returned = true;
    _exit(0);
  }
  int end = 0;
  waitpid(child, &end, 0);
  if (seen->returned) return seen->status;
  std::fprintf(stderr, "%s: %s%s%s\n", program, seen->name, *seen->name ? ": " : "",
               WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "it ended the program");
  return 1;
}

void at_work(const std::string& name, const std::function<void()>& work) {
  const auto tell = [](const std::string& text) {
    if (seen) seen->name[text.copy(seen->name, sizeof seen->name - 1)] = '\0';
  };
  tell(name);
  try {
    work();
  } catch (const std::exception& error) {
    throw std::runtime_error(name + ": " + line_of(error));
  }
  tell("");
}

}  // namespace breakeven
