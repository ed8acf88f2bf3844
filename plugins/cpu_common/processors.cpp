// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/processors.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "plugins/cpu_common/threads_option.hpp"
#include "suite/machine/arm_processors.hpp"

namespace breakeven::cpu {

namespace {

[[noreturn]] void fail(const std::string& call) {
  throw std::runtime_error(call + ": " + std::strerror(errno));
}

std::string model_of(hwloc_topology_t topology) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const char* model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  return model ? model : "CPU";
}

}  // namespace

Processors::Processors(const std::filesystem::path& root) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) fail("hwloc_topology_init");
  topology_.reset(topology);
  if (hwloc_topology_load(topology) != 0) fail("hwloc_topology_load");
  const std::string model = model_of(topology);
  const std::vector<ArmProcessor> arm = arm_processors(root);

  // What the process may use, or everything where the system does not know.
  allowed_.reset(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  const Set bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0)
    hwloc_bitmap_and(allowed_.get(), allowed_.get(), bound.get());

  // Machines exist that tell hwloc of no cores, only of hardware threads.
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  const hwloc_obj_type_t type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const int objects = hwloc_get_nbobjs_by_type(topology, type);
  for (int i = 0; i < objects; ++i) {
    Set set(hwloc_bitmap_dup(hwloc_get_obj_by_type(topology, type, unsigned(i))->cpuset));
    hwloc_bitmap_and(set.get(), set.get(), allowed_.get());
    if (hwloc_bitmap_iszero(set.get())) continue;
    hwloc_bitmap_singlify(set.get());
    const auto number = static_cast<unsigned>(hwloc_bitmap_first(set.get()));
    const auto named = std::find_if(arm.begin(), arm.end(),
                                    [&](const ArmProcessor& one) { return one.number == number; });
    cores_.push_back({std::move(set), named == arm.end() ? model : name_of(named->core),
                      capacity_of(number, root)});
  }
  std::stable_sort(cores_.begin(), cores_.end(),
                   [](const Core& a, const Core& b) { return a.capacity > b.capacity; });
  if (cores_.empty())
    throw std::runtime_error("hwloc: no processor core that this process may use");
}

void Processors::bind_thread_to(hwloc_const_cpuset_t set, const std::string& where) const {
  if (hwloc_set_cpubind(topology_.get(), set, HWLOC_CPUBIND_THREAD) != 0)
    fail("hwloc_set_cpubind to " + where);
}

std::size_t Processors::threads_from(std::string_view text) const {
  return text == "all" ? cores() : number_of_threads(text, ", or all");
}

void Processors::bind_thread_to(std::size_t core) const {
  bind_thread_to(cores_.at(core).processors.get(), "core " + std::to_string(core));
}

void Processors::bind_thread_to_all() const {
  bind_thread_to(allowed_.get(), "all cores");
}

void Processors::place_near(std::size_t core, void* data, std::size_t bytes) const noexcept {
  if (hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_NUMANODE) > 1)
    hwloc_set_area_membind(topology_.get(), data, bytes, cores_[core].processors.get(),
                           HWLOC_MEMBIND_BIND, 0);
}

std::size_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

std::size_t total_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? std::size_t(pages) * std::size_t(page_bytes) : 0;
}

}  // namespace breakeven::cpu
