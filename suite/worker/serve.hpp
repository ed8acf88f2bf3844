// SPDX-License-Identifier: Apache-2.0
// The worker's side: loads one plugin, then answers requests until nobody can ask any more.
//
// Requests, each answered by one object with a `status` of the report's set and, unless it is ok, a
// `reason`:
//   open                              loads the plugin and creates its backend
//   prepare  id key seed budget_ns    makes a case ready, verifies it, warms it up
//   visit    id samples noise         a block of samples, then, unless `noise` is false, what the
//                                     noise watch reads
//   noise                             that reading alone, before the first visit
//   finish   id                       checks the last timed output and drops the case
//   drop     id                       drops the case
//   readings device                   what the device and the host say about this moment
//   ceilings device names             what the backend can reach; without a plugin, the machine:
//                                     all it can, or, of these names, what it can just now
#pragma once

#include <filesystem>
#include <vector>

#include "suite/registry/setting.hpp"

namespace breakeven {

struct ServeOptions {
  std::filesystem::path plugin;  // empty: none
  std::vector<Setting> settings;
  int requests = 0, answers = 1;  // descriptors
};

// Leaves by _exit: destructors of static objects of a plugin never run.
[[noreturn]] void serve(const ServeOptions& options);

}  // namespace breakeven
