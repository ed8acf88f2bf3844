// SPDX-License-Identifier: Apache-2.0
// hwloc's view of this machine: of what the process may use.
#pragma once

#include <hwloc.h>

#include <stdexcept>

namespace breakeven {

class Topology {
 public:
  Topology() {
    if (hwloc_topology_init(&topology_) != 0) {
      throw std::runtime_error("hwloc_topology_init failed");
    }
    if (hwloc_topology_load(topology_) != 0) {
      hwloc_topology_destroy(topology_);
      throw std::runtime_error("hwloc_topology_load failed");
    }
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  ~Topology() { hwloc_topology_destroy(topology_); }

  hwloc_topology_t get() const noexcept { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace breakeven
