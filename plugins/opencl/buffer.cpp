// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace breakeven::opencl {

namespace {

constexpr std::size_t page = 4096;

void* allocate_pages(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  void* const address = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (!address) throw std::bad_alloc();
  return address;
}

}  // namespace

OpenClBuffer::Allocation OpenClBuffer::allocate(std::size_t bytes, Memory memory,
                                                const Hardware& hardware) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (memory == Memory::pageable) return {{}, allocate_pages(bytes)};
  const bool pinned = memory == Memory::pinned;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (pinned ? CL_MEM_ALLOC_HOST_PTR : 0);
  Allocation made{DeviceMemory(make<clCreateBuffer>(hardware.context, flags, bytes, nullptr))};
  cl_mem object = made.object.get();
  if (pinned) {
    made.data =
        make<clEnqueueMapBuffer>(hardware.service(), object, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                 0u, bytes, 0u, nullptr, nullptr);
  } else {
    run<clEnqueueMigrateMemObjects>(hardware.service(), 1u, &object,
                                    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0u, nullptr, nullptr);
    run<clFinish>(hardware.service());
  }
  return made;
}

OpenClBuffer::OpenClBuffer(std::size_t bytes, Memory memory, OpenClDevice& device)
    : OpenClBuffer(allocate(bytes, memory, device.hardware), bytes, memory, device) {}

OpenClBuffer::OpenClBuffer(Allocation allocation, std::size_t bytes, Memory memory,
                           OpenClDevice& device)
    : Buffer(allocation.data, bytes, memory, device), memory_object_(std::move(allocation.object)) {
  if (memory == Memory::device) device.allocated_bytes += bytes;
}

OpenClBuffer::~OpenClBuffer() {
  switch (memory()) {
    case Memory::pageable:
      std::free(data());
      break;
    case Memory::pinned: {
      const cl_command_queue service = owner().hardware.service();
      call<clEnqueueUnmapMemObject>(service, get(), data(), 0u, nullptr, nullptr);
      call<clFinish>(service);
      break;
    }
    case Memory::device:
      owner().allocated_bytes -= bytes();
      break;
  }
}

std::optional<std::size_t> product(std::initializer_list<std::size_t> factors) {
  std::size_t result = 1;
  for (const std::size_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
  return result;
}

void expect_inside(const Operand& operand) {
  const Slice& slice = operand.slice;
  const std::string name(operand.name);
  if (!slice.buffer) throw std::invalid_argument(name + " has no buffer");
  const std::size_t size = slice.buffer->bytes();
  if (slice.offset > size || slice.bytes > size - slice.offset)
    throw std::invalid_argument(name + " has " + std::to_string(slice.bytes) + " bytes from byte " +
                                std::to_string(slice.offset) + " on, in a buffer of " +
                                std::to_string(size));
  if (slice.offset % operand.element_bytes != 0)
    throw std::invalid_argument(name + " begins inside an element, at byte " +
                                std::to_string(slice.offset));
  if (!operand.elements || slice.bytes / operand.element_bytes < *operand.elements)
    throw std::invalid_argument(name + " has " +
                                std::to_string(slice.bytes / operand.element_bytes) +
                                " elements, the operation needs " +
                                (operand.elements ? std::to_string(*operand.elements)
                                                  : std::string("more than there are")));
}

bool computable(const OpenClDevice& device, std::initializer_list<Operand> operands) {
  bool on_device = true;
  for (const Operand& operand : operands) {
    expect_inside(operand);
    const OpenClBuffer& buffer = buffer_of(operand.slice);
    if (buffer.memory() != Memory::device) {
      on_device = false;
    } else if (&buffer.owner() != &device) {
      throw std::invalid_argument(std::string(operand.name) + " lies on " +
                                  buffer.owner().hardware.name + ", the queue works on " +
                                  device.hardware.name + ": copy it there first");
    }
  }
  return on_device;
}

}  // namespace breakeven::opencl
