// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/description.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "build_description.hpp"
#include "suite/machine/arm_processors.hpp"
#include "suite/machine/caches.hpp"
#include "suite/machine/control_group.hpp"
#include "suite/machine/text_file.hpp"
#include "suite/machine/topology.hpp"

namespace breakeven {
namespace {

namespace fs = std::filesystem;
using Text = std::optional<std::string>;

constexpr std::string_view not_known = "NA";

class List {
 public:
  void add(std::string key, const Text& value) {
    entries.emplace_back(std::move(key),
                         value && !value->empty() ? *value : std::string(not_known));
  }
  void add_number(std::string key, std::optional<std::uint64_t> value) {
    add(std::move(key), value ? Text(std::to_string(*value)) : std::nullopt);
  }
  std::vector<std::pair<std::string, std::string>> entries;
};

std::optional<std::uint64_t> positive(long long value) {
  if (value <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// `12345 kB` of /proc/meminfo in bytes.
std::optional<std::uint64_t> kilobytes(const Text& text) {
  std::uint64_t value = 0;
  if (!text || !(std::istringstream(*text) >> value)) return std::nullopt;
  return value * 1024;
}

// The one in brackets of `always [madvise] never`.
Text chosen(const Text& text) {
  if (!text) return std::nullopt;
  const std::size_t open = text->find('['), close = text->find(']');
  if (open == text->npos || close == text->npos || close < open) return text;
  return text->substr(open + 1, close - open - 1);
}

Text os_name(const fs::path& root) {
  Text name = entry(root / "etc/os-release", "PRETTY_NAME", '=');
  if (name && name->size() >= 2 && name->front() == '"') name = name->substr(1, name->size() - 2);
  return name;
}

// Widest first: what decides how fast the arithmetic of a product can be.
Text vector_extensions(const Text& flags) {
  if (!flags) return std::nullopt;
  constexpr std::array known{"amx_tile", "avx512f", "avx512_bf16", "avx512_fp16", "avx_vnni",
                             "avx2",     "fma",     "avx",         "sse4_2",      "sse2",
                             "sve2",     "sve",     "bf16",        "asimdhp",     "asimd"};
  const std::string padded = " " + *flags + " ";
  std::string found;
  for (const std::string name : known) {
    if (padded.find(" " + name + " ") == padded.npos) continue;
    found += (found.empty() ? "" : " ") + name;
  }
  return found;
}

Text container(const fs::path& root) {
  if (fs::exists(root / ".dockerenv")) return "docker";
  if (fs::exists(root / "run/.containerenv")) return "podman";
  if (Text manager = first_line(root / "run/systemd/container")) return manager;
  std::ifstream file(root / "proc/1/cgroup");
  for (std::string line; std::getline(file, line);) {
    for (const std::string_view word : {"kubepods", "docker", "lxc", "slurm"}) {
      if (line.find(word) != line.npos) return std::string(word);
    }
  }
  return "none";
}

// The processor's flag says that there is one, if it is no Arm processor; who it is, the firmware.
Text hypervisor(const fs::path& root, const Text& flags) {
  if (Text type = first_line(root / "sys/hypervisor/type")) return type;
  if (!flags || !arm_processors(root).empty()) return std::nullopt;
  if ((" " + *flags + " ").find(" hypervisor ") == std::string::npos) return "none";
  const Text product = first_line(root / "sys/class/dmi/id/product_name");
  return product ? product : Text("yes");
}

Text boost_state(const fs::path& cpu) {
  if (const Text boost = first_line(cpu / "cpufreq/boost")) return *boost == "1" ? "on" : "off";
  if (const Text off = first_line(cpu / "intel_pstate/no_turbo")) return *off == "0" ? "on" : "off";
  return std::nullopt;
}

// Of the fastest processor: the first may be a small one.
Text max_mhz(const fs::path& cpus) {
  double most = 0;
  std::error_code none;
  for (const auto& cpu : fs::directory_iterator(cpus, none))
    if (const Text khz = first_line(cpu.path() / "cpufreq/cpuinfo_max_freq"))
      most = std::max(most, std::strtod(khz->c_str(), nullptr) / 1e3);
  return most > 0 ? Text(fmt::format("{:g}", most)) : std::nullopt;
}

Text smt(const fs::path& cpu) {
  const Text active = first_line(cpu / "smt/active");
  if (!active) return std::nullopt;
  return *active == "1" ? "on" : "off";
}

// Fowler, Noll and Vo's FNV-1a.
std::string hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037u;
  for (const unsigned char byte : text) value = (value ^ byte) * 1099511628211u;
  return fmt::format("{:016x}", value);
}

// What the process is bound to (taskset, a batch system); what lies outside leaves the topology.
Text restrict_to_cpuset(const Topology& topology) {
  const hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  if (!bound) return std::nullopt;
  if (hwloc_get_cpubind(topology.get(), bound, HWLOC_CPUBIND_PROCESS) != 0 ||
      hwloc_topology_restrict(topology.get(), bound, 0) != 0) {
    hwloc_bitmap_copy(bound, hwloc_topology_get_topology_cpuset(topology.get()));
  }
  std::array<char, 4096> text{};
  hwloc_bitmap_list_snprintf(text.data(), text.size(), bound);
  hwloc_bitmap_free(bound);
  return std::string(text.data());
}

std::optional<std::uint64_t> objects(const Topology& topology, hwloc_obj_type_t type) {
  return positive(hwloc_get_nbobjs_by_type(topology.get(), type));
}

Text host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return std::nullopt;
  return std::string(name.data());
}

std::string libraries() {
  return fmt::format(
      "google_benchmark={} boost={}.{}.{} fmt={}.{}.{} nlohmann_json={}.{}.{} hwloc={}.{}",
      build::google_benchmark, BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
      BOOST_VERSION % 100, FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH,
      HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 0xFF);
}

struct Processor {
  Text model, vendor, family, number, stepping, microcode, flags;
};

// `Neoverse N1`, or with several sorts of cores `4 x Cortex-A55 + 4 x Cortex-A76`.
Text arm_model(const fs::path& root) {
  std::vector<std::pair<ArmCore, std::size_t>> sorts;
  for (const auto& [number, core] : arm_processors(root)) {
    const auto known = std::find_if(sorts.begin(), sorts.end(), [&, now = core](const auto& sort) {
      return sort.first == now;
    });
    if (known == sorts.end())
      sorts.emplace_back(core, 1);
    else
      ++known->second;
  }
  if (sorts.size() == 1) return name_of(sorts.front().first);
  std::string model;
  for (const auto& [core, count] : sorts)
    model += fmt::format("{}{} x {}", model.empty() ? "" : " + ", count, name_of(core));
  return model;
}

// `Raspberry Pi 5 Model B Rev 1.0`; the firmware ends its texts with a null.
Text board(const fs::path& root) {
  if (Text product = first_line(root / "sys/class/dmi/id/product_name")) return product;
  Text model = first_line(root / "proc/device-tree/model");
  if (model) model->resize(std::min(model->size(), model->find('\0')));
  return model;
}

Processor processor(const fs::path& root) {
  const fs::path file = root / "proc/cpuinfo";
  const auto named = [&](std::string_view key) { return entry(file, key, ':'); };
  Processor result{named("model name"), named("vendor_id"), named("cpu family"), named("model"),
                   named("stepping"),   named("microcode"), named("flags")};
  // Arm names things differently, and the model by a number.
  if (!result.flags) result.flags = named("Features");
  if (!result.vendor) result.vendor = named("CPU implementer");
  if (!result.number) result.number = named("CPU part");
  if (!result.model) result.model = arm_model(root);
  const Text variant = named("CPU variant"), revision = named("CPU revision");
  if (!result.stepping && variant && revision)
    result.stepping = fmt::format("r{}p{}", std::strtol(variant->c_str(), nullptr, 16), *revision);
  return result;
}

}  // namespace

std::string_view MachineDescription::operator[](std::string_view key) const {
  for (const auto* list : {&columns, &facts}) {
    for (const auto& [name, value] : *list) {
      if (name == key) return value;
    }
  }
  return not_known;
}

MachineDescription describe_machine(std::string_view name, const fs::path& root) {
  const Topology topology;
  const Text cpuset = restrict_to_cpuset(topology);
  const Processor cpu = processor(root);
  const fs::path cpus = root / "sys/devices/system/cpu";
  const fs::path meminfo = root / "proc/meminfo";
  const auto memory = [&](std::string_view key) { return kilobytes(entry(meminfo, key, ':')); };
  const auto total = memory("MemTotal");
  const auto quota = ControlGroup(root).quota();

  List columns;
  columns.add("machine", name.empty() ? host_name() : Text(name));
  columns.add("cpu_model", cpu.model);
  columns.add_number("cpu_sockets", objects(topology, HWLOC_OBJ_PACKAGE));
  columns.add_number("cpu_cores", objects(topology, HWLOC_OBJ_CORE));
  columns.add_number("cpu_threads", objects(topology, HWLOC_OBJ_PU));
  columns.add("vector_extensions", vector_extensions(cpu.flags));
  columns.add_number("memory_bytes", total);
  columns.add("governor", first_line(cpus / "cpu0/cpufreq/scaling_governor"));
  columns.add("cpuset", cpuset);
  columns.add("cpu_quota", quota ? Text(fmt::format("{:g}", *quota)) : std::nullopt);
  columns.add("os", os_name(root));
  columns.add("kernel", first_line(root / "proc/sys/kernel/osrelease"));
  columns.add("compiler", std::string(build::compiler));
  columns.add("compiler_flags", std::string(build::compiler_flags));
  columns.add("build_type", std::string(build::build_type));
  columns.add("libraries", libraries());

  List facts;
  const auto known = [](const Text& text) { return text.value_or(""); };
  // Memory in GiB: what the kernel keeps for itself changes between boots.
  facts.add("machine_id",
            hash(fmt::format("{}|{}|{}|{}|{}", known(first_line(root / "etc/machine-id")),
                             known(cpu.model), known(cpu.family), known(cpu.number),
                             (total.value_or(0) + (1u << 29)) >> 30)));
  facts.add("cpu_vendor", cpu.vendor);
  facts.add("cpu_family", cpu.family);
  facts.add("cpu_model_number", cpu.number);
  facts.add("cpu_stepping", cpu.stepping);
  facts.add("microcode", cpu.microcode);
  facts.add("smt", smt(cpus));
  facts.add_number("numa_nodes", objects(topology, HWLOC_OBJ_NUMANODE));
  const auto caches = data_caches();
  for (const unsigned level : {1u, 2u, 3u}) {
    const auto cache = std::find_if(caches.begin(), caches.end(),
                                    [&](const Cache& one) { return one.level == level; });
    const bool found = cache != caches.end();
    const std::string key = fmt::format("l{}{}", level, level == 1 ? "d" : "");
    facts.add_number(key + "_bytes", found ? std::optional(cache->bytes) : std::nullopt);
    facts.add_number(key + "_count", found ? std::optional(cache->count) : std::nullopt);
  }
  facts.add_number("cache_line_bytes", positive(::sysconf(_SC_LEVEL1_DCACHE_LINESIZE)));
  facts.add("max_mhz", max_mhz(cpus));
  facts.add("board", board(root));
  facts.add("sve_bytes", first_line(root / "proc/sys/abi/sve_default_vector_length"));
  facts.add_number("page_bytes", positive(::sysconf(_SC_PAGESIZE)));
  facts.add("boost", boost_state(cpus));
  facts.add("transparent_huge_pages",
            chosen(first_line(root / "sys/kernel/mm/transparent_hugepage/enabled")));
  facts.add("huge_pages", entry(meminfo, "HugePages_Total", ':'));
  facts.add_number("huge_page_bytes", memory("Hugepagesize"));
  facts.add_number("available_bytes", memory("MemAvailable"));
  facts.add_number("swap_bytes", memory("SwapTotal"));
  facts.add("container", container(root));
  facts.add("hypervisor", hypervisor(root, cpu.flags));
  facts.add("clocksource",
            first_line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"));
  const Text load = first_line(root / "proc/loadavg");
  facts.add("load_average", load ? Text(load->substr(0, load->find(' '))) : std::nullopt);
  facts.add("online_cpus", first_line(cpus / "online"));
  facts.add("isolated_cpus", first_line(cpus / "isolated"));
  return {std::move(columns.entries), std::move(facts.entries)};
}

}  // namespace breakeven
