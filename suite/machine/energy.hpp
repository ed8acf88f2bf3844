// SPDX-License-Identifier: Apache-2.0
// Energy of the processor packages, from the RAPL counters of the kernel's powercap interface
// (Documentation/power/powercap), where this process may read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace breakeven {

class EnergyCounter {
 public:
  // `root` is where /sys is.
  explicit EnergyCounter(const std::filesystem::path& root = "/");

  // Since this object was made, of all packages; none where they cannot be read. The counters wrap
  // within minutes: to be read at least that often.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::uint64_t range = 0;  // microjoules at which it starts again
    std::uint64_t last = 0;
  };
  std::vector<Package> packages_;
  double microjoules_ = 0;
};

}  // namespace breakeven
