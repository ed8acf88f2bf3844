// SPDX-License-Identifier: Apache-2.0
// What a compiler calls at every access to memory under -fsanitize=thread, here without
// ThreadSanitizer's library: kernels that are compiled so are watched by the block they run in.
// Of an aligned access the address is a multiple of its width, as a GPU wants it.
#include <cstddef>
#include <cstdint>

#include "block.hpp"

namespace {

template <std::size_t bytes>
void aligned(void* address, bool writes) {
  breakeven::block::touch(address, bytes, writes, bytes);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define ACCESSES(bytes)                               \
  void __tsan_read##bytes(void* address) {            \
    aligned<bytes>(address, false);                   \
  }                                                   \
  void __tsan_write##bytes(void* address) {           \
    aligned<bytes>(address, true);                    \
  }                                                   \
  void __tsan_unaligned_read##bytes(void* address) {  \
    breakeven::block::touch(address, bytes, false);   \
  }                                                   \
  void __tsan_unaligned_write##bytes(void* address) { \
    breakeven::block::touch(address, bytes, true);    \
  }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#undef ACCESSES

void __tsan_read_range(void* address, std::size_t bytes) {
  breakeven::block::touch(address, bytes, false);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  breakeven::block::touch(address, bytes, true);
}
void __tsan_vptr_read(void*) {}
void __tsan_vptr_update(void*, void*) {}
}
// NOLINTEND(bugprone-reserved-identifier)
