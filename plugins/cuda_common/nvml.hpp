// SPDX-License-Identifier: Apache-2.0
// What the NVIDIA Management Library says about a GPU. The library comes with the driver and is
// loaded at run time; what it needs is declared here. Where it or a function of it is missing, a
// fact is `NA` and a reading is left out.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/fact_list.hpp"

namespace breakeven::cuda {

struct NvmlFunctions;

class NvmlDevice {
 public:
  // By PCI address, since its numbering is not that of CUDA.
  explicit NvmlDevice(const std::string& pci_bus_id);
  ~NvmlDevice();

  void add_facts(FactList& facts) const;
  // The energy may be five times as old as asking for it takes.
  std::size_t readings(std::span<Reading> into) const;

  // CUDA has a slice of the GPU, the driver knows power and energy of all of it only.
  bool is_shared() const;
  double most_sm_mhz() const;  // 0: unknown

 private:
  std::optional<unsigned long long> millijoules() const;

  std::shared_ptr<const NvmlFunctions> nvml_;
  void* device_ = nullptr;
  // On an H200 that takes 3.4 ms, asking for all else together 1 ms.
  mutable std::mutex mutex_;
  mutable std::optional<unsigned long long> millijoules_;
  mutable std::chrono::steady_clock::time_point ask_again_;
};

// What starting the library took in this process.
double nvml_seconds();

// `580.82.07`, or `NA`.
std::string nvidia_driver_version();

}  // namespace breakeven::cuda
