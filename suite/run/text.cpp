// SPDX-License-Identifier: Apache-2.0
#include "suite/run/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace breakeven {

namespace {

constexpr std::size_t largest_size = std::size_t{1} << 40;
constexpr std::size_t most_sizes = 1000;

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void bad_size(std::string_view text, std::string_view why) {
  throw UsageError(
      fmt::format("--size '{}': {}; allowed are 64, 64,128, 64:4096:*2, 64:256:+64, 1x4096x4096 (m "
                  "x n x k) and "
                  "100x100x100x1000 (batch)",
                  text, why));
}

std::size_t one_size(std::string_view part, std::string_view all) {
  const auto value = whole_number<std::uint64_t>(part);
  if (!value) bad_size(all, fmt::format("'{}' is not a whole number", part));
  if (*value < 1 || *value > largest_size) bad_size(all, fmt::format("{} is not 1 to 2^40", part));
  return *value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void append_range(std::string_view part, std::string_view all, std::vector<Shape>& shapes) {
  const auto pieces = split(part, ':');
  if (pieces.size() > 3) bad_size(all, "a range has at most two colons");
  const std::size_t first = one_size(pieces[0], all), last = one_size(pieces[1], all);
  if (last < first) bad_size(all, "the range ends before it begins");
  char step_kind = '*';
  std::size_t step = 2;
  if (pieces.size() == 3) {
    if (pieces[2].empty() || (pieces[2][0] != '*' && pieces[2][0] != '+'))
      bad_size(all, "a step begins with * or +");
    step_kind = pieces[2][0];
    step = one_size(pieces[2].substr(1), all);
    if (step_kind == '*' && step < 2) bad_size(all, "a factor is at least 2");
  }
  // Sizes and steps are at most 2^40, so that a sum cannot wrap; a product could.
  for (std::size_t n = first; n <= last;) {
    shapes.push_back({n, n, n});
    if (shapes.size() > most_sizes) bad_size(all, "these are more than 1000 sizes");
    if (step_kind == '*' && n > last / step) break;
    n = step_kind == '*' ? n * step : n + step;
  }
}

}  // namespace

std::vector<std::string> split_list(std::string_view option, std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) throw UsageError(fmt::format("{} '{}': an entry is empty", option, text));
    parts.emplace_back(part);
  }
  return parts;
}

std::vector<Shape> parse_sizes(std::string_view text) {
  std::vector<Shape> shapes;
  for (const std::string_view part : split(text, ',')) {
    if (part.find(':') != std::string_view::npos) {
      append_range(part, text, shapes);
    } else if (const auto edges = split(part, 'x'); edges.size() == 3 || edges.size() == 4) {
      shapes.push_back({one_size(edges[0], text), one_size(edges[1], text),
                        one_size(edges[2], text),
                        edges.size() == 4 ? one_size(edges[3], text) : 1});
    } else if (edges.size() == 1) {
      const std::size_t n = one_size(part, text);
      shapes.push_back({n, n, n});
    } else {
      bad_size(text, fmt::format("'{}' has {} sizes, not 1, 3 or 4", part, edges.size()));
    }
    if (shapes.size() > most_sizes) bad_size(text, "these are more than 1000 sizes");
  }
  std::vector<Shape> each_once;
  for (const Shape& shape : shapes)
    if (std::find(each_once.begin(), each_once.end(), shape) == each_once.end())
      each_once.push_back(shape);
  return each_once;
}

std::vector<NumberType> parse_types(std::string_view text) {
  static const std::vector<std::string> names = {"f32", "f64", "tf32", "f16", "bf16"};
  static constexpr std::array<NumberType, 5> known = {{{Type::f32, Math::native},
                                                       {Type::f64, Math::native},
                                                       {Type::f32, Math::tf32},
                                                       {Type::f16, Math::native},
                                                       {Type::bf16, Math::native}}};
  std::vector<NumberType> types;
  for (const std::string& part : split_list("--type", text)) {
    require_one_of("type", part, names);
    const auto found = std::find(names.begin(), names.end(), part) - names.begin();
    types.push_back(known[static_cast<std::size_t>(found)]);
  }
  return types;
}

std::size_t parse_bytes(std::string_view text) {
  std::size_t factor = 1;
  std::string_view digits = text;
  if (!digits.empty()) {
    constexpr std::string_view suffixes = "KMGT";
    if (const std::size_t power = suffixes.find(digits.back()); power != std::string_view::npos) {
      factor = std::size_t{1} << (10 * (power + 1));
      digits.remove_suffix(1);
    }
  }
  const auto value = whole_number<std::uint64_t>(digits);
  if (!value || *value < 1 || *value > largest_size / factor)
    throw UsageError(
        fmt::format("'{}' is not a number of bytes; allowed are 4, 64K, 4M, 1G", text));
  return *value * factor;
}

double parse_seconds(std::string_view option, std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"min", 60}, {"h", 3600}, {"ms", 1e-3}, {"s", 1}}};
  double factor = 1;
  std::string_view digits = text;
  for (const auto& [unit, seconds] : units)
    if (digits.ends_with(unit)) {
      factor = seconds;
      digits.remove_suffix(unit.size());
      break;
    }
  const auto value = whole_number<double>(digits);
  if (!value || !std::isfinite(*value) || *value <= 0)
    throw UsageError(
        fmt::format("{} '{}' is not a time; allowed are 30, 400ms, 90s, 5min, 2h", option, text));
  return *value * factor;
}

std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw UsageError(fmt::format("{} '{}' is not of the form NAME=VALUE", option, text));
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace breakeven
