// SPDX-License-Identifier: Apache-2.0
// Replaces operator new of the whole program, which the plugins' calls reach as well.
#include "suite/conformance/allocation_count.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

thread_local std::size_t largest = 0;

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
  largest = std::max(largest, bytes);
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* counted_or_throw(std::size_t bytes, std::size_t alignment = 1) {
  for (;;) {
    if (void* const memory = counted(bytes, alignment)) return memory;
    const auto handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted_or_throw(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace breakeven::conformance {

std::optional<std::size_t> largest_allocation() noexcept {
  return std::exchange(largest, 0);
}

}  // namespace breakeven::conformance
