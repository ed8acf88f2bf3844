// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/exported_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace breakeven::conformance {
namespace {

// Zero where the file ends earlier.
template <class T>
T at(std::string_view file, std::size_t offset) {
  T value{};
  if (offset <= file.size() && file.size() - offset >= sizeof value)
    std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::string_view file, std::size_t offset) {
  if (offset >= file.size()) return {};
  return std::string(file.substr(offset, file.find('\0', offset) - offset));
}

bool is_exported(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && symbol.st_name != 0 &&
         (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

std::vector<std::string> exported_symbols(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  const auto header = at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::size_t index) {
    return at<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto table = section(i);
    if (table.sh_type != SHT_DYNSYM) continue;
    const auto strings = section(table.sh_link);
    for (std::size_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size;
         offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(file, table.sh_offset + offset);
      if (is_exported(symbol)) names.push_back(text_at(file, strings.sh_offset + symbol.st_name));
    }
  }
  return names;
}

}  // namespace breakeven::conformance
