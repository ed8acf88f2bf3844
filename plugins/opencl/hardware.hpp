// SPDX-License-Identifier: Apache-2.0
// The devices of all platforms as OpenCL gives them, with their contexts and compiled kernels.
// They are made once and live as long as the process: runtimes do not start twice.
#pragma once

#include <breakeven/plugin.hpp>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "plugins/opencl/handle.hpp"

namespace breakeven::opencl {

class Hardware {
 public:
  // `whole`: the device that this one is a part of, or itself.
  Hardware(cl_platform_id platform, cl_context context, cl_device_id device, cl_device_id whole,
           const std::string& part);
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;

  const std::string name;  // `Intel(R) Arc(TM) A770 Graphics`, `… part 1 of 2`
  const cl_device_id id, whole;
  const cl_platform_id platform;
  const cl_context context;
  const cl_device_type type;
  const std::size_t memory_bytes;
  const unsigned compute_units;
  const std::size_t largest_group;  // work-items
  const bool has_f64;

  bool is_cpu() const noexcept { return (type & CL_DEVICE_TYPE_CPU) != 0; }

  // Elements of this type that its vector units take at once, and at least two.
  unsigned vector_width(Type type) const noexcept;

  // What an item of the kernels that stream does at a time: on a processor two registers, so that
  // what it holds in others is loaded for both.
  unsigned streamed_width(Type type) const noexcept;

  // The suite's kernels for this type, with vectors of `width`, compiled when they are first asked
  // for. `options` are more of the compiler's. Throws std::runtime_error with the first error of
  // the compiler's log.
  cl_program kernels(Type type, unsigned width, const std::string& options = {});

  // Shared by all; for short blocking work of its own.
  cl_command_queue service() const noexcept { return service_.get(); }

 private:
  CommandQueue service_;
  std::mutex mutex_;
  std::map<std::string, Program> programs_;
};

// Devices of all platforms, GPUs first; each that can be in `parts` equal ones is. Throws
// std::runtime_error where there is none.
std::span<Hardware* const> hardware(unsigned parts);

// Null, or why there is no device: the loader, a platform or a device is missing.
const char* reason_unusable();

template <class Value>
Value value_of(cl_device_id device, cl_device_info what) {
  Value value{};
  run<clGetDeviceInfo>(device, what, sizeof value, &value, nullptr);
  return value;
}
std::string text_of(cl_device_id device, cl_device_info what);
std::string text_of(cl_platform_id platform, cl_platform_info what);

}  // namespace breakeven::opencl
