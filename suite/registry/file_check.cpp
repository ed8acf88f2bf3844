// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/file_check.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "suite/registry/discovery.hpp"
#include "suite/registry/refusal.hpp"

// The header of this program, by the linker.
extern "C" const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

namespace breakeven {
namespace {

namespace fs = std::filesystem;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    throw Refusal(errno == ENOENT ? "there is no such file" : std::strerror(errno),
                  "give the path of a plugin's .so");
  }
  return status;
}

void require_unchangeable_by_others(const fs::path& path, const char* what) {
  const auto status = status_of(path);
  if (status.st_mode & S_IWOTH) {
    throw Refusal(fmt::format("its {} can be written by others", what),
                  fmt::format("chmod o-w {}, or --trust-writable", path.string()));
  }
  const uid_t owner = status.st_uid;
  if (owner != 0 && owner != geteuid() && owner != status_of(program_file()).st_uid) {
    throw Refusal(fmt::format("its {} belongs to another user (number {})", what, owner),
                  "make a copy of your own, or --trust-writable");
  }
}

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "x86 (32 bits)";
    case EM_X86_64:
      return "x86_64";
    case EM_ARM:
      return "arm (32 bits)";
    case EM_AARCH64:
      return "aarch64";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    case EM_S390:
      return "s390";
    default:
      return fmt::format("machine number {}", machine);
  }
}

// Zero bytes where the file ends earlier.
template <class T>
T read_at(std::ifstream& stream, std::uint64_t offset) {
  T value{};
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(&value), sizeof value);
  if (stream.gcount() != static_cast<std::streamsize>(sizeof value)) return T{};
  return value;
}

// The first byte after `offset` and so many bytes; it saturates.
std::uint64_t after(std::uint64_t offset, std::uint64_t bytes) {
  return offset > UINT64_MAX - bytes ? UINT64_MAX : offset + bytes;
}

// The first byte after everything that the headers speak of, as far as a file of `bytes` has it.
std::uint64_t end_of_contents(std::ifstream& stream, std::uint64_t bytes,
                              const Elf64_Ehdr& header) {
  const std::uint64_t table_bytes = header.e_phnum * sizeof(Elf64_Phdr);
  std::uint64_t end =
      std::max(after(header.e_phoff, table_bytes),
               after(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize));
  if (end > bytes) return end;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(header.e_phoff));
  stream.read(reinterpret_cast<char*>(segments.data()), static_cast<std::streamsize>(table_bytes));
  for (const Elf64_Phdr& segment : segments)
    end = std::max(end, after(segment.p_offset, segment.p_filesz));
  return end;
}

}  // namespace

void require_trustworthy(const fs::path& file) {
  if (!S_ISREG(status_of(file).st_mode))
    throw Refusal("it is not a regular file", "give the plugin's .so itself");
  require_unchangeable_by_others(file, "file");
  require_unchangeable_by_others(file.parent_path(), "folder");
}

void require_loadable(const fs::path& file) {
  constexpr auto rebuild = "build or copy it again";
  std::ifstream stream(file, std::ios::binary);
  if (!stream && errno == EMFILE)
    throw Refusal("too many files are open to read it", "raise `ulimit -n`");
  if (!stream) throw Refusal("it cannot be read", fmt::format("chmod +r {}", file.string()));
  const std::uint64_t bytes = fs::file_size(file);
  if (bytes == 0) throw Refusal("the file is empty", rebuild);

  const auto header = read_at<Elf64_Ehdr>(stream, 0);
  const auto identity = read_at<std::array<unsigned char, EI_NIDENT>>(stream, 0);
  if (std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0)
    throw Refusal("it is not an ELF shared library", "build it with breakeven_add_plugin()");
  const Elf64_Ehdr& own = __ehdr_start;
  if (identity[EI_CLASS] != own.e_ident[EI_CLASS] || identity[EI_DATA] != own.e_ident[EI_DATA] ||
      header.e_machine != own.e_machine) {
    throw Refusal(fmt::format("it was built for {}, this program for {}",
                              machine_name(header.e_machine), machine_name(own.e_machine)),
                  "build it for this architecture");
  }
  if (header.e_type != ET_DYN)
    throw Refusal("it is an ELF file, but not a shared library",
                  "build it with breakeven_add_plugin()");
  if (const auto end = end_of_contents(stream, bytes, header); end > bytes) {
    throw Refusal(fmt::format("it is cut off: {} bytes of at least {}", bytes, end), rebuild);
  }
}

}  // namespace breakeven
