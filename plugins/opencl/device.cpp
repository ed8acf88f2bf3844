// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/device.hpp"

#include <CL/cl_ext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/queue.hpp"

namespace breakeven::opencl {

namespace {

// AMD's extension cl_amd_device_attribute_query: kilobytes, all and the largest piece.
constexpr cl_device_info free_memory_of_amd = 0x4039;

std::size_t free_bytes_of(const OpenClDevice& device) {
  const Hardware& hardware = device.hardware;
  std::array<std::size_t, 2> kilobytes{};
  if (call<clGetDeviceInfo>(hardware.id, free_memory_of_amd, sizeof kilobytes, kilobytes.data(),
                            nullptr) == CL_SUCCESS)
    return kilobytes[0] << 10;
  if (hardware.is_cpu())
    return std::min(hardware.memory_bytes, static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  // Nothing says what others hold.
  return hardware.memory_bytes - std::min(hardware.memory_bytes, device.allocated_bytes.load());
}

// `GPU-00112233-4455-6677-8899-aabbccddeeff pci:0000:65:00.0`, as far as extensions tell.
std::string words_for(const Hardware& hardware) {
  if (hardware.is_cpu()) return "host";
  std::string words;
  const auto add = [&words](const char* format, auto... numbers) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(numbers)...);
    words += text.data();
  };
  const auto says = [&hardware](cl_device_info what, auto& value) {
    return call<clGetDeviceInfo>(hardware.id, what, sizeof value, static_cast<void*>(&value),
                                 nullptr) == CL_SUCCESS;
  };
  std::array<unsigned char, CL_UUID_SIZE_KHR> uuid{};
  if (says(CL_DEVICE_UUID_KHR, uuid)) {
    words = "GPU";
    for (std::size_t i = 0; i < uuid.size(); ++i)
      add(i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
  }
  cl_device_pci_bus_info_khr pci{};
  if (says(CL_DEVICE_PCI_BUS_INFO_KHR, pci))
    add(words.empty() ? "pci:%04x:%02x:%02x.%x" : " pci:%04x:%02x:%02x.%x", pci.pci_domain,
        pci.pci_bus, pci.pci_device, pci.pci_function);
  return words;
}

}  // namespace

OpenClDevice::OpenClDevice(Hardware& device, const Settings& chosen)
    : hardware(device), settings(chosen), made_of_(words_for(device)) {
  const cl_device_id id = hardware.id;
  const auto number = [&](cl_device_info what) {
    return std::to_string(value_of<cl_ulong>(id, what));
  };
  add_fact("platform", opencl::text_of(hardware.platform, CL_PLATFORM_NAME));
  add_fact("platform_version", opencl::text_of(hardware.platform, CL_PLATFORM_VERSION));
  add_fact("driver", opencl::text_of(id, CL_DRIVER_VERSION));
  add_fact("vendor", opencl::text_of(id, CL_DEVICE_VENDOR));
  add_fact("opencl_version", opencl::text_of(id, CL_DEVICE_VERSION));
  add_fact("opencl_type", hardware.type & CL_DEVICE_TYPE_GPU ? "gpu"
                          : hardware.is_cpu()                ? "cpu"
                                                             : "accelerator");
  add_fact("compute_units", std::to_string(hardware.compute_units));
  if (hardware.is_cpu()) add_fact("threads", std::to_string(hardware.compute_units));
  add_fact("clock_mhz", std::to_string(value_of<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY)));
  add_fact("memory_bytes", std::to_string(hardware.memory_bytes));
  add_fact("largest_allocation_bytes", number(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  add_fact("cache_bytes", number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  add_fact("local_memory_bytes", number(CL_DEVICE_LOCAL_MEM_SIZE));
  add_fact("largest_work_group", std::to_string(hardware.largest_group));
  add_fact("f64", hardware.has_f64 ? "yes" : "no");
  add_fact("products", settings.products == Products::own ? "own" : "clblast, own for 16 bits");
  for (const auto& [type, key] : {std::pair{Type::f32, "tile_f32"}, {Type::f64, "tile_f64"}}) {
    const auto tile = settings.tile ? settings.tile : stored_tile(hardware, type);
    add_fact(key, tile ? opencl::text_of(*tile) : settings.tune ? "searched for" : "usual");
  }
  add_fact("extensions", opencl::text_of(id, CL_DEVICE_EXTENSIONS));
}

void OpenClDevice::add_fact(std::string key, std::string value) {
  const std::string& kept = text_.emplace_back(std::move(key));
  facts_.push_back({kept, text_.emplace_back(std::move(value))});
}

DeviceInfo OpenClDevice::info() const {
  const Kind kind = hardware.is_cpu()                    ? Kind::cpu
                    : hardware.type & CL_DEVICE_TYPE_GPU ? Kind::gpu
                                                         : Kind::accelerator;
  return {hardware.name, kind, hardware.memory_bytes, free_bytes_of(*this), made_of_};
}

std::unique_ptr<Buffer> OpenClDevice::allocate(std::size_t bytes, Memory memory, std::size_t) {
  return std::make_unique<OpenClBuffer>(bytes, memory, *this);
}

std::unique_ptr<Queue> OpenClDevice::queue() {
  return std::make_unique<OpenClQueue>(*this);
}

// What a runtime does between two cards it does not say; parts of one share its memory.
bool OpenClDevice::reaches(const Device& peer) const {
  return static_cast<const OpenClDevice&>(peer).hardware.whole == hardware.whole;
}

}  // namespace breakeven::opencl
