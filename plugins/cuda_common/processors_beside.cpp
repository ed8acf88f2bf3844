// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <fstream>

#include "plugins/cuda_common/placement.hpp"

namespace breakeven::cuda {

std::string processors_beside(std::string pci_bus_id) {
  for (char& letter : pci_bus_id) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  std::string list;
  std::getline(std::ifstream("/sys/bus/pci/devices/" + pci_bus_id + "/local_cpulist"), list);
  return list;
}

}  // namespace breakeven::cuda
