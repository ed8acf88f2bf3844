// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "reports/text/lines.hpp"
#include "reports/text/table.hpp"
#include "suite/command_line/run_table.hpp"

namespace breakeven {

namespace {

using namespace std::chrono_literals;

std::string words_of(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace

Progress::Progress(std::FILE* stream) : stream_(stream), live_(is_terminal(stream)) {}

Progress::~Progress() {
  clear();
}

void warn_where_busy(std::FILE* stream) {
  double load = 0;
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  if (getloadavg(&load, 1) == 1 && load > processors)
    print_line(stream, fmt::format("other programs are busy here (load {:.1f} on {} processors): "
                                   "what is found holds under such a load",
                                   load, processors));
}

double seconds_left(double spent, std::size_t done, std::size_t total, double budget) {
  const double left = spent / static_cast<double>(std::max<std::size_t>(1, done)) *
                      static_cast<double>(total - done);
  return budget > 0 ? std::clamp(budget - spent, 0.0, left) : left;
}

void Progress::started(std::size_t cases, double budget) {
  total_ = cases;
  budget_ = budget;
  begin_ = std::chrono::steady_clock::now();
}

void Progress::step(std::string_view case_name, std::size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - drawn_ < 100ms) return;
  drawn_ = now;
  std::string line = fmt::format("[{}/{}] {}", done, total_, case_name);
  const double spent = std::chrono::duration<double>(now - begin_).count();
  if (done > 0 && spent > 2) line += "  " + words_of(seconds_left(spent, done, total_, budget_));
  const std::size_t width = terminal_columns(stream_).value_or(80);
  fmt::print(stream_, "\r\x1b[K{}", fitting(line, width - 1));
  std::fflush(stream_);
}

void Progress::measured(const Row& row) {
  if (live_ || row.status() == Status::unavailable) return;
  ++measured_;
  fmt::print(stream_, "[{}/{}] {}  {}\n", measured_, total_, row.text(Column::name), row_line(row));
  std::fflush(stream_);
}

void Progress::clear() {
  if (!live_) return;
  std::fputs("\r\x1b[K", stream_);  // never throws, also where the terminal is gone
  std::fflush(stream_);
}

}  // namespace breakeven
