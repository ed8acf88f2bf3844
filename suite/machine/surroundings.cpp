// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/surroundings.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <system_error>

#include "suite/machine/environment.hpp"
#include "suite/machine/text_file.hpp"

namespace breakeven {
namespace {

constexpr std::string_view
    mode = "put it back before create and every call return; -ffast-math in a link sets it too",
    priority = "leave it to the user", signals = "put it back before every call returns",
    timers = "stop it before every call returns", processors = "bind your own threads",
    locale = "use newlocale and uselocale, and go back", folder = "use absolute paths",
    environment = "name it in Manifest::environment";

constexpr int real_time = -100, last = 19;  // before and behind all that is nice

std::string rounding() {
  switch (std::fegetround()) {
    case FE_TONEAREST:
      return "to nearest";
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    default:
      return "toward zero";
  }
}

// Of results, or of what is read; `volatile` has it done here and now.
bool takes_denormal_numbers_as_zero() {
  volatile double smallest = std::numeric_limits<double>::min();
  volatile double denormal = std::numeric_limits<double>::denorm_min();
  const volatile double result = smallest * 0.5, read = denormal * 0x1p100;
  return std::bit_cast<std::uint64_t>(double{result}) == 0 ||
         std::bit_cast<std::uint64_t>(double{read}) == 0;
}

// Of a thread, 0 the calling one: the lower, the sooner it runs.
int rank_of(pid_t thread) {
  const int policy = sched_getscheduler(thread);
  if (policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE) return real_time;
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
  return errno == 0 ? nice : last;  // it has ended
}

std::string priority_named(int rank) {
  return rank == real_time ? "real time" : fmt::format("nice {}", rank);
}

int highest_rank() {
  int highest = rank_of(0);
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error))
    highest = std::min(highest, rank_of(std::atoi(task.path().filename().c_str())));
  return highest;
}

// Empty: none, or a library's.
std::string own_handler(const struct sigaction& action, const std::filesystem::path& plugin) {
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return {};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(action.sa_handler), &info) == 0)
    return "code of no file";
  std::error_code error;
  return std::filesystem::equivalent(info.dli_fname, plugin, error) ? "the plugin's" : "";
}

void note_signals(Surroundings& found, const std::filesystem::path& plugin) {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) continue;
    const char* const abbreviation = sigabbrev_np(number);
    const std::string name =
        abbreviation ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", number);
    if (std::string handler = own_handler(action, plugin); !handler.empty())
      found["handler of " + name] = {std::move(handler), signals};
    if (sigismember(&blocked, number) == 1) found[name] = {"blocked", signals};
  }
}

void note_timers(Surroundings& found) {
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    if (getitimer(which, &timer) == 0 &&
        (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0))
      found["interval timer"] = {"running", timers};
  }
  std::size_t count = 0;
  std::ifstream file("/proc/self/timers");  // not on every kernel
  for (std::string line; std::getline(file, line);) count += line.starts_with("ID:");
  if (count > 0) found["timers of timer_create"] = {std::to_string(count), timers};
}

}  // namespace

Surroundings computing_surroundings() {
  Surroundings found = {
      {"rounding", {rounding(), mode}},
      {"denormal numbers", {takes_denormal_numbers_as_zero() ? "zero" : "kept", mode}},
      {"floating-point traps", {fegetexcept() == 0 ? "off" : "on", mode}},
      {"priority", {priority_named(rank_of(0)), priority}},
      {"highest priority of a thread", {priority_named(highest_rank()), priority}}};
  for (const auto& [name, value] : inherited_environment())
    found["variable " + name] = {fmt::format("'{}'", value), environment};
  return found;
}

Surroundings all_surroundings(const std::filesystem::path& plugin) {
  Surroundings found = computing_surroundings();
  note_signals(found, plugin);
  note_timers(found);
  if (auto list = entry("/proc/thread-self/status", "Cpus_allowed_list", ':'))
    found["processors"] = {std::move(*list), processors};
  if (const char* const name = std::setlocale(LC_ALL, nullptr)) found["locale"] = {name, locale};
  if (uselocale(nullptr) != LC_GLOBAL_LOCALE) found["locale of the thread"] = {"its own", locale};
  std::error_code error;
  found["working directory"] = {std::filesystem::current_path(error).string(), folder};
  return found;
}

std::string changes(const Surroundings& before, const Surroundings& now) {
  std::string text;
  const auto note = [&](const std::string& name, std::string_view was, std::string_view is,
                        std::string_view mend) {
    if (was != is)
      text += fmt::format("{}{}: {} before, {} now ({})", text.empty() ? "" : "; ", name, was, is,
                          mend);
  };
  for (const auto& [name, was] : before) {
    const auto is = now.find(name);
    note(name, was.value, is == now.end() ? "none" : is->second.value, was.mend);
  }
  for (const auto& [name, is] : now)
    if (!before.contains(name)) note(name, "none", is.value, is.mend);
  return text;
}

}  // namespace breakeven
