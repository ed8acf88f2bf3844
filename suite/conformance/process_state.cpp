// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/process_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <filesystem>
#include <iterator>
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
