// SPDX-License-Identifier: Apache-2.0
// Memory that CUDA copies from and to: of one GPU, or of the host.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/placement.hpp"

namespace breakeven::cuda {

// A stretch of a buffer and where it is to lie. It begins where the one before it ends.
struct PlacedStretch {
  std::size_t end;  // bytes from the start of the buffer
  const Placement* placement;
};

class CudaBuffer final : public Buffer {
 public:
  // Throws std::bad_alloc. Pinned memory is pinned for every GPU, and lies where the calling thread
  // runs.
  CudaBuffer(std::size_t bytes, Memory memory, Device& device, int ordinal);
  // Pinned memory at one address whose stretches, the last of which ends at `bytes`, lie in
  // different places: each page where the stretch is that its first byte belongs to.
  CudaBuffer(std::size_t bytes, std::span<const PlacedStretch> stretches, Device& device,
             int ordinal);
  ~CudaBuffer() override;

  std::byte* address() const noexcept { return address_; }
  int ordinal() const noexcept { return ordinal_; }

 private:
  CudaBuffer(std::byte* address, std::size_t bytes, Memory memory, Device& device, int ordinal,
             bool is_registered);

  std::byte* address_;
  int ordinal_;
  bool is_registered_;  // mapped here and pinned then; else CUDA's own
};

// Of slices of this backend's own buffers.
const CudaBuffer& buffer_of(const Slice& slice);
inline std::byte* address_of(const Slice& slice) {
  return buffer_of(slice).address() + slice.offset;
}

}  // namespace breakeven::cuda
