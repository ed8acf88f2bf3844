// SPDX-License-Identifier: Apache-2.0
// A report for programs, and for places that take no page.
#pragma once

#include <string>

#include "reports/html/page.hpp"

namespace breakeven {

// Headlines, answers with the lines of the file they stand on, break-even points, remarks and the
// cases by backends.
std::string report_json(const PageContent& content);
std::string report_markdown(const PageContent& content);

}  // namespace breakeven
