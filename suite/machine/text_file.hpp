// SPDX-License-Identifier: Apache-2.0
// The small files under /proc and /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace breakeven {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The first line; none where the file cannot be read or the line is empty.
inline std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || trimmed(line).empty()) return std::nullopt;
  return std::string(trimmed(line));
}

// What follows `key` and `separator` in the first line that begins with `key`.
inline std::optional<std::string> entry(const std::filesystem::path& path, std::string_view key,
                                        char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(separator);
    if (at == line.npos || trimmed(std::string_view(line).substr(0, at)) != key) continue;
    const std::string_view value = trimmed(std::string_view(line).substr(at + 1));
    if (value.empty()) return std::nullopt;
    return std::string(value);
  }
  return std::nullopt;
}

}  // namespace breakeven
