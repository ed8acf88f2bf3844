// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include "profile.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace fake_cuda {

namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

Fault fault_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3) throw std::runtime_error("FAKE_CUDA_FAIL: call[@device]:count:error");
  const std::vector<std::string> place = split(parts[0], '@');
  return {place[0], place.size() > 1 ? std::stoi(place[1]) : -1, std::stoi(parts[1]),
          std::stoi(parts[2])};
}

Settings from_environment() {
  Settings result;
  result.devices = std::stoi(variable("FAKE_CUDA_DEVICES", std::to_string(profile().gpus).c_str()));
  const std::string driver = variable("FAKE_CUDA_DRIVER", "13000");
  result.driver = driver == "none" ? 0 : std::stoi(driver);
  result.memory_bytes =
      std::stoull(variable("FAKE_CUDA_MEMORY", std::to_string(profile().memory_mib << 20).c_str()));
  const bool has_peers = !profile().has_time || profile().peer_gbs > 0;
  result.peers = has_peers && variable("FAKE_CUDA_PEERS", "on") != "off";
  result.registers = variable("FAKE_CUDA_REGISTER", "on") != "off";
  result.slow_us.resize(static_cast<std::size_t>(result.devices));
  for (const std::string& text : split(variable("FAKE_CUDA_SLOW", ""), ' ')) {
    const std::vector<std::string> parts = split(text, ':');
    for (std::size_t i = 0; i < result.slow_us.size(); ++i)
      if (parts.at(0) == "*" || parts[0] == std::to_string(i))
        result.slow_us[i] = std::stol(parts.at(1));
  }
  for (const std::string& text : split(variable("FAKE_CUDA_FAIL", ""), ' '))
    result.faults.push_back(fault_of(text));
  result.skipped = split(variable("FAKE_CUDA_SKIP", ""), ' ');
  result.processors = split(variable("FAKE_CUDA_PROCESSORS", ""), ' ');
  result.exclusive = variable("FAKE_CUDA_EXCLUSIVE", "");
  if (profile().exclusive && result.exclusive.empty())
    throw std::runtime_error("FAKE_CUDA_EXCLUSIVE: this profile needs a folder");
  return result;
}

}  // namespace

const Settings& settings() {
  static const Settings& once = *new Settings(from_environment());
  return once;
}

}  // namespace fake_cuda
