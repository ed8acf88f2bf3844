// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/host_device.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace breakeven::cpu {

namespace {

constexpr std::size_t huge_page_bytes = std::size_t(2) << 20;

class HostBuffer final : public Buffer {
 public:
  HostBuffer(HostMemory memory, std::size_t bytes, Memory kind, Device& device)
      : Buffer(memory.get(), bytes, kind, device), owned_(std::move(memory)) {}

 private:
  HostMemory owned_;
};

}  // namespace

void FreeMemory::operator()(void* data) const noexcept {
  std::free(data);
}

HostMemory allocate_memory(std::size_t bytes) {
  const std::size_t alignment = bytes >= 2 * huge_page_bytes ? huge_page_bytes : 64;
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;
  HostMemory memory(std::aligned_alloc(alignment, rounded));
  if (!memory) throw std::bad_alloc();
  if (alignment == huge_page_bytes) madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

HostDevice::HostDevice(const Processors& processors, std::optional<std::size_t> core)
    : processors_(processors), core_(core), name_(processors.model(core.value_or(0))) {
  if (core)
    name_ += " core " + std::to_string(*core);
  else
    name_ += " with " + std::to_string(processors.cores()) + " cores";
}

DeviceInfo HostDevice::info() const {
  return {name_, Kind::cpu, total_memory_bytes(), available_memory_bytes(), "host"};
}

std::unique_ptr<Buffer> HostDevice::allocate(std::size_t bytes, Memory memory, std::size_t) {
  if (memory == Memory::pinned) return nullptr;
  HostMemory owned = allocate_memory(bytes);
  if (core_) processors_.place_near(*core_, owned.get(), bytes);
  return std::make_unique<HostBuffer>(std::move(owned), bytes, memory, *this);
}

void HostDevice::bind_thread() {
  if (core_)
    processors_.bind_thread_to(*core_);
  else
    processors_.bind_thread_to_all();
}

}  // namespace breakeven::cpu
