// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

// Reads the reports and tells their notes, one line each: `FILE:LINE: note`. Throws ReportError.
std::vector<Report> read_all(const std::vector<std::string>& paths);

}  // namespace breakeven
