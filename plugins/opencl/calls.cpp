// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/calls.hpp"

#include <dlfcn.h>

#include <array>
#include <breakeven/plugin.hpp>
#include <cstdlib>
#include <new>
#include <utility>

#include "plugins/opencl/variables.hpp"

namespace breakeven::opencl {

namespace {

constexpr std::array<std::pair<cl_int, const char*>, 24> names{{
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_DEVICE_PARTITION_COUNT, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
}};

std::string text_of(cl_int status) {
  std::string text = "error";
  for (const auto& [number, name] : names)
    if (number == status) text = name;
  return text + " (" + std::to_string(status) + ")";
}

// Nothing that is asked of the device after these is answered. A queue becomes invalid, and -9999
// is said, by NVIDIA's driver after a kernel has failed; work that had its resources when it was
// handed over and lacks them when it is waited for has failed, too.
bool is_lost(cl_int status, std::string_view call) {
  return status == CL_DEVICE_NOT_AVAILABLE || status == CL_INVALID_COMMAND_QUEUE ||
         status == -9999 || (status == CL_OUT_OF_RESOURCES && call == "clFinish");
}

struct Loader {
  void* handle = nullptr;
  std::string reason;

  Loader() {
    if (const char* cache = std::getenv(cache_variable); cache && std::string_view(cache) == "off")
      for (const auto& [variable, value] : no_cache) setenv(variable, value, 0);
    const char* const chosen = std::getenv(loader_variable);
    const std::string file = chosen && *chosen ? chosen : "libOpenCL.so.1";
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      reason = "no OpenCL loader (" + std::string(dlerror()) +
               "): install ocl-icd-libopencl1 and the driver of the device";
  }
};

const Loader& loader() {
  static const Loader once;
  return once;
}

}  // namespace

const char* reason_missing() {
  return loader().handle ? nullptr : loader().reason.c_str();
}

void* address_of(const std::string& function) {
  if (const char* reason = reason_missing()) throw std::runtime_error(reason);
  void* const found = dlsym(loader().handle, function.c_str());
  if (!found) throw std::runtime_error("the OpenCL loader has no function " + function);
  return found;
}

void raise(cl_int status, std::string_view call) {
  const bool too_large = status == CL_INVALID_BUFFER_SIZE && call == "clCreateBuffer";
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY || too_large)
    throw std::bad_alloc();
  const std::string message = std::string(call) + ": " + text_of(status);
  if (is_lost(status, call)) throw DeviceLost(message);
  throw std::runtime_error(message);
}

}  // namespace breakeven::opencl
