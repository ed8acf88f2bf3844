// SPDX-License-Identifier: Apache-2.0
#include "suite/worker/interrupt.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace breakeven {

namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupted::Interrupted(int number)
    : std::runtime_error(number == SIGINT ? "interrupted" : "terminated"), signal(number) {}

Interrupt::Interrupt() {
  const sigset_t set = watched_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Interrupt::~Interrupt() {
  close(descriptor_);
}

void Interrupt::check() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return;
  const sigset_t set = watched_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  throw Interrupted(static_cast<int>(info.ssi_signo));
}

}  // namespace breakeven
