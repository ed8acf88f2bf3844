// SPDX-License-Identifier: Apache-2.0
#include "suite/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

constexpr std::string_view old_name = "example";

bool is_backend_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string renamed(std::string_view text, std::string_view name) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(old_name, at)) != result.npos; at += name.size())
    result.replace(at, old_name.size(), name);
  return result;
}

}  // namespace

void write_skeleton(std::string_view name, const std::filesystem::path& folder) {
  if (!is_backend_name(name))
    throw UsageError(fmt::format(
        "'{}' is no name for a backend; use lower-case letters, digits and dashes", name));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_empty(folder, error) || error)
    throw Unusable(fmt::format("'{}' is no empty folder{}; name another one", folder.string(),
                               error ? " (" + error.message() + ")" : ""));
  for (const SkeletonFile& file : example_files()) {
    std::ofstream stream(folder / file.name);
    stream << renamed(file.text, name);
    if (!stream.flush())
      throw std::runtime_error(
          fmt::format("'{}' cannot be written", (folder / file.name).string()));
  }
}

}  // namespace breakeven
