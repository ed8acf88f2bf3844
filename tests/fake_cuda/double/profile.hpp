// SPDX-License-Identifier: Apache-2.0
// What a GPU and its links are like: a file of lines `name value`, in tests/fake_cuda/profiles.
// With one the double has time (time.hpp); without, it has none.
#pragma once

#include <cstddef>
#include <string>

namespace fake_cuda {

struct Profile {
  bool has_time = false;  // there is a file
  std::string name = "Fake GPU";
  int gpus = 1, capability = 90, multiprocessors = 4, bus_bits = 256;
  std::size_t memory_mib = 2048, l2_kib = 1024;
  bool exclusive = false, mig = false;

  // Clocks in MHz: an idle GPU begins at the first, is at the second `ramp_ms` later, and at the
  // third from `sustained_after_ms` of work on; at the fourth then while another works, too (0: the
  // third). It is idle after so long without work.
  double idle_mhz = 1500, boost_mhz = 1500, sustained_mhz = 1500, together_mhz = 0;
  double most_mhz = 1980;
  double memory_mhz = 2600;
  double ramp_ms = 0, sustained_after_ms = 1e9, idle_after_ms = 20;
  double idle_watts = 60, busy_watts = 250, limit_watts = 700, energy_every_ms = 100;

  // What a product reaches per multiprocessor and clock, and all of memory, pcie and peer in GB/s
  // and per direction: of a GPU, of all GPUs to the host together, between two GPUs.
  double f32_per_clock = 256, f64_per_clock = 128, f16_per_clock = 1024, tf32_per_clock = 512;
  double memory_gbs = 1000, pcie_gbs = 25, host_gbs = 100, peer_gbs = 0;

  // What a call costs the host, an operation the device, and how many fit a stream.
  double call_us = 2, operation_us = 1, copy_us = 5;
  std::size_t queue = 1024;
  double driver_ms = 0, nvml_ms = 0, context_ms = 0, compile_ms = 0;
};

// FAKE_CUDA_PROFILE. Throws std::runtime_error where it cannot be read or has an unknown name.
const Profile& profile();

}  // namespace fake_cuda
