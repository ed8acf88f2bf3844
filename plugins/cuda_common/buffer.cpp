// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cuda {
namespace {

constexpr std::size_t page = 4096;

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
  bytes = std::max<std::size_t>(bytes, 1);
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

}  // namespace

CudaBuffer::CudaBuffer(std::size_t bytes, Memory memory, Device& device, int ordinal)
    : CudaBuffer(allocate(bytes, memory, ordinal), bytes, memory, device, ordinal) {}

CudaBuffer::CudaBuffer(std::byte* address, std::size_t bytes, Memory memory, Device& device,
                       int ordinal)
    : Buffer(memory == Memory::device ? nullptr : address, bytes, memory, device),
      address_(address),
      ordinal_(ordinal) {}

CudaBuffer::~CudaBuffer() {
  switch (memory()) {
    case Memory::pageable:
      std::free(address_);
      break;
    case Memory::pinned:
      cudaFreeHost(address_);
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
