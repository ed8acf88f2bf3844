// SPDX-License-Identifier: Apache-2.0
// changes one thing in its process, the one that the option `what` names
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <ctime>
#include <map>

#include "tests/bad_plugins/sound.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

using namespace breakeven;

void take_denormal_numbers_as_zero() {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24);
#endif
}

void use_one_processor() {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof all, &all);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void handle_a_signal() {
  signal(SIGUSR2, [](int) {});
}

void block_a_signal() {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

constexpr std::time_t hour = 3600;

void start_interval_timer() {
  const itimerval in_an_hour{{0, 0}, {hour, 0}};
  setitimer(ITIMER_REAL, &in_an_hour, nullptr);
}

void start_posix_timer() {
  timer_t timer{};
  sigevent nothing{};
  nothing.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_MONOTONIC, &nothing, &timer);
  const itimerspec in_an_hour{{0, 0}, {hour, 0}};
  timer_settime(timer, 0, &in_an_hour, nullptr);
}

const std::map<std::string_view, void (*)()> disturbances = {
    {"rounding", [] { std::fesetround(FE_UPWARD); }},
    {"denormal-numbers", take_denormal_numbers_as_zero},
    {"traps", [] { feenableexcept(FE_DIVBYZERO); }},
    {"processors", use_one_processor},
    {"priority", [] { setpriority(PRIO_PROCESS, 0, 5); }},
    {"handler", handle_a_signal},
    {"mask", block_a_signal},
    {"interval-timer", start_interval_timer},
    {"posix-timer", start_posix_timer},
    {"locale", [] { std::setlocale(LC_ALL, "C.UTF-8"); }},
    {"folder", [] { static_cast<void>(!chdir("/")); }},
    {"environment", [] { setenv("OMP_NUM_THREADS", "1", 1); }},
};

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    if (operation.as<Gemm>() && disturb) disturb();
    return SoundQueue::prepare_any(operation);
  }

  static inline void (*disturb)() = nullptr;
};

class BadBackend final : public zoo::SoundBackend<zoo::SoundDevice<BadQueue>> {
 public:
  explicit BadBackend(std::string_view what) {
    if (const auto found = disturbances.find(what); found != disturbances.end())
      BadQueue::disturb = found->second;
    if (what == "spinning")
      spinner_ = std::thread([this] {
        while (!ended_) {
        }
      });
    const pid_t parent = getpid();
    if (what == "processes" && fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(0);  // it ended before it was asked for
      setsid();
      for (;;) pause();
    }
  }
  ~BadBackend() override {
    ended_ = true;
    if (spinner_.joinable()) spinner_.join();
  }

 private:
  std::atomic<bool> ended_ = false;
  std::thread spinner_;
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<BadBackend>(settings.empty() ? "" : settings.front().value);
}

constexpr std::array<Option, 1> options{{{"what", "what it changes", "", ""}}};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "disturbs",
    .version = "0.1.0",
    .description = "changes one thing in its process, the one that the option `what` names",
    .options = options,
    .create = create,
};
