// SPDX-License-Identifier: Apache-2.0
// The start of a new plugin: plugins/example under another name, carried inside the program so that
// it is there wherever the program is.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace breakeven {

struct SkeletonFile {
  std::string_view name, text;
};

std::vector<SkeletonFile> example_files();

// Writes the files of the plugin `name` into the folder, which is made. Throws
// std::invalid_argument with the line for the user where the name is none or the folder is not
// empty.
void write_skeleton(std::string_view name, const std::filesystem::path& folder);

}  // namespace breakeven
