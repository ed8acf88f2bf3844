// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/quantities.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace breakeven {

namespace {

// Three significant digits without an exponent.
std::string three_digits(double value) {
  if (!(std::abs(value) < 1e9)) return fmt::format("{:.3g}", value);
  const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, before >= 3 ? 0 : before >= 1 ? 3 - before : 3);
}

std::string scaled(double value, double step, const std::array<std::string_view, 5>& units) {
  std::size_t unit = 0;
  // 999.5 would be written as 1000.
  while (unit + 1 < units.size() && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::string format_time(double nanoseconds) {
  if (nanoseconds >= 1e12 * 0.9995) return fmt::format("{} s", three_digits(nanoseconds / 1e9));
  return scaled(nanoseconds, 1000, {"ns", "µs", "ms", "s", "s"});
}

std::string format_flops(double flops_per_second) {
  return scaled(flops_per_second / 1e3, 1000,
                {"kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"});
}

std::string format_rate(double bytes_per_second) {
  return scaled(bytes_per_second, 1000, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
}

std::string format_bytes(double bytes) {
  return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string format_share(double share) {
  return fmt::format("{:.0f} %", share * 100);
}

}  // namespace breakeven
