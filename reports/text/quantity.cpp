// SPDX-License-Identifier: Apache-2.0
#include "reports/text/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace breakeven {
namespace {

// Three significant digits, trailing zeros kept: columns of them line up.
std::string three_digits(double value) {
  const double size = std::abs(value);
  // 0.9996 rounds to 1.00 and has its digits.
  const int before_point =
      size < 1e-12 ? 0 : static_cast<int>(std::floor(std::log10(size / 0.9995))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 3 - before_point));
}

// The step whose number has one to three digits before the point.
template <std::size_t N>
std::string scaled(double value, double step, const std::array<std::string_view, N>& prefixes,
                   std::size_t start) {
  if (value == 0) {
    return fmt::format("0 {}", prefixes[start]);
  }
  std::size_t i = start;
  while (i + 1 < N && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++i;
  }
  while (i > 0 && std::abs(value) < 0.9995) {
    value *= step;
    --i;
  }
  return fmt::format("{} {}", three_digits(value), prefixes[i]);
}

}  // namespace

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e7)) {
    return fmt::format("{:.2e}", value);
  }
  auto text = three_digits(value);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text;
}

std::string time_text(double nanoseconds) {
  constexpr std::array<std::string_view, 5> units{"ps", "ns", "µs", "ms", "s"};
  return scaled(nanoseconds, 1000, units, 1);
}

std::string interval_text(double median_ns, double low_ns, double high_ns) {
  const double farther = std::max(high_ns - median_ns, median_ns - low_ns) / median_ns;
  return farther < 0.5 ? "±" + share_text(farther)
                       : fmt::format("[{}, {}]", time_text(low_ns), time_text(high_ns));
}

std::string rate_text(double per_second, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  return scaled(per_second, 1000, prefixes, 0) + std::string(unit);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) {
    bytes /= 1024;
  }
  return fmt::format("{} {}", short_number(bytes), units[unit]);
}

std::string share_text(double share) {
  return fmt::format("{:.{}f} %", share * 100, std::abs(share) < 0.0995 ? 1 : 0);
}

std::string ratio_text(double ratio) {
  return ratio >= 9.995 || ratio < 0.1 ? short_number(ratio) : fmt::format("{:.3f}", ratio);
}

std::string times_text(double ratio) {
  return "×" + ratio_text(ratio);
}

}  // namespace breakeven
