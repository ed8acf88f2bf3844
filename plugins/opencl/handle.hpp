// SPDX-License-Identifier: Apache-2.0
// OpenCL's objects, released when they go.
#pragma once

#include <utility>

#include "plugins/opencl/calls.hpp"

namespace breakeven::opencl {

template <class Object, auto* release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Object object) noexcept : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_) call<release>(object_);
  }

  Object get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Object object_ = nullptr;
};

using CommandQueue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Program = Handle<cl_program, clReleaseProgram>;
using Kernel = Handle<cl_kernel, clReleaseKernel>;
using DeviceMemory = Handle<cl_mem, clReleaseMemObject>;
using Moment = Handle<cl_event, clReleaseEvent>;

}  // namespace breakeven::opencl
