// SPDX-License-Identifier: Apache-2.0
// One GPU, as all CUDA backends see it; what its queues are is theirs.
#pragma once

#include <memory>
#include <string>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/fact_list.hpp"
#include "plugins/cuda_common/nvml.hpp"
#include "plugins/cuda_common/placement.hpp"

namespace breakeven::cuda {

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int ordinal);

  int ordinal() const noexcept { return ordinal_; }
  int processors() const noexcept { return processors_; }  // streaming multiprocessors
  int capability() const noexcept { return capability_; }  // 90 for compute capability 9.0
  const Placement& placement() const noexcept { return placement_; }

  DeviceInfo info() const override;
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::size_t readings(std::span<Reading> into) const override { return nvml_.readings(into); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override;
  bool reaches(const Device& peer) const override;
  void bind_thread() override { placement_.bind_thread(); }

 protected:
  void add_fact(std::string key, std::string value) {
    facts_.add(std::move(key), std::move(value));
  }

 private:
  void add_peaks();

  int ordinal_;
  int processors_ = 0, capability_ = 0;
  std::string name_, pci_bus_id_, hardware_;
  std::size_t memory_bytes_ = 0;
  FactList facts_;
  NvmlDevice nvml_;
  Placement placement_;
};

int device_count();

// Its compute mode lets one process at a time use it.
bool is_exclusive(int ordinal);

// Memory of the system can be pinned for it: not where it is not coherent with the GPU.
bool registers_host_memory(int ordinal);

// Of an exclusive GPU: makes its context, which blocks until no other process has one, at most ten
// seconds, then throws std::runtime_error. Of others: nothing.
void take_turn(int ordinal);

// `driver`, `cuda_driver`, `cuda_runtime`
void add_runtime_facts(FactList& facts);

}  // namespace breakeven::cuda
