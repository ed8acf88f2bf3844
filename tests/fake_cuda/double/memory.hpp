// SPDX-License-Identifier: Apache-2.0
// Memory of the fake GPUs. A device address is reserved but not readable, so that the host faults
// when it touches it; the streams work on a second mapping of the same pages. Guards around each
// allocation are checked when it is freed.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace fake_cuda {

// Registered memory is pinned, and its owner's.
enum class Where { pageable, pinned, registered, device };

// A range of memory as a stream may use it. Nothing is counted here: a counter that host and stream
// both touch would order them where CUDA does not.
struct Range {
  std::byte* bytes = nullptr;
  Where where = Where::pageable;
  int device = -1;
  bool inside = true;  // false: the range leaves its allocation
  // False: it is so large that nothing is done with it, where the double has time to show.
  bool is_filled = true;
};

cudaError_t allocate_device(void** address, std::size_t bytes, int device);
cudaError_t allocate_pinned(void** address, std::size_t bytes);

// Aborts with a message where something wrote beside the allocation.
cudaError_t release(void* address, Where where);

// Whole pages, which CUDA does not ask for: what else lies in them would be pinned, too.
cudaError_t register_pages(void* address, std::size_t bytes);
cudaError_t unregister_pages(void* address);
bool is_registered(const void* address);

Range range_of(const void* address, std::size_t bytes);
std::size_t used_bytes(int device);

}  // namespace fake_cuda
