// SPDX-License-Identifier: Apache-2.0
// The processor cores that this process may use: the fastest first where there are several sorts,
// else in the order of the machine.
#pragma once

#include <hwloc.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven::cpu {

class Processors {
 public:
  // Cores outside of the cpuset and the affinity of the process are left out. Throws
  // std::runtime_error where hwloc cannot read the machine. `root` is where /proc and /sys are.
  explicit Processors(const std::filesystem::path& root = "/");

  std::size_t cores() const noexcept { return cores_.size(); }
  const std::string& model(std::size_t core) const { return cores_.at(core).model; }

  // The threads that an option asks for: a number, or `all` for one on every core.
  // Throws as number_of_threads.
  std::size_t threads_from(std::string_view text) const;

  // Binding puts the calling thread on the first hardware thread of one core, or lets it run on all
  // allowed cores. Throws std::runtime_error where the system refuses.
  void bind_thread_to(std::size_t core) const;
  void bind_thread_to_all() const;

  // Asks for the pages of this memory, not yet touched, to lie near the core. Systems that cannot,
  // do not.
  void place_near(std::size_t core, void* data, std::size_t bytes) const noexcept;

 private:
  struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
  };
  struct FreeSet {
    void operator()(hwloc_bitmap_t set) const noexcept { hwloc_bitmap_free(set); }
  };
  using Set = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeSet>;

  void bind_thread_to(hwloc_const_cpuset_t set, const std::string& where) const;

  std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology> topology_;
  struct Core {
    Set processors;  // one of them
    std::string model;
    unsigned capacity;
  };
  Set allowed_;
  std::vector<Core> cores_;
};

// What the system could still give out, in bytes; 0 where it does not say.
std::size_t available_memory_bytes();
std::size_t total_memory_bytes();

}  // namespace breakeven::cpu
