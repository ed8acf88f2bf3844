// SPDX-License-Identifier: Apache-2.0
// What /proc/cpuinfo says on machines with Arm processors.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// Of two cores of a server in a cloud.
inline constexpr std::string_view neoverse_n1 =
    "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 "
    "atomics fphp "
    "asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs\nCPU implementer\t: 0x41\nCPU architecture: "
    "8\n"
    "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n"
    "processor\t: 1\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 "
    "atomics fphp "
    "asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs\nCPU implementer\t: 0x41\nCPU architecture: "
    "8\n"
    "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n";

// Of a small board, whose last line says more than cpuinfo usually does.
inline constexpr std::string_view cortex_a76 =
    "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 "
    "atomics fphp "
    "asimdhp cpuid asimdrdm lrcpc dcpop asimddp\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
    "CPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1\n\n"
    "Revision\t: d04170\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n";

// Four small cores before four big ones.
inline std::string big_and_little() {
  std::string text;
  for (int processor = 0; processor < 8; ++processor)
    text += "processor\t: " + std::to_string(processor) +
            "\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics "
            "fphp asimdhp "
            "cpuid asimdrdm lrcpc dcpop asimddp\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU "
            "variant\t: " +
            (processor < 4 ? "0x2\nCPU part\t: 0xd05" : "0x4\nCPU part\t: 0xd0b") +
            "\nCPU revision\t: 0\n\n";
  return text;
}

}  // namespace breakeven
