// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/arm_processors.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

#include "suite/machine/text_file.hpp"

namespace breakeven {
namespace {

struct Known {
  ArmCore core;
  std::string_view name;
};

// As Linux (arch/arm64/include/asm/cputype.h), lscpu and LLVM have them.
constexpr Known all_known[] = {
    {{0x41, 0xd03}, "Cortex-A53"},
    {{0x41, 0xd04}, "Cortex-A35"},
    {{0x41, 0xd05}, "Cortex-A55"},
    {{0x41, 0xd07}, "Cortex-A57"},
    {{0x41, 0xd08}, "Cortex-A72"},
    {{0x41, 0xd09}, "Cortex-A73"},
    {{0x41, 0xd0a}, "Cortex-A75"},
    {{0x41, 0xd0b}, "Cortex-A76"},
    {{0x41, 0xd0c}, "Neoverse N1"},
    {{0x41, 0xd0d}, "Cortex-A77"},
    {{0x41, 0xd0e}, "Cortex-A76AE"},
    {{0x41, 0xd40}, "Neoverse V1"},
    {{0x41, 0xd41}, "Cortex-A78"},
    {{0x41, 0xd42}, "Cortex-A78AE"},
    {{0x41, 0xd44}, "Cortex-X1"},
    {{0x41, 0xd46}, "Cortex-A510"},
    {{0x41, 0xd47}, "Cortex-A710"},
    {{0x41, 0xd48}, "Cortex-X2"},
    {{0x41, 0xd49}, "Neoverse N2"},
    {{0x41, 0xd4a}, "Neoverse E1"},
    {{0x41, 0xd4b}, "Cortex-A78C"},
    {{0x41, 0xd4c}, "Cortex-X1C"},
    {{0x41, 0xd4d}, "Cortex-A715"},
    {{0x41, 0xd4e}, "Cortex-X3"},
    {{0x41, 0xd4f}, "Neoverse V2"},
    {{0x41, 0xd80}, "Cortex-A520"},
    {{0x41, 0xd81}, "Cortex-A720"},
    {{0x41, 0xd82}, "Cortex-X4"},
    {{0x41, 0xd83}, "Neoverse V3AE"},
    {{0x41, 0xd84}, "Neoverse V3"},
    {{0x41, 0xd85}, "Cortex-X925"},
    {{0x41, 0xd87}, "Cortex-A725"},
    {{0x41, 0xd89}, "Cortex-A720AE"},
    {{0x41, 0xd8a}, "C1-Nano"},
    {{0x41, 0xd8b}, "C1-Pro"},
    {{0x41, 0xd8c}, "C1-Ultra"},
    {{0x41, 0xd8e}, "Neoverse N3"},
    {{0x41, 0xd8f}, "Cortex-A320"},
    {{0x41, 0xd90}, "C1-Premium"},
    {{0x43, 0x0a1}, "ThunderX"},
    {{0x43, 0x0af}, "ThunderX2"},
    {{0x46, 0x001}, "A64FX"},
    {{0x46, 0x003}, "MONAKA"},
    {{0x48, 0xd01}, "Kunpeng 920"},
    {{0x48, 0xd02}, "TaiShan v120"},
    {{0x4e, 0x003}, "Denver 2"},
    {{0x4e, 0x004}, "Carmel"},
    {{0x4e, 0x010}, "Olympus"},
    {{0x50, 0x000}, "X-Gene"},
    {{0x51, 0x001}, "Oryon"},
    {{0x61, 0x022}, "Apple M1 Icestorm"},
    {{0x61, 0x023}, "Apple M1 Firestorm"},
    {{0x61, 0x024}, "Apple M1 Pro Icestorm"},
    {{0x61, 0x025}, "Apple M1 Pro Firestorm"},
    {{0x61, 0x028}, "Apple M1 Max Icestorm"},
    {{0x61, 0x029}, "Apple M1 Max Firestorm"},
    {{0x61, 0x032}, "Apple M2 Blizzard"},
    {{0x61, 0x033}, "Apple M2 Avalanche"},
    {{0x61, 0x034}, "Apple M2 Pro Blizzard"},
    {{0x61, 0x035}, "Apple M2 Pro Avalanche"},
    {{0x61, 0x038}, "Apple M2 Max Blizzard"},
    {{0x61, 0x039}, "Apple M2 Max Avalanche"},
    {{0x6d, 0xd49}, "Azure Cobalt 100"},
    {{0xc0, 0xac3}, "Ampere-1"},
    {{0xc0, 0xac4}, "Ampere-1A"},
    {{0xc0, 0xac5}, "Ampere-1B"},
    {{0xc0, 0xac7}, "Ampere-1C"},
};

std::string hexadecimal(unsigned value) {
  std::array<char, 8> digits{};
  return "0x" +
         std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), value, 16).ptr);
}

// `0xd0c` or `12`; 0 where it is neither.
unsigned number_in(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  return value;
}

}  // namespace

std::string name_of(const ArmCore& core) {
  for (const Known& known : all_known)
    if (known.core == core) return std::string(known.name);
  return "implementer " + hexadecimal(core.implementer) + " part " + hexadecimal(core.part);
}

std::vector<ArmProcessor> arm_processors(const std::filesystem::path& root) {
  std::vector<ArmProcessor> found;
  ArmProcessor now;
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view key = trimmed(std::string_view(line).substr(0, colon));
    const std::string_view value = trimmed(std::string_view(line).substr(colon + 1));
    if (key == "processor") now = {number_in(value), {}};
    if (key == "CPU implementer") now.core.implementer = number_in(value);
    if (key == "CPU part") {  // the last but one line of a processor
      now.core.part = number_in(value);
      found.push_back(now);
    }
  }
  return found;
}

unsigned capacity_of(unsigned processor, const std::filesystem::path& root) {
  std::ifstream file(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) /
                     "cpu_capacity");
  unsigned capacity = 0;
  return file >> capacity && capacity > 0 ? capacity : 1024;
}

}  // namespace breakeven
