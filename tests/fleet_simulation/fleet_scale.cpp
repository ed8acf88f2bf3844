// SPDX-License-Identifier: Apache-2.0
// Writes NODES reports of ROWS rows each into a folder, SAMPLES bytes of samples in each row,
// judges them from their files, and prints the time, the processor time and the memory that it
// took: fleet_scale [NODES [ROWS [SAMPLES]]]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "reports/fleet/judgement.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace {

using namespace breakeven;

constexpr std::size_t rounds = 5;

// One report's rows serve all nodes, with names, run ids and times of their own: writing is not
// what is measured.
void write_reports(const std::filesystem::path& folder, std::size_t nodes, std::size_t rows,
                   std::size_t sample_bytes) {
  SyntheticRun run;
  run.rounds = rounds;
  run.sizes.clear();
  for (std::size_t i = 0; i < rows / rounds; ++i) {
    run.sizes.push_back(64 + i);
  }
  std::string samples;
  while (samples.size() < sample_bytes) {
    samples += samples.empty() ? "1234.567" : samples.size() % 80 < 9 ? ";1234.567" : " 1234.567";
  }
  auto all = synthetic_rows(run);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  for (std::size_t node = 0; node < nodes; ++node) {
    std::string text = header_line();
    for (auto row : all) {
      row.set(Column::machine, fmt::format("n{}", node));
      row.set(Column::run_id, fmt::format("run-{}", node));
      row.set(Column::median_ns, *row.real(Column::median_ns) * (1 + noise(random)));
      row.set(Column::samples_ns, samples);
      text += csv_line(row);
    }
    std::ofstream(folder / fmt::format("n{}.csv", node), std::ios::binary) << text;
  }
}

// In a process of its own, so that its memory is that of the judgement.
int judge_folder(const std::filesystem::path& folder) {
  const auto files = fleet::files_below({folder.string()});
  std::uintmax_t bytes = 0;
  for (const auto& file : files) {
    bytes += std::filesystem::file_size(file);
  }
  const auto start = std::chrono::steady_clock::now();
  fleet::Collection collection;
  fleet::collect(files, "", collection);
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  const auto fleet = fleet::fleet_of(std::move(collection));
  const auto judgement = fleet::judge(fleet, {});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  fmt::print(
      "{} reports, {} MB: {:.2f} s ({:.2f} s of it reading), {:.2f} s of processor time, {} MB "
      "resident\n",
      files.size(), bytes / 1000000, wall.count(), reading.count(),
      seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss / 1000);
  std::fflush(stdout);
  return judgement.groups.size() == 1 && fleet.cells.size() == files.size() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int at, std::size_t otherwise) {
    return count > at ? std::strtoul(arguments[at], nullptr, 10) : otherwise;
  };
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("fleet_scale_{}", getpid());
  std::filesystem::create_directories(folder);
  const pid_t writer = fork();
  if (writer == 0) {
    write_reports(folder, argument(1, 1000), argument(2, 300), argument(3, 4000));
    _exit(0);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  const int result = judge_folder(folder);
  std::filesystem::remove_all(folder);
  return status == 0 ? result : 1;
}
