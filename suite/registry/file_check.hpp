// SPDX-License-Identifier: Apache-2.0
// What a file must be before the dynamic loader may see it.
#pragma once

#include <filesystem>

namespace breakeven {

// A regular file; it and its folder belong to root, to this user or to the owner of the program,
// and cannot be written by others. Throws Refusal.
void require_trustworthy(const std::filesystem::path& file);

// A complete ELF shared library for this machine's architecture: the loader dies with SIGBUS on a
// file that is cut off. Throws Refusal. Source: System V ABI, ELF header and program header.
void require_loadable(const std::filesystem::path& file);

}  // namespace breakeven
