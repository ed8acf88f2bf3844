// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <system_error>
#include <utility>

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

void Interrupt::notice() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return;
  noticed_ = static_cast<int>(info.ssi_signo);
  const sigset_t set = watched_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::check() {
  notice();
  if (const int number = std::exchange(noticed_, 0)) throw Interrupted(number);
}

void Interrupt::sleep(double seconds) {
  pollfd watched{descriptor_, POLLIN, 0};
  poll(&watched, 1, static_cast<int>(std::ceil(std::max(0.0, seconds) * 1e3)));
  check();
}

}  // namespace breakeven
