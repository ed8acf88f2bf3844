// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

void add(std::vector<Candidate>& found, const fs::path& path, std::string source) {
  std::error_code error;
  fs::path resolved = fs::canonical(path, error);
  if (error) resolved = path;
  if (std::ranges::find(found, resolved, &Candidate::resolved) != found.end()) return;
  found.push_back({.path = path, .resolved = resolved, .source = std::move(source)});
}

bool is_plugin_name(const std::string& name) {
  return name.ends_with(".so") && !name.starts_with('.') && !name.starts_with("lib");
}

bool is_x86_64_v4() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// The file, or the one of the same name for processors that are wider, where this is one.
fs::path for_this_processor(const fs::path& path) {
  const fs::path wide = path.parent_path() / "x86-64-v4" / path.filename();
  std::error_code error;
  return is_x86_64_v4() && fs::is_regular_file(wide, error) ? wide : path;
}

// False: there is no such folder, or it may not be read.
bool add_folder(std::vector<Candidate>& found, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_plugin_name(entry->path().filename())) paths.push_back(entry->path());
  }
  if (error == std::errc::too_many_files_open) throw std::system_error(error, folder.string());
  if (error) return false;
  std::ranges::sort(paths);
  for (const fs::path& path : paths) add(found, for_this_processor(path), folder.string());
  return true;
}

}  // namespace

fs::path program_file() {
  return fs::read_symlink("/proc/self/exe");
}

std::vector<fs::path> search_path_folders(std::string_view search_path) {
  std::vector<fs::path> folders;
  while (!search_path.empty()) {
    const auto colon = std::min(search_path.find(':'), search_path.size());
    fs::path folder = search_path.substr(0, colon);
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    if (folder.empty()) continue;
    if (!folder.is_absolute())
      throw UsageError(
          fmt::format("BREAKEVEN_PLUGIN_PATH: '{}' is not an absolute folder; write it from /",
                      folder.string()));
    folders.push_back(std::move(folder));
  }
  return folders;
}

std::vector<Candidate> discover(std::span<const fs::path> files, std::span<const fs::path> folders,
                                std::string_view search_path, const fs::path& installed) {
  std::vector<Candidate> found;
  for (const fs::path& file : files) add(found, fs::absolute(file), "--plugin");
  for (const fs::path& folder : folders) {
    if (!add_folder(found, fs::absolute(folder).lexically_normal()))
      throw UsageError(
          fmt::format("--plugin-dir '{}' is no folder that can be read", folder.string()));
  }
  // One that does not exist is passed over, as in PATH.
  for (const fs::path& folder : search_path_folders(search_path)) add_folder(found, folder);
  add_folder(found, installed);
  return found;
}

std::vector<std::pair<std::string, std::string>> not_built(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> plugins;
  std::ifstream file(folder / "not_built.txt");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon != line.npos) plugins.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  return plugins;
}

}  // namespace breakeven
