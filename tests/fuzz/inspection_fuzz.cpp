// SPDX-License-Identifier: Apache-2.0
// What a plugin's inspection prints, its manifest included, as the registry reads it.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "suite/registry/inspection.hpp"
#include "suite/registry/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace breakeven;
  ChildEnd end;
  end.output.assign(data, data + size);
  const Plugin plugin = inspected({"/plugin.so", "/plugin.so", "/"}, end, {});
  if (!plugin.usable()) why_not_loaded(plugin);
  nlohmann::json(plugin).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return 0;
}
