// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/operands.hpp"

#include <stdexcept>
#include <string>

#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/check.hpp"

namespace breakeven::cuda {

namespace {

// `GPU 1 (NVIDIA H200)`
std::string name_of(int ordinal) {
  cudaDeviceProp properties{};
  CUDA_TRY(cudaGetDeviceProperties(&properties, ordinal));
  return "GPU " + std::to_string(ordinal) + " (" + properties.name + ")";
}

}  // namespace

std::optional<std::size_t> product(std::initializer_list<std::size_t> factors) {
  std::size_t result = 1;
  for (const std::size_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
  }
  return result;
}

void expect_inside(const Operand& operand) {
  const Slice& slice = operand.slice;
  const std::string name(operand.name);
  if (!slice.buffer) throw std::invalid_argument(name + " has no buffer");
  const std::size_t size = slice.buffer->bytes();
  if (slice.offset > size || slice.bytes > size - slice.offset) {
    throw std::invalid_argument(name + " ends at byte " +
                                std::to_string(slice.offset + slice.bytes) + " of a buffer of " +
                                std::to_string(size));
  }
  if (!operand.bytes || slice.bytes < *operand.bytes) {
    throw std::invalid_argument(
        name + " has " + std::to_string(slice.bytes) + " bytes, the operation needs " +
        (operand.bytes ? std::to_string(*operand.bytes) : std::string("more than fit a size")));
  }
}

bool computable(int ordinal, std::initializer_list<Operand> operands) {
  bool on_device = true;
  for (const Operand& operand : operands) {
    expect_inside(operand);
    const CudaBuffer& buffer = buffer_of(operand.slice);
    if (buffer.memory() != Memory::device) {
      on_device = false;
    } else if (buffer.ordinal() != ordinal) {
      throw std::invalid_argument(std::string(operand.name) + " lies on " +
                                  name_of(buffer.ordinal()) + ", the queue works on " +
                                  name_of(ordinal) + ": copy it there first");
    }
  }
  return on_device;
}

}  // namespace breakeven::cuda
