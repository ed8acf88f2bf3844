// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/process_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

namespace breakeven::conformance {
namespace {

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

ProcessState ProcessState::now() {
  const auto heap = mallinfo2();
  return {.heap_bytes = heap.uordblks + heap.hblkhd,
          .threads = entries("/proc/self/task"),
          .descriptors = entries("/proc/self/fd")};
}

ProcessState ProcessState::settled(const ProcessState& before, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  auto state = now();
  while (state.threads > before.threads && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state = now();
  }
  return state;
}

std::vector<Descendant> descendants() {
  std::map<pid_t, pid_t> parents;
  std::vector<Descendant> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    // The name in parentheses may hold anything. Then: state, parent, nine others, user and system
    // time.
    const std::size_t open = std::min(line.size(), line.find('(')), close = line.rfind(')');
    if (close == line.npos || close < open) continue;
    std::istringstream rest(line.substr(close + 1));
    char state = 0;
    rest >> state;
    std::vector<double> numbers;
    for (double number = 0; numbers.size() < 12 && rest >> number;) numbers.push_back(number);
    if (numbers.size() < 12) continue;
    const pid_t process = std::atoi(entry.path().filename().c_str());
    parents[process] = static_cast<pid_t>(numbers[0]);
    if (state != 'Z' && state != 'X')
      all.push_back({process, line.substr(open + 1, close - open - 1),
                     (numbers[10] + numbers[11]) / static_cast<double>(sysconf(_SC_CLK_TCK))});
  }
  std::erase_if(all, [&](const Descendant& one) {
    pid_t ancestor = parents[one.process];
    while (ancestor > 1 && ancestor != getpid()) ancestor = parents[ancestor];
    return ancestor != getpid();
  });
  return all;
}

std::string growth(const ProcessState& before, const ProcessState& after,
                   std::size_t ignored_bytes) {
  std::vector<std::string> grown;
  if (after.heap_bytes > before.heap_bytes + ignored_bytes)
    grown.push_back(fmt::format("{} bytes of heap", after.heap_bytes - before.heap_bytes));
  if (after.threads > before.threads)
    grown.push_back(fmt::format("{} threads", after.threads - before.threads));
  if (after.descriptors > before.descriptors)
    grown.push_back(fmt::format("{} descriptors", after.descriptors - before.descriptors));
  return fmt::format("{}", fmt::join(grown, ", "));
}

}  // namespace breakeven::conformance
