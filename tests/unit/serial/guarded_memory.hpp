// SPDX-License-Identifier: Apache-2.0
// Memory between two pages that nobody may touch: a kernel that reads or writes one element too far
// ends the test, also where the sanitizer cannot look.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace breakeven {

class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t least_bytes)
      : page_(std::size_t(sysconf(_SC_PAGESIZE))),
        bytes_((least_bytes + page_ - 1) / page_ * page_),
        begin_(static_cast<std::byte*>(
            mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    // QEMU refuses to protect no bytes.
    if (begin_ == MAP_FAILED ||
        (bytes_ != 0 && mprotect(begin_ + page_, bytes_, PROT_READ | PROT_WRITE) != 0))
      throw std::bad_alloc();
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(begin_, bytes_ + 2 * page_); }

  template <class T>
  T* first() const {
    return reinterpret_cast<T*>(begin_ + page_);
  }
  // `count` elements that end where the memory ends.
  template <class T>
  T* last(std::size_t count) const {
    return reinterpret_cast<T*>(begin_ + page_ + bytes_) - count;
  }

 private:
  std::size_t page_, bytes_;
  std::byte* begin_;
};

}  // namespace breakeven
