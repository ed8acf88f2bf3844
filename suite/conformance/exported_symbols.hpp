// SPDX-License-Identifier: Apache-2.0
// The names that an ELF library of this machine's class exports, read from its section headers.
// Source: System V ABI, symbol table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace breakeven::conformance {

// Empty where the file has no dynamic symbol table. The file has passed require_loadable.
std::vector<std::string> exported_symbols(const std::filesystem::path& file);

}  // namespace breakeven::conformance
