// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "suite/command_line/run_table.hpp"
#include "suite/command_line/terminal.hpp"

namespace breakeven {

namespace {

using namespace std::chrono_literals;

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace

Progress::Progress(std::FILE* stream) : stream_(stream), live_(is_terminal(stream)) {}

Progress::~Progress() {
  clear();
}

void Progress::started(std::size_t cases, unsigned) {
  total_ = cases;
  begin_ = std::chrono::steady_clock::now();
}

void Progress::step(std::string_view case_name, std::size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - drawn_ < 100ms) return;
  drawn_ = now;
  std::string line = fmt::format("[{}/{}] {}", done, total_, case_name);
  const double spent = std::chrono::duration<double>(now - begin_).count();
  if (done > 0 && spent > 2)
    line +=
        "  " + time_left(spent / static_cast<double>(done) * static_cast<double>(total_ - done));
  const std::size_t width = terminal_width(stream_);
  if (line.size() >= width) line.resize(width - 1);
  fmt::print(stream_, "\r\x1b[K{}", line);
  std::fflush(stream_);
}

void Progress::measured(const Row& row) {
  ++measured_;
  if (live_ || row.status() == Status::unavailable) return;
  fmt::print(stream_, "[{}/{}] {}  {}\n", measured_, total_, row.text(Column::name), row_line(row));
  std::fflush(stream_);
}

void Progress::clear() {
  if (!live_) return;
  std::fputs("\r\x1b[K", stream_);  // never throws, also where the terminal is gone
  std::fflush(stream_);
}

}  // namespace breakeven
