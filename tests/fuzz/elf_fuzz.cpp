// SPDX-License-Identifier: Apache-2.0
// The check of a file before the dynamic loader may see it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "suite/registry/file_check.hpp"
#include "suite/registry/refusal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("plugin.so", MFD_CLOEXEC);
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    __builtin_trap();
  try {
    breakeven::require_loadable(path);
  } catch (const breakeven::Refusal&) {
  }
  return 0;
}
