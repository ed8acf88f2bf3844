// SPDX-License-Identifier: Apache-2.0
// Memory of a device, or of the host.
#pragma once

#include <breakeven/plugin.hpp>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "plugins/opencl/device.hpp"

namespace breakeven::opencl {

// Device memory is there when the constructor returns, although OpenCL allows to make it with its
// first use. Pinned memory is what the runtime allocates for the host, mapped for its whole life.
class OpenClBuffer final : public Buffer {
 public:
  // Throws std::bad_alloc.
  OpenClBuffer(std::size_t bytes, Memory memory, OpenClDevice& device);
  ~OpenClBuffer() override;

  cl_mem get() const noexcept { return memory_object_.get(); }  // null for pageable memory
  OpenClDevice& owner() const noexcept { return static_cast<OpenClDevice&>(device()); }

 private:
  struct Allocation {
    DeviceMemory object;
    void* data = nullptr;
  };
  OpenClBuffer(Allocation allocation, std::size_t bytes, Memory memory, OpenClDevice& device);
  static Allocation allocate(std::size_t bytes, Memory memory, const Hardware& hardware);

  DeviceMemory memory_object_;
};

inline const OpenClBuffer& buffer_of(const Slice& slice) {
  return static_cast<const OpenClBuffer&>(*slice.buffer);
}

struct Operand {
  std::string_view name;
  Slice slice;
  std::optional<std::size_t> elements = {};  // needed; none: their number overflows
  std::size_t element_bytes = 1;
};

// a b c as a number; none where that overflows.
std::optional<std::size_t> product(std::initializer_list<std::size_t> factors);

// Throws std::invalid_argument for a slice that is too short, leaves its buffer or begins inside an
// element.
void expect_inside(const Operand& operand);

// True where a queue of `device` can compute on the operands. Throws std::invalid_argument for an
// operand of another device (names both); false for host memory.
bool computable(const OpenClDevice& device, std::initializer_list<Operand> operands);

}  // namespace breakeven::opencl
