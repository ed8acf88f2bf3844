// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace fake_cuda {
namespace {

template <class Value>
bool take(std::istringstream& line, const std::string& key, const char* name, Value& value) {
  if (key != name) return false;
  if constexpr (std::is_same_v<Value, std::string>) {
    std::getline(line >> std::ws, value);
  } else {
    line >> value;
  }
  if (!line) throw std::runtime_error("FAKE_CUDA_PROFILE: no value of " + key);
  return true;
}

Profile read() {
  Profile p;
  const char* const path = std::getenv("FAKE_CUDA_PROFILE");
  if (!path || !*path) return p;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("FAKE_CUDA_PROFILE: cannot read ") + path);
  p.has_time = true;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string key;
    if (!(line >> key) || key.front() == '#') continue;
    const auto is = [&](const char* name, auto& value) { return take(line, key, name, value); };
    const bool known =
        is("name", p.name) || is("gpus", p.gpus) || is("capability", p.capability) ||
        is("multiprocessors", p.multiprocessors) || is("bus_bits", p.bus_bits) ||
        is("memory_mib", p.memory_mib) || is("l2_kib", p.l2_kib) || is("exclusive", p.exclusive) ||
        is("mig", p.mig) || is("idle_mhz", p.idle_mhz) || is("boost_mhz", p.boost_mhz) ||
        is("sustained_mhz", p.sustained_mhz) || is("together_mhz", p.together_mhz) ||
        is("most_mhz", p.most_mhz) || is("memory_mhz", p.memory_mhz) || is("ramp_ms", p.ramp_ms) ||
        is("sustained_after_ms", p.sustained_after_ms) || is("idle_after_ms", p.idle_after_ms) ||
        is("idle_watts", p.idle_watts) || is("busy_watts", p.busy_watts) ||
        is("limit_watts", p.limit_watts) || is("energy_every_ms", p.energy_every_ms) ||
        is("f32_per_clock", p.f32_per_clock) || is("f64_per_clock", p.f64_per_clock) ||
        is("f16_per_clock", p.f16_per_clock) || is("tf32_per_clock", p.tf32_per_clock) ||
        is("memory_gbs", p.memory_gbs) || is("pcie_gbs", p.pcie_gbs) ||
        is("host_gbs", p.host_gbs) || is("peer_gbs", p.peer_gbs) || is("call_us", p.call_us) ||
        is("operation_us", p.operation_us) || is("copy_us", p.copy_us) || is("queue", p.queue) ||
        is("driver_ms", p.driver_ms) || is("nvml_ms", p.nvml_ms) ||
        is("context_ms", p.context_ms) || is("compile_ms", p.compile_ms);
    if (!known) throw std::runtime_error("FAKE_CUDA_PROFILE: nothing is called " + key);
  }
  if (p.together_mhz == 0) p.together_mhz = p.sustained_mhz;
  return p;
}

}  // namespace

const Profile& profile() {
  static const Profile& once = *new Profile(read());
  return once;
}

}  // namespace fake_cuda
