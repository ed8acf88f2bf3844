// SPDX-License-Identifier: Apache-2.0
// What the control group of this process (a container's, a batch system's) grants, and when it has
// stopped the process for using more. Version 2, and version 1 below it: cgroups(7).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace breakeven {

class ControlGroup {
 public:
  // `root` is where /proc and /sys are.
  explicit ControlGroup(const std::filesystem::path& root = "/");

  // Processors' worth of time, the least that this group or one above it grants. None: no limit.
  std::optional<double> quota() const;

  // Bytes that its processes may still take, the least of this group and those above it. None: no
  // limit.
  std::optional<double> free_memory() const;

  // Time that the processes of this group have been stopped for it, ever. None: not told.
  std::optional<double> throttled_ns() const;

 private:
  // From the group's own folder up to the mount's; empty where there is no such hierarchy.
  std::vector<std::filesystem::path> version_1_, version_1_memory_, version_2_;
};

}  // namespace breakeven
