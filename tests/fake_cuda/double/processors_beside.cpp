// SPDX-License-Identifier: Apache-2.0
// What a plugin on the double is told instead of what sysfs says.
#include <cstddef>
#include <cstdio>

#include "plugins/cuda_common/placement.hpp"

#include "settings.hpp"

namespace breakeven::cuda {

std::string processors_beside(std::string pci_bus_id) {
  const auto& all = fake_cuda::settings().processors;
  unsigned device = 0;
  const bool is_known = std::sscanf(pci_bus_id.c_str(), "FA4E:%02X:00.0", &device) == 1;
  return is_known && device < all.size() ? all[device] : "";
}

}  // namespace breakeven::cuda
