// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/caches.hpp"

#include "suite/machine/topology.hpp"

namespace breakeven {

std::vector<Cache> data_caches() {
  const Topology topology;
  std::vector<Cache> caches;
  constexpr hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                         HWLOC_OBJ_L4CACHE};
  unsigned level = 0;
  for (const hwloc_obj_type_t type : levels) {
    ++level;
    const int count = hwloc_get_nbobjs_by_type(topology.get(), type);
    if (count <= 0) continue;
    const hwloc_obj_t first = hwloc_get_obj_by_type(topology.get(), type, 0);
    caches.push_back({level, static_cast<std::size_t>(first->attr->cache.size),
                      static_cast<std::size_t>(count)});
  }
  return caches;
}

}  // namespace breakeven
