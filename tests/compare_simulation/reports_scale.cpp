// SPDX-License-Identifier: Apache-2.0
// Writes two reports with ROWS rows together, compares them from their files, and prints the time,
// the processor time and the memory that it took: reports_scale [ROWS]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reports/compare/comparison.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace {

using namespace breakeven;

constexpr std::size_t rounds = 5;

void write_report(const std::filesystem::path& file, std::size_t rows, double slowdown) {
  SyntheticRun run;
  run.rounds = rounds;
  run.samples_in_a_visit = 10;
  run.slowdown = slowdown;
  run.seed = slowdown > 1 ? 2 : 1;
  run.run_id = file.stem();
  run.sizes.clear();
  for (std::size_t i = 0; i < rows / rounds; ++i) {
    run.sizes.push_back(64 + i);
  }
  std::ofstream(file, std::ios::binary) << synthetic_report(run);
}

// In a process of its own, so that its memory is that of the comparison.
int compare_files(const std::filesystem::path& before, const std::filesystem::path& after) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Report> reports;
  reports.push_back(Report::read(before));
  reports.push_back(Report::read(after));
  const auto grouped =
      comparison::group_rows(reports, "file", [](std::string_view) { return true; });
  const auto result = comparison::compare(grouped, {});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  fmt::print("{} rows, {} MB: {:.2f} s, {:.2f} s of processor time, {} MB resident, {} verdicts\n",
             reports[0].size() + reports[1].size(),
             (std::filesystem::file_size(before) + std::filesystem::file_size(after)) / 1000000,
             wall.count(), seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss / 1000,
             result.cases.size());
  std::fflush(stdout);
  return result.cases.size() == reports[0].size() / rounds ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t rows = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100'000;
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("reports_scale_{}", getpid());
  std::filesystem::create_directories(folder);
  const pid_t writer = fork();
  if (writer == 0) {
    write_report(folder / "before.csv", rows / 2, 1);
    write_report(folder / "after.csv", rows / 2, 1.05);
    _exit(0);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  const int result = compare_files(folder / "before.csv", folder / "after.csv");
  std::filesystem::remove_all(folder);
  return status == 0 ? result : 1;
}
