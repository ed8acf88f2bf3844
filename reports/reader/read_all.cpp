// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/read_all.hpp"

#include <ostream>

namespace breakeven {

std::vector<Report> read_all(const std::vector<std::string>& paths, std::ostream& notes) {
  std::vector<Report> reports;
  for (const auto& path : paths) {
    reports.push_back(Report::read(path));
    for (const auto& note : reports.back().notes()) {
      notes << "note: " << path;
      if (note.line > 0) {
        notes << ':' << note.line;
      }
      notes << ": " << note.text << '\n';
    }
  }
  return reports;
}

}  // namespace breakeven
