// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/cache_flush.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <vector>

#include "suite/machine/binding.hpp"
#include "suite/machine/caches.hpp"
#include "suite/measure/device_ceilings.hpp"

namespace breakeven {
namespace {

std::size_t cache_line_bytes() {
  const long bytes = ::sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 64;
}

// Of all caches of the largest kind together.
std::size_t last_level_bytes() {
  const auto caches = data_caches();
  if (caches.empty()) return std::size_t{64} << 20;
  return caches.back().bytes * caches.back().count;
}

// One thread goes to every processor of the process and writes: the caches of each core lose what
// they held, and the shared ones too.
class HostFlush final : public CacheFlush {
 public:
  HostFlush() {
    const std::size_t processors = std::max(1, CPU_COUNT(&allowed_));
    share_ = std::max(2 * last_level_bytes() / processors, std::size_t{8} << 20);
    memory_.resize(share_ * processors);
  }

  void flush() override {
    cpu_set_t before;
    const bool known = ::sched_getaffinity(0, sizeof before, &before) == 0;
    std::size_t part = 0;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (!CPU_ISSET(processor, &allowed_)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      ::sched_setaffinity(0, sizeof one, &one);
      write(part++);
    }
    if (part == 0) write(0);
    if (known) ::sched_setaffinity(0, sizeof before, &before);
  }

 private:
  void write(std::size_t part) {
    unsigned char* begin = memory_.data() + part * share_;
    for (std::size_t i = 0; i < share_; i += cache_line_) {
      *static_cast<volatile unsigned char*>(begin + i) = static_cast<unsigned char>(i);
    }
  }

  cpu_set_t allowed_ = processors_of_process();
  std::size_t cache_line_ = cache_line_bytes();
  std::size_t share_ = 0;
  std::vector<unsigned char> memory_;
};

class DeviceFlush final : public CacheFlush {
 public:
  explicit DeviceFlush(Device& device) : queue_(device.queue()) {
    std::size_t bytes = std::max(largest_array_bytes(device), std::size_t{256} << 20);
    const std::size_t free = device.info().free_bytes;
    if (free > 0) bytes = std::min(bytes, free / 4);
    from_ = device.allocate(bytes, Memory::device);
    to_ = device.allocate(bytes, Memory::device);
    if (!from_ || !to_) throw std::bad_alloc();
    copy_ = queue_->prepare_any(Copy{{to_.get(), 0, bytes}, {from_.get(), 0, bytes}});
    if (!copy_)
      throw std::runtime_error("cache flush: the device copies nothing within its memory");
  }

  void flush() override {
    host_.flush();
    copy_->enqueue();
    queue_->synchronize();
  }

 private:
  HostFlush host_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> from_, to_;
  std::unique_ptr<Task> copy_;
};

}  // namespace

std::unique_ptr<CacheFlush> cache_flush_for(Device& device) {
  if (device.info().kind == Kind::cpu) return std::make_unique<HostFlush>();
  return std::make_unique<DeviceFlush>(device);
}

}  // namespace breakeven
