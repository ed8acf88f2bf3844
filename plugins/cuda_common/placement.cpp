// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/placement.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace breakeven::cuda {
namespace {

// `0-23,48-71`
cpu_set_t processors_in(std::istream& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned first = 0;
  while (list >> first) {
    unsigned last = first;
    if (list.peek() == '-') {
      list.ignore();
      list >> last;
    }
    for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
    if (list.peek() == ',') list.ignore();
  }
  return set;
}

}  // namespace

Placement::Placement(std::string pci_bus_id) {
  for (char& letter : pci_bus_id) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  std::ifstream list("/sys/bus/pci/devices/" + pci_bus_id + "/local_cpulist");
  near_ = processors_in(list);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) CPU_AND(&near_, &near_, &allowed);
}

void Placement::bind_thread() const {
  if (CPU_COUNT(&near_) > 0) sched_setaffinity(0, sizeof near_, &near_);
}

Placement::Stay::Stay(const Placement* placement)
    : moved_(placement && sched_getaffinity(0, sizeof before_, &before_) == 0) {
  if (moved_) placement->bind_thread();
}

Placement::Stay::~Stay() {
  if (moved_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace breakeven::cuda
