// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "settings.hpp"
#include "time.hpp"

namespace fake_cuda {

namespace {

constexpr std::size_t guard = 4096;

// [guard][bytes, filled up with guard to a page][guard]; registered memory has no guards.
struct Allocation {
  std::byte* pages = nullptr;  // what streams use
  std::byte* shown = nullptr;  // what the host is given
  std::size_t bytes = 0, span = 0;
  Where where = Where::device;
  int device = -1;
  int file = -1;

  std::size_t begin() const { return where == Where::registered ? 0 : guard; }

  ~Allocation() {
    if (where == Where::registered) return;
    if (shown != pages) munmap(shown, span);
    munmap(pages, span);
    if (file >= 0) close(file);
  }
};

constexpr int guard_byte = 0xA5, fresh_byte = 0xFF;  // fresh memory reads as NaN
constexpr std::size_t most_in_time = std::size_t{8} << 20;
constexpr std::size_t most_filled = std::size_t{1} << 20;

struct Heap {
  std::mutex mutex;
  std::map<const std::byte*, std::shared_ptr<Allocation>> by_address;
  std::vector<std::size_t> used =
      std::vector<std::size_t>(static_cast<std::size_t>(settings().devices));
};

Heap& heap() {
  static Heap& once = *new Heap;
  return once;
}

std::byte* map(std::size_t span, int protection, int flags, int file) {
  void* const address = mmap(nullptr, span, protection, flags, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

std::shared_ptr<Allocation> make(std::size_t bytes, Where where, int device) {
  auto made = std::make_shared<Allocation>();
  made->bytes = bytes;
  made->span = (bytes + guard - 1) / guard * guard + 2 * guard;
  made->where = where;
  made->device = device;
  if (where == Where::device) {
    made->file = memfd_create("fake_cuda", 0);
    if (made->file < 0 || ftruncate(made->file, static_cast<off_t>(made->span)) != 0) return {};
    made->pages = map(made->span, PROT_READ | PROT_WRITE, MAP_SHARED, made->file);
    made->shown = map(made->span, PROT_NONE, MAP_SHARED, made->file);
  } else {
    made->pages = map(made->span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    made->shown = made->pages;
  }
  if (!made->pages || !made->shown) return {};
  std::memset(made->pages, guard_byte, guard);
  std::memset(made->pages + guard, fresh_byte, std::min(bytes, most_filled));
  std::memset(made->pages + guard + bytes, guard_byte, made->span - guard - bytes);
  return made;
}

bool untouched(const std::byte* from, std::size_t bytes) {
  return std::all_of(from, from + bytes,
                     [](std::byte value) { return std::to_integer<int>(value) == guard_byte; });
}

void expect_guards(const Allocation& allocation) {
  const std::size_t end = guard + allocation.bytes;
  if (untouched(allocation.pages, guard) &&
      untouched(allocation.pages + end, allocation.span - end))
    return;
  std::fprintf(stderr, "fake CUDA: something wrote beside an allocation of %zu bytes on GPU %d\n",
               allocation.bytes, allocation.device);
  std::abort();
}

}  // namespace

cudaError_t allocate_device(void** address, std::size_t bytes, int device) {
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  std::size_t& used = all.used[static_cast<std::size_t>(device)];
  if (bytes > settings().memory_bytes - used) return cudaErrorMemoryAllocation;
  const auto made = make(bytes, Where::device, device);
  if (!made) return cudaErrorMemoryAllocation;
  used += bytes;
  *address = made->shown + guard;
  all.by_address[made->shown] = made;
  return cudaSuccess;
}

cudaError_t allocate_pinned(void** address, std::size_t bytes) {
  if (bytes > settings().memory_bytes) return cudaErrorMemoryAllocation;
  const auto made = make(bytes, Where::pinned, -1);
  if (!made) return cudaErrorMemoryAllocation;
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  *address = made->shown + guard;
  all.by_address[made->shown] = made;
  return cudaSuccess;
}

cudaError_t release(void* address, Where where) {
  if (!address) return cudaSuccess;
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_address.find(static_cast<std::byte*>(address) - guard);
  if (found == all.by_address.end() || found->second->where != where) return cudaErrorInvalidValue;
  expect_guards(*found->second);
  if (where == Where::device)
    all.used[static_cast<std::size_t>(found->second->device)] -= found->second->bytes;
  all.by_address.erase(found);
  return cudaSuccess;
}

cudaError_t register_pages(void* address, std::size_t bytes) {
  auto* const begin = static_cast<std::byte*>(address);
  if (!settings().registers) return cudaErrorNotSupported;
  if (!begin || bytes == 0 || reinterpret_cast<std::size_t>(begin) % guard != 0)
    return cudaErrorInvalidValue;
  if (bytes > settings().memory_bytes) return cudaErrorMemoryAllocation;
  const auto made = std::make_shared<Allocation>();
  made->pages = made->shown = begin;
  made->bytes = bytes;
  made->span = (bytes + guard - 1) / guard * guard;
  made->where = Where::registered;
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  const auto next = all.by_address.lower_bound(begin + made->span);
  if (next != all.by_address.begin()) {
    const auto& before = std::prev(next)->second;
    if (begin < before->shown + before->span) return cudaErrorHostMemoryAlreadyRegistered;
  }
  all.by_address[begin] = made;
  return cudaSuccess;
}

cudaError_t unregister_pages(void* address) {
  if (!is_registered(address)) return cudaErrorHostMemoryNotRegistered;
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  all.by_address.erase(static_cast<std::byte*>(address));
  return cudaSuccess;
}

bool is_registered(const void* address) {
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_address.find(static_cast<const std::byte*>(address));
  return found != all.by_address.end() && found->second->where == Where::registered;
}

Range range_of(const void* address, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(address);
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  auto found = all.by_address.upper_bound(begin);
  if (found != all.by_address.begin()) {
    const auto& owner = std::prev(found)->second;
    if (begin < owner->shown + owner->span) {
      const std::ptrdiff_t offset = begin - owner->shown;
      const auto from = static_cast<std::size_t>(offset);
      const bool inside = from >= owner->begin() && from + bytes <= owner->begin() + owner->bytes;
      const bool is_filled = !has_time() || owner->bytes <= most_in_time;
      return {owner->pages + offset, owner->where, owner->device, inside, is_filled};
    }
  }
  return {const_cast<std::byte*>(begin), Where::pageable, -1, true, true};
}

std::size_t used_bytes(int device) {
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  return all.used[static_cast<std::size_t>(device)];
}

}  // namespace fake_cuda
