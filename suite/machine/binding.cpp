// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/binding.hpp"

#include <cstdlib>
#include <map>
#include <system_error>

#include "suite/machine/text_file.hpp"

namespace breakeven {

std::string observed_binding(const std::filesystem::path& root) {
  std::map<std::string, std::size_t> threads;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(root / "proc/self/task", error)) {
    // A thread may have ended since.
    if (const auto list = entry(task.path() / "status", "Cpus_allowed_list", ':')) ++threads[*list];
  }
  std::string result;
  for (const auto& [list, count] : threads) {
    result += result.empty() ? "" : ";";
    result += count == 1 ? list : list + "*" + std::to_string(count);
  }
  return result.empty() ? "NA" : result;
}

cpu_set_t processors_of_process() {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const int id = std::atoi(thread.path().filename().c_str());
    if (::sched_getaffinity(id, sizeof one, &one) == 0) CPU_OR(&all, &all, &one);
  }
  return all;
}

}  // namespace breakeven
