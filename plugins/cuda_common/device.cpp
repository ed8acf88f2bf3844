// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/copy.hpp"
#include "plugins/cuda_common/peaks.hpp"

namespace breakeven::cuda {
namespace {

std::string pci_bus_id_of(int ordinal) {
  std::array<char, 32> text{};
  CUDA_TRY(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), ordinal));
  return text.data();
}

// As nvidia-smi writes it: GPU-00112233-4455-6677-8899-aabbccddeeff
std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", uuid.bytes[i] & 0xffu);
    text += digits.data();
  }
  return text;
}

std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// The other GPUs that this one reaches without the host: `1,2,3`.
std::string peers_of(int ordinal) {
  std::string peers;
  for (int other = 0; other < device_count(); ++other) {
    if (other == ordinal || !reaches(ordinal, other)) continue;
    if (!peers.empty()) peers += ',';
    peers += std::to_string(other);
  }
  return peers.empty() ? "none" : peers;
}

}  // namespace

CudaDevice::CudaDevice(int ordinal)
    : ordinal_(ordinal),
      pci_bus_id_(pci_bus_id_of(ordinal)),
      nvml_(pci_bus_id_),
      placement_(pci_bus_id_) {
  take_turn(ordinal);
  cudaDeviceProp properties{};
  CUDA_TRY(cudaGetDeviceProperties(&properties, ordinal));
  name_ = properties.name;
  memory_bytes_ = properties.totalGlobalMem;
  processors_ = properties.multiProcessorCount;
  capability_ = properties.major * 10 + properties.minor;
  hardware_ = text_of(properties.uuid);
  facts_.add("uuid", hardware_);
  facts_.add("pci_bus_id", pci_bus_id_);
  facts_.add("compute_capability",
             std::to_string(properties.major) + "." + std::to_string(properties.minor));
  facts_.add("memory_bytes", std::to_string(memory_bytes_));
  facts_.add("memory_bus_bits", std::to_string(properties.memoryBusWidth));
  facts_.add("multiprocessors", std::to_string(processors_));
  facts_.add("l2_bytes", std::to_string(properties.l2CacheSize));
  facts_.add("copy_engines", std::to_string(properties.asyncEngineCount));
  facts_.add("peers", peers_of(ordinal));
  if (is_exclusive(ordinal)) facts_.add("most_processes", "1");
  nvml_.add_facts(facts_);
  add_peaks();
}

void CudaDevice::add_peaks() {
  const auto ask = [&](cudaDeviceAttr attribute) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, ordinal_) != cudaSuccess) value = 0;
    cudaGetLastError();
    return static_cast<double>(value);
  };
  const auto add = [&](const std::string& what, double per_second) {
    if (per_second <= 0) return;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f", per_second);
    add_fact("peak_" + what + "_per_s", text.data());
  };
  double hertz = ask(cudaDevAttrClockRate) * 1e3;
  hertz = std::max(hertz, nvml_.most_sm_mhz() * 1e6);  // boost clocks may be above
  for (const auto& [type, flops] : flops_per_clock(capability_, name_))
    add(type + "_flop", flops * processors_ * hertz);
  // Two transfers a clock. A slice of a GPU is told the whole bus.
  if (!nvml_.is_shared())
    add("memory_byte",
        2 * ask(cudaDevAttrMemoryClockRate) * 1e3 * ask(cudaDevAttrGlobalMemoryBusWidth) / 8);
}

DeviceInfo CudaDevice::info() const {
  use(ordinal_);
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
  return {name_, Kind::gpu, memory_bytes_, free_bytes, hardware_};
}

std::unique_ptr<Buffer> CudaDevice::allocate(std::size_t bytes, Memory memory, std::size_t) {
  // Pinned memory lies where the thread runs that pins it.
  const Placement::Stay stay(memory == Memory::pinned ? &placement_ : nullptr);
  return std::make_unique<CudaBuffer>(bytes, memory, *this, ordinal_);
}

bool is_exclusive(int ordinal) {
  int mode = cudaComputeModeDefault;
  CUDA_TRY(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, ordinal));
  return mode == cudaComputeModeExclusiveProcess;
}

bool registers_host_memory(int ordinal) {
  int supported = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterSupported, ordinal));
  return supported != 0;
}

void take_turn(int ordinal) {
  if (!is_exclusive(ordinal)) return;
  cudaError_t status = cudaSuccess;
  for (int tries = 0; tries < 500; ++tries) {
    status = cudaSetDevice(ordinal);
    if (status == cudaSuccess) status = cudaFree(nullptr);  // where the call before is a lazy one
    if (status != cudaErrorDevicesUnavailable) break;
    cudaGetLastError();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (status == cudaErrorDevicesUnavailable)
    throw std::runtime_error("GPU " + std::to_string(ordinal) +
                             " is set to one process at a time, and another has it: end that one, "
                             "or nvidia-smi -c DEFAULT");
  check(status, "cudaSetDevice");
}

bool CudaDevice::reaches(const Device& peer) const {
  return cuda::reaches(ordinal_, static_cast<const CudaDevice&>(peer).ordinal_);
}

int device_count() {
  int count = 0;
  CUDA_TRY(cudaGetDeviceCount(&count));
  return count;
}

void add_runtime_facts(FactList& facts) {
  int driver = 0, runtime = 0;
  CUDA_TRY(cudaDriverGetVersion(&driver));
  CUDA_TRY(cudaRuntimeGetVersion(&runtime));
  facts.add("driver", nvidia_driver_version());
  facts.add("cuda_driver", version_text(driver));
  facts.add("cuda_runtime", version_text(runtime));
}

}  // namespace breakeven::cuda
