// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/read_all.hpp"

#include "reports/text/lines.hpp"

namespace breakeven {

std::vector<Report> read_all(const std::vector<std::string>& paths) {
  std::vector<Report> reports;
  for (const auto& path : paths) {
    reports.push_back(Report::read(path));
    for (const auto& note : reports.back().notes()) {
      print_line(stderr, "note: " + path + (note.line > 0 ? ":" + std::to_string(note.line) : "") +
                             ": " + note.text);
    }
  }
  return reports;
}

}  // namespace breakeven
