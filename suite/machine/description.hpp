// SPDX-License-Identifier: Apache-2.0
// The machine describes itself. To be asked before any plugin is loaded: loading an OpenMP runtime
// under OMP_PROC_BIND binds the caller, and the machine would seem to have one processor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

// `NA` where something cannot be known.
struct MachineDescription {
  std::vector<std::pair<std::string, std::string>> columns;  // of the report, by name
  std::vector<std::pair<std::string, std::string>> facts;    // to be packed into `machine_facts`

  // `NA` where there is no such column or fact.
  std::string_view operator[](std::string_view key) const;
};

// Columns: machine, cpu_model, cpu_sockets, cpu_cores, cpu_threads, vector_extensions,
// memory_bytes, governor, cpuset, cpu_quota, os, kernel, compiler, compiler_flags, build_type,
// libraries (those of the suite: packed pairs).
//
// Facts: machine_id tells machines apart without naming them: a hash of the machine's own id, its
// processor and its memory. The rest: cpu_vendor, cpu_family, cpu_model_number, cpu_stepping,
// microcode, smt, numa_nodes, l1d_bytes, l1d_count, l2_bytes, …, cache_line_bytes, max_mhz, board,
// sve_bytes (of a vector), page_bytes, boost, transparent_huge_pages, huge_pages, huge_page_bytes,
// available_bytes, swap_bytes, container, hypervisor, clocksource, load_average, online_cpus,
// isolated_cpus.
//
// `name` replaces the host name where not empty. `root` is where /proc, /sys and /etc are.
MachineDescription describe_machine(std::string_view name = {},
                                    const std::filesystem::path& root = "/");

}  // namespace breakeven
