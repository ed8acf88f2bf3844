// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/placement.hpp"

#include <algorithm>
#include <sstream>

namespace breakeven::cuda {
namespace {

cpu_set_t processors_in(const std::string& text) {
  std::istringstream list(text);
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

Placement::Placement(const std::string& pci_bus_id)
    : near_(processors_in(processors_beside(pci_bus_id))) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) CPU_AND(&near_, &near_, &allowed);
}

void Placement::bind_thread() const {
  if (CPU_COUNT(&near_) > 0) sched_setaffinity(0, sizeof near_, &near_);
}

bool Placement::is_apart_from(const Placement& other) const {
  return CPU_COUNT(&near_) > 0 && CPU_COUNT(&other.near_) > 0 && !CPU_EQUAL(&near_, &other.near_);
}

Placement::Stay::Stay(const Placement* placement)
    : moved_(placement && sched_getaffinity(0, sizeof before_, &before_) == 0) {
  if (moved_) placement->bind_thread();
}

Placement::Stay::~Stay() {
  if (moved_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace breakeven::cuda
