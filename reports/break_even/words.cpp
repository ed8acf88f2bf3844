// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

namespace breakeven {
namespace {

// Three significant digits without an exponent: `0.012`, `9.80`, `1230`.
std::string three_digits(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return fmt::format("{}", value);
  }
  value = std::stod(fmt::format("{:.2e}", value));  // so that 0.9997 counts its digits as 1.00
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - whole, 0, 6));
}

// In the largest unit that leaves at least 1; the first one where none does.
std::string with_unit(double value, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::string words_of_time(double nanoseconds) {
  static constexpr std::array<std::string_view, 4> units{"ns", "µs", "ms", "s"};
  return with_unit(nanoseconds, 1000, units);
}

std::string words_of_bytes(double bytes) {
  static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return fmt::format("{:.0f} B", bytes);
  }
  return with_unit(bytes, 1024, units);
}

std::string words_of_flop_rate(double per_second) {
  static constexpr std::array<std::string_view, 5> units{"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s",
                                                         "TFLOP/s"};
  return with_unit(per_second, 1000, units);
}

std::string words_of_byte_rate(double per_second) {
  static constexpr std::array<std::string_view, 5> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return with_unit(per_second, 1000, units);
}

std::string words_of_percent(double share) {
  return fmt::format("{} %", three_digits(100 * share));
}

}  // namespace breakeven
