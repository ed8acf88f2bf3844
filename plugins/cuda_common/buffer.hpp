// SPDX-License-Identifier: Apache-2.0
// Memory that CUDA copies from and to: of one GPU, or of the host.
#pragma once

#include <cstddef>
#include <memory>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

class CudaBuffer final : public Buffer {
 public:
  // Throws std::bad_alloc. Pinned memory is pinned for every GPU.
  CudaBuffer(std::size_t bytes, Memory memory, Device& device, int ordinal);
  ~CudaBuffer() override;

  std::byte* address() const noexcept { return address_; }
  int ordinal() const noexcept { return ordinal_; }

 private:
  CudaBuffer(std::byte* address, std::size_t bytes, Memory memory, Device& device, int ordinal);

  std::byte* address_;
  int ordinal_;
};

// Of slices of this backend's own buffers.
const CudaBuffer& buffer_of(const Slice& slice);
inline std::byte* address_of(const Slice& slice) {
  return buffer_of(slice).address() + slice.offset;
}

}  // namespace breakeven::cuda
