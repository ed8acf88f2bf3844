// SPDX-License-Identifier: Apache-2.0
// An Arm /proc/cpuinfo names no model, but who made a core (implementer) and which (part): the fields of the
// register MIDR_EL1, by name. Header only, because the plugins of processors ask too.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "suite/machine/text_file.hpp"

namespace breakeven {

struct ArmCore {
  unsigned implementer = 0, part = 0;
  friend bool operator==(const ArmCore&, const ArmCore&) = default;
};

// `Neoverse N1`; `Arm part 0xd99` or `implementer 0x99 part 0x1` where it is not known.
inline std::string name_of(ArmCore core) {
  struct Part {
    unsigned part;
    std::string_view name;
  };
  struct Maker {
    unsigned implementer;
    std::string_view name;
    std::vector<Part> parts;
  };
  // The names that Linux (arch/arm64/include/asm/cputype.h) and util-linux (lscpu-arm.c) have for them.
  static const std::vector<Maker> makers{
      {0x41, "Arm",
       {{0xd03, "Cortex-A53"},   {0xd04, "Cortex-A35"},   {0xd05, "Cortex-A55"},
        {0xd07, "Cortex-A57"},   {0xd08, "Cortex-A72"},   {0xd09, "Cortex-A73"},
        {0xd0a, "Cortex-A75"},   {0xd0b, "Cortex-A76"},   {0xd0c, "Neoverse N1"},
        {0xd0d, "Cortex-A77"},   {0xd0e, "Cortex-A76AE"}, {0xd40, "Neoverse V1"},
        {0xd41, "Cortex-A78"},   {0xd42, "Cortex-A78AE"}, {0xd44, "Cortex-X1"},
        {0xd46, "Cortex-A510"},  {0xd47, "Cortex-A710"},  {0xd48, "Cortex-X2"},
        {0xd49, "Neoverse N2"},  {0xd4a, "Neoverse E1"},  {0xd4b, "Cortex-A78C"},
        {0xd4c, "Cortex-X1C"},   {0xd4d, "Cortex-A715"},  {0xd4e, "Cortex-X3"},
        {0xd4f, "Neoverse V2"},  {0xd80, "Cortex-A520"},  {0xd81, "Cortex-A720"},
        {0xd82, "Cortex-X4"},    {0xd83, "Neoverse V3AE"}, {0xd84, "Neoverse V3"},
        {0xd85, "Cortex-X925"},  {0xd87, "Cortex-A725"},  {0xd8e, "Neoverse N3"}}},
      {0x43, "Cavium", {{0x0a1, "ThunderX"}, {0x0af, "ThunderX2"}}},
      {0x46, "Fujitsu", {{0x001, "A64FX"}, {0x003, "MONAKA"}}},
      {0x48, "HiSilicon", {{0xd01, "Kunpeng 920"}, {0xd02, "Kunpeng 920B"}}},
      {0x4e, "NVIDIA", {{0x003, "Denver 2"}, {0x004, "Carmel"}, {0x010, "Olympus"}}},
      {0x50, "APM", {{0x000, "X-Gene"}}},
      {0x51,
       "Qualcomm",
       {{0x001, "Oryon"},
        {0x800, "Kryo 2XX Gold"},
        {0x801, "Kryo 2XX Silver"},
        {0x802, "Kryo 3XX Gold"},
        {0x803, "Kryo 3XX Silver"},
        {0x804, "Kryo 4XX Gold"},
        {0x805, "Kryo 4XX Silver"}}},
      {0x61,
       "Apple",
       {{0x022, "M1 Icestorm"},
        {0x023, "M1 Firestorm"},
        {0x024, "M1 Pro Icestorm"},
        {0x025, "M1 Pro Firestorm"},
        {0x028, "M1 Max Icestorm"},
        {0x029, "M1 Max Firestorm"},
        {0x032, "M2 Blizzard"},
        {0x033, "M2 Avalanche"},
        {0x034, "M2 Pro Blizzard"},
        {0x035, "M2 Pro Avalanche"},
        {0x038, "M2 Max Blizzard"},
        {0x039, "M2 Max Avalanche"}}},
      {0x6d, "Microsoft", {{0xd49, "Azure Cobalt 100"}}},
      {0xc0, "Ampere", {{0xac3, "Ampere-1"}, {0xac4, "Ampere-1A"}, {0xac5, "Ampere-1B"}}}};
  const auto hexadecimal = [](unsigned value) {
    std::array<char, 8> digits{};
    return "0x" + std::string(digits.data(),
                              std::to_chars(digits.begin(), digits.end(), value, 16).ptr);
  };
  for (const Maker& maker : makers) {
    if (maker.implementer != core.implementer) continue;
    for (const Part& part : maker.parts)
      // Who is well known by its products is not named again.
      if (part.part == core.part)
        return maker.name == "Apple" ? "Apple " + std::string(part.name) : std::string(part.name);
    return std::string(maker.name) + " part " + hexadecimal(core.part);
  }
  return "implementer " + hexadecimal(core.implementer) + " part " + hexadecimal(core.part);
}

// Of every processor that is running, by its number in the system; empty where this is not an Arm machine.
// `root` is where /proc is.
struct ArmProcessor {
  unsigned number = 0;
  ArmCore core;
};
inline std::vector<ArmProcessor> arm_processors(const std::filesystem::path& root = "/") {
  const auto number_in = [](std::string_view text) {
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    return value;
  };
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

// How fast a processor is beside the fastest, which has 1024; 1024 too where the machine does not tell.
// Documentation/ABI: /sys/devices/system/cpu/cpuN/cpu_capacity.
inline unsigned capacity_of(unsigned processor, const std::filesystem::path& root = "/") {
  std::ifstream file(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) /
                     "cpu_capacity");
  unsigned capacity = 0;
  return file >> capacity && capacity > 0 ? capacity : 1024;
}

}  // namespace breakeven
