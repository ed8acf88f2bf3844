// SPDX-License-Identifier: Apache-2.0
// A block of GPU threads on the CPU: fibers that wait for one another at barriers and shuffles.
// What a GPU does not promise is not there: between two barriers threads run in any order, and two
// of them that touch the same byte meanwhile, one of them writing, are a fault (where the compiler
// tells of accesses: see CMakeLists.txt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace breakeven::block {

// What GPUs differ in.
struct Limits {
  unsigned warp = 32;                    // at most 32 here
  unsigned threads = 1024;               // of a block
  std::size_t shared_bytes = 48 * 1024;  // of a block that does not ask for more
};

// The kernel breaks a rule: one line that says which threads, and where.
class Fault : public std::runtime_error {
  using runtime_error::runtime_error;
};

// An array in the GPU's memory. Beside those that a kernel was given it must not reach.
struct Array {
  const std::byte* begin;
  std::size_t bytes;
};

// What a block's warps asked of memory. The i-th accesses of a warp's lanes are one request, so
// this is for kernels whose lanes all go the same way. Of each the least is what as many bytes
// take.
struct Traffic {
  std::size_t sectors = 0, least_sectors = 0;  // of arrays: 32 bytes each
  std::size_t passes = 0,
              least_passes = 0;  // of shared memory: a word of each bank, or one for all
};

enum class Order { ascending, descending, random };

struct Launch {
  unsigned threads;
  Order order = Order::ascending;
  unsigned seed = 0;  // of a random order
  std::span<const Array> arrays = {};
  Limits limits = {};
  Traffic* traffic = nullptr;  // is added to, where the compiler tells of accesses
};

// Calls `thread` for each thread of the block. Throws the first Fault.
void run(const Launch& launch, const std::function<void(unsigned)>& thread);

// What follows is for the threads.

struct Site {
  const char* file;
  int line;
};

unsigned this_thread();
void barrier(Site site);
// Memory that the block shares, the same for every thread and call. Too much is a Fault.
void* shared(std::size_t bytes);
// Tells of an access to memory, whose address is to be a multiple of `alignment`.
void touch(const void* address, std::size_t bytes, bool writes, std::size_t alignment = 1);

// The bits that the lane `delta` above gave; of `mask`, which names the lanes that take part.
std::uint64_t bits_from_above(unsigned mask, std::uint64_t bits, unsigned delta, Site site);

template <class T>
T shuffle_down(unsigned mask, T value, unsigned delta, Site site) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = bits_from_above(mask, bits, delta, site);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace breakeven::block
