// SPDX-License-Identifier: Apache-2.0
// Whose rows these are, where several reports are read: a machine, or one report of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

// Two reports of a machine are as far apart as two machines: other builds, other days.
struct Origin {
  std::size_t report = 0;
  std::string machine;
  std::string name;  // the machine where it is in one report only, else with the file's name
};

// In the order of the reports.
std::vector<Origin> origins_of(std::span<const Report> reports);

// The last part of the path, for pages that leave the machine.
std::string file_name_of(const Report& report);

}  // namespace breakeven
