// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/origins.hpp"

#include <filesystem>
#include <map>

namespace breakeven {

std::vector<Origin> origins_of(std::span<const Report> reports) {
  std::map<std::string, std::size_t> of_machine, of_stem;
  const auto stem = [](const Report& report) {
    return std::filesystem::path(report.path()).stem().string();
  };
  for (const auto& report : reports) {
    ++of_stem[stem(report)];
    for (const auto& machine : report.machines()) {
      ++of_machine[machine];
    }
  }
  std::vector<Origin> origins;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    auto file = stem(reports[i]);
    if (of_stem[file] > 1) {  // `before/run`, or the place in the command
      const auto folder = std::filesystem::path(reports[i].path()).parent_path().filename();
      file = (folder.empty() ? std::to_string(i + 1) : folder.string()) + "/" + file;
    }
    for (const auto& machine : reports[i].machines()) {
      origins.push_back(
          {i, machine, of_machine[machine] == 1 ? machine : machine + " (" + file + ")"});
    }
  }
  return origins;
}

std::string file_name_of(const Report& report) {
  return std::filesystem::path(report.path()).filename().string();
}

}  // namespace breakeven
