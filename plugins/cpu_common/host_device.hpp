// SPDX-License-Identifier: Apache-2.0
// A device that computes on ordinary memory: one core, or all of them.
#pragma once

#include <breakeven/plugin.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cpu_common/processors.hpp"

namespace breakeven::cpu {

// Pageable and device memory are the same here; there is no pinned memory. What a queue computes is
// up to the plugin.
class HostDevice : public Device {
 public:
  // With no core given, the device is all of them. `processors` outlives the device.
  HostDevice(const Processors& processors, std::optional<std::size_t> core);

  DeviceInfo info() const override;
  std::span<const Fact> facts() const override { return {}; }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override;
  bool reaches(const Device&) const override { return true; }
  void bind_thread() override;

 private:
  const Processors& processors_;
  std::optional<std::size_t> core_;
  std::string name_;
};

// Memory aligned to 64 bytes, or to huge pages where it is large. Throws std::bad_alloc.
struct FreeMemory {
  void operator()(void* data) const noexcept;
};
using HostMemory = std::unique_ptr<void, FreeMemory>;
HostMemory allocate_memory(std::size_t bytes);

}  // namespace breakeven::cpu
