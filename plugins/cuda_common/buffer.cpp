// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include <sys/mman.h>

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cuda {
namespace {

constexpr std::size_t page = 4096;

// Nobody allocates nothing.
std::size_t at_least_one(std::size_t bytes) {
  return std::max<std::size_t>(bytes, 1);
}

// From the C library, so that more than there is can be asked for under a sanitizer, too.
std::byte* allocate_pages(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  void* const address = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (!address) throw std::bad_alloc();
  return static_cast<std::byte*>(address);
}

// Of all that is handed to CUDA here only the size can be an invalid value: no address is that far.
cudaError_t too_large_is_out_of_memory(cudaError_t status) {
  return status == cudaErrorInvalidValue ? cudaErrorMemoryAllocation : status;
}

std::byte* allocate(std::size_t bytes, Memory memory, int ordinal) {
  bytes = at_least_one(bytes);
  if (memory == Memory::pageable) return allocate_pages(bytes);
  use(ordinal);
  void* address = nullptr;
  if (memory == Memory::pinned) {
    const cudaError_t status = cudaHostAlloc(&address, bytes, cudaHostAllocPortable);
    check(too_large_is_out_of_memory(status), "cudaHostAlloc");
  } else {
    check(too_large_is_out_of_memory(cudaMalloc(&address, bytes)), "cudaMalloc");
  }
  return static_cast<std::byte*>(address);
}

// A fresh page lies where the thread runs that touches it first, and stays there once it is pinned.
// What CUDA allocates lies all where the thread runs that asks for it.
std::byte* allocate_placed(std::size_t bytes, std::span<const PlacedStretch> stretches,
                           int ordinal) {
  use(ordinal);
  void* const mapped = mmap(nullptr, at_least_one(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const address = static_cast<std::byte*>(mapped);
  std::size_t at = 0;
  for (const auto& [end, placement] : stretches) {
    const Placement::Stay stay(placement);
    for (; at < end; at += page) address[at] = std::byte{0};
  }
  const cudaError_t status =
      cudaHostRegister(address, at_least_one(bytes), cudaHostRegisterPortable);
  if (status != cudaSuccess) munmap(address, at_least_one(bytes));
  check(status, "cudaHostRegister");
  return address;
}

}  // namespace

CudaBuffer::CudaBuffer(std::size_t bytes, Memory memory, Device& device, int ordinal)
    : CudaBuffer(allocate(bytes, memory, ordinal), bytes, memory, device, ordinal, false) {}

CudaBuffer::CudaBuffer(std::size_t bytes, std::span<const PlacedStretch> stretches, Device& device,
                       int ordinal)
    : CudaBuffer(allocate_placed(bytes, stretches, ordinal), bytes, Memory::pinned, device, ordinal,
                 true) {}

CudaBuffer::CudaBuffer(std::byte* address, std::size_t bytes, Memory memory, Device& device,
                       int ordinal, bool is_registered)
    : Buffer(memory == Memory::device ? nullptr : address, bytes, memory, device),
      address_(address),
      ordinal_(ordinal),
      is_registered_(is_registered) {}

CudaBuffer::~CudaBuffer() {
  switch (memory()) {
    case Memory::pageable:
      std::free(address_);
      break;
    case Memory::pinned:
      if (is_registered_) {
        cudaHostUnregister(address_);
        munmap(address_, at_least_one(bytes()));
      } else {
        cudaFreeHost(address_);
      }
      break;
    case Memory::device:
      cudaFree(address_);
      break;
  }
}

const CudaBuffer& buffer_of(const Slice& slice) {
  return static_cast<const CudaBuffer&>(*slice.buffer);
}

}  // namespace breakeven::cuda
