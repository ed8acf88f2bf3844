// SPDX-License-Identifier: Apache-2.0
// An OpenCL loader that is the real one, but for the fault that FAILING_OPENCL names: `lost`,
// `memory`, `build` or `refused`; or with `gpu`, when every device says that it is a GPU.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

bool fails(std::string_view fault) {
  const char* const wanted = std::getenv("FAILING_OPENCL");
  return wanted && wanted == fault;
}

template <class Function>
Function* real(Function*, const char* name) {
  static void* const loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(loader, name));
}

}  // namespace

cl_int clFinish(cl_command_queue queue) {
  return fails("lost") ? CL_DEVICE_NOT_AVAILABLE : real(clFinish, "clFinish")(queue);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                      cl_int* status) {
  if (!fails("memory"))
    return real(clCreateBuffer, "clCreateBuffer")(context, flags, bytes, host, status);
  *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return nullptr;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                      const char* options, void(CL_CALLBACK* done)(cl_program, void*),
                      void* argument) {
  if (fails("build")) options = "-D F32 -D WIDTH=4 -D a0=0";
  return real(clBuildProgram, "clBuildProgram")(program, count, devices, options, done, argument);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void* value,
                       size_t* needed) {
  const auto say = [value](const auto& answer) {
    std::memcpy(value, &answer, sizeof answer);
    return CL_SUCCESS;
  };
  if (fails("gpu")) {
    if (what == CL_DEVICE_TYPE) return say(cl_device_type{CL_DEVICE_TYPE_GPU});
    if (what == CL_DEVICE_UUID_KHR) return say("0123456789abcde");
    if (what == CL_DEVICE_PCI_BUS_INFO_KHR) return say(cl_device_pci_bus_info_khr{0, 0x65, 0, 1});
  }
  return real(clGetDeviceInfo, "clGetDeviceInfo")(device, what, bytes, value, needed);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* items, const size_t* group,
                              cl_uint events, const cl_event* awaited, cl_event* event) {
  if (fails("refused")) return CL_INVALID_WORK_GROUP_SIZE;
  return real(clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel")(
      queue, kernel, dimensions, offset, items, group, events, awaited, event);
}
