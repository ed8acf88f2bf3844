// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace breakeven {
namespace {

namespace fs = std::filesystem;

bool lists(const std::string& comma_separated, const std::string& word) {
  return ("," + comma_separated + ",").find("," + word + ",") != std::string::npos;
}

// From /proc/self/cgroup, lines `number:controllers:path`; version 2 has no controllers.
std::optional<std::string> group_path(const fs::path& root, const std::string& controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// The group's own folder, then those above it; version 2 where no controller of version 1 is named.
// From /proc/self/mountinfo: `id parent device root mount-point options [tags] - type source
// options`.
std::vector<fs::path> folders(const fs::path& root, const std::string& controller = {}) {
  const auto path = group_path(root, controller);
  if (!path) return {};
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::string skip, mount_root, mount_point, type, source, options;
    std::istringstream(line) >> skip >> skip >> skip >> mount_root >> mount_point;
    std::istringstream(line.substr(dash + 3)) >> type >> source >> options;
    if (controller.empty() ? type != "cgroup2" : type != "cgroup" || !lists(options, controller))
      continue;

    const fs::path mount = root / fs::path(mount_point).relative_path();
    // What is mounted may begin below the hierarchy's root, as in a container.
    std::string below = *path;
    if (mount_root != "/") {
      below = below.starts_with(mount_root) ? below.substr(mount_root.size()) : std::string();
    }
    std::vector<fs::path> result;
    fs::path relative = fs::path(below).relative_path();
    for (; !relative.empty(); relative = relative.parent_path()) result.push_back(mount / relative);
    result.push_back(mount);
    return result;
  }
  return {};
}

// `max 100000` or `150000 100000`, microseconds.
std::optional<double> quota_2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> quota_1(const fs::path& folder) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us"), period_file(folder / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> number(const fs::path& file_name) {
  std::ifstream file(file_name);
  double value = 0;
  if (!(file >> value)) return std::nullopt;  // `max`
  return value;
}

std::optional<double> statistic(const fs::path& file_name, const std::string& name) {
  std::ifstream file(file_name);
  std::string key;
  double value = 0;
  while (file >> key >> value) {
    if (key == name) return value;
  }
  return std::nullopt;
}

// What a group may still take; the pages of files that were read are given back first.
std::optional<double> free_memory_of(const fs::path& limit, const fs::path& used,
                                     const fs::path& statistics, const std::string& pages) {
  const auto most = number(limit), now = number(used);
  if (!most || !now) return std::nullopt;
  return std::max(0.0, *most - *now + statistic(statistics, pages).value_or(0));
}

}  // namespace

ControlGroup::ControlGroup(const fs::path& root)
    : version_1_(folders(root, "cpu")),
      version_1_memory_(folders(root, "memory")),
      version_2_(folders(root)) {}

std::optional<double> ControlGroup::free_memory() const {
  std::optional<double> least;
  const auto take = [&](std::optional<double> bytes) {
    if (bytes) least = std::min(*bytes, least.value_or(*bytes));
  };
  for (const fs::path& folder : version_2_)
    take(free_memory_of(folder / "memory.max", folder / "memory.current", folder / "memory.stat",
                        "inactive_file"));
  for (const fs::path& folder : version_1_memory_)
    take(free_memory_of(folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes",
                        folder / "memory.stat", "total_inactive_file"));
  return least;
}

std::optional<double> ControlGroup::quota() const {
  std::optional<double> least;
  const auto take = [&](std::optional<double> quota) {
    if (quota) least = std::min(*quota, least.value_or(*quota));
  };
  for (const fs::path& folder : version_2_) take(quota_2(folder));
  for (const fs::path& folder : version_1_) take(quota_1(folder));
  return least;
}

std::optional<double> ControlGroup::throttled_ns() const {
  std::optional<double> most;
  const auto take = [&](std::optional<double> ns) {
    if (ns) most = std::max(*ns, most.value_or(*ns));
  };
  for (const fs::path& folder : version_2_) {
    const auto microseconds = statistic(folder / "cpu.stat", "throttled_usec");
    if (microseconds) take(*microseconds * 1e3);
  }
  for (const fs::path& folder : version_1_) take(statistic(folder / "cpu.stat", "throttled_time"));
  return most;
}

}  // namespace breakeven
