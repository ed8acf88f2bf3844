// SPDX-License-Identifier: Apache-2.0
// An Arm /proc/cpuinfo names no model, but who made a core (implementer) and which (part), and one
// machine may have several sorts of cores. The plugins of processors are built with these sources
// too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace breakeven {

struct ArmCore {
  unsigned implementer = 0, part = 0;  // of the register MIDR_EL1
  friend bool operator==(const ArmCore&, const ArmCore&) = default;
};

// `Neoverse N1`, or `implementer 0x99 part 0x1` where it is not known.
std::string name_of(const ArmCore& core);

struct ArmProcessor {
  unsigned number = 0;  // in the system
  ArmCore core;
};

// All that are running; none where this is no Arm machine. `root` is where /proc and /sys are.
std::vector<ArmProcessor> arm_processors(const std::filesystem::path& root = "/");

// How fast a processor is beside the fastest of the machine, which has 1024, as the kernel has it
// (Documentation/ABI: cpu_capacity); 1024 too where it does not tell.
unsigned capacity_of(unsigned processor, const std::filesystem::path& root = "/");

}  // namespace breakeven
