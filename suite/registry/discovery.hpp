// SPDX-License-Identifier: Apache-2.0
// Which files may be plugins, without looking into them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

struct Candidate {
  std::filesystem::path path;      // absolute, as found
  std::filesystem::path resolved;  // without links; equal to `path` where the file does not exist
  std::string source;              // where it was asked for: `--plugin`, or the folder
  std::string variant = {};        // of a backend, that this file alone is
  std::filesystem::path program = {};  // that loads it; empty: this one
};

// The program's own file.
std::filesystem::path program_file();

// The folders of a text in the form of PATH, which must be absolute. Reads no file. Throws
// std::invalid_argument with the line for the user.
std::vector<std::filesystem::path> search_path_folders(std::string_view search_path);

// A folder's plugins are its `*.so`, by name; names that start with a dot, or with `lib` (a
// plugin's own libraries), are not. One in the subfolder `x86-64-v4` takes the place of its
// namesake where the processor is that wide. A file found twice counts once. Throws
// std::invalid_argument with the line for the user.
std::vector<Candidate> discover(std::span<const std::filesystem::path> files,
                                std::span<const std::filesystem::path> folders,
                                std::string_view search_path,
                                const std::filesystem::path& installed);

// Plugins that the build of a folder left out, and why: the lines `NAME: WHY` of its
// `not_built.txt`.
std::vector<std::pair<std::string, std::string>> not_built(const std::filesystem::path& folder);

}  // namespace breakeven
