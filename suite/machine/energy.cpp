// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/energy.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include "suite/machine/text_file.hpp"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> counted(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

}  // namespace

EnergyCounter::EnergyCounter(const fs::path& root) {
  std::error_code none;
  for (const auto& zone : fs::directory_iterator(root / "sys/class/powercap", none)) {
    // Packages hold their cores and memory: counting these too would count twice.
    const auto name = first_line(zone.path() / "name");
    if (!name || !name->starts_with("package")) continue;
    const fs::path counter = zone.path() / "energy_uj";
    const auto range = counted(zone.path() / "max_energy_range_uj");
    const auto now = counted(counter);
    if (!range || !now) {
      packages_.clear();
      return;
    }
    packages_.push_back({counter, *range, *now});
  }
}

std::optional<double> EnergyCounter::joules() {
  if (packages_.empty()) return std::nullopt;
  for (Package& package : packages_) {
    const auto now = counted(package.counter);
    if (!now) return std::nullopt;
    const std::uint64_t grown =
        *now >= package.last ? *now - package.last : *now + package.range - package.last;
    microjoules_ += static_cast<double>(grown);
    package.last = *now;
  }
  return microjoules_ / 1e6;
}

}  // namespace breakeven
