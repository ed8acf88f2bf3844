// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/hardware.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "kernel_source.hpp"

namespace breakeven::opencl {

namespace {

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  // Without a platform the loader answers with an error of its own.
  if (call<clGetPlatformIDs>(0u, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> found(count);
  if (count > 0) run<clGetPlatformIDs>(count, found.data(), nullptr);
  return found;
}

// Those with a compiler that speak OpenCL 1.2 or later.
std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (call<clGetDeviceIDs>(platform, CL_DEVICE_TYPE_ALL, 0u, nullptr, &count) != CL_SUCCESS)
    return {};
  std::vector<cl_device_id> found(count);
  if (count == 0) return found;
  run<clGetDeviceIDs>(platform, CL_DEVICE_TYPE_ALL, count, found.data(), nullptr);
  std::erase_if(found, [](cl_device_id device) {
    const std::string version = text_of(device, CL_DEVICE_VERSION);
    return version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1") ||
           !value_of<cl_bool>(device, CL_DEVICE_AVAILABLE) ||
           !value_of<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE);
  });
  return found;
}

std::vector<cl_device_id> parts_of(cl_device_id device, unsigned parts) {
  const auto units = value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  if (parts < 2 || units < parts) return {device};
  const cl_device_partition_property wish[] = {
      CL_DEVICE_PARTITION_EQUALLY, static_cast<cl_device_partition_property>(units / parts), 0};
  std::vector<cl_device_id> found(parts);
  cl_uint count = 0;
  if (call<clCreateSubDevices>(device, &wish[0], parts, found.data(), &count) != CL_SUCCESS ||
      count != parts)
    return {device};
  return found;
}

// The first error of a compiler's log, and the kernel in whose lines it lies.
std::string first_error(const std::string& log) {
  const std::size_t found = log.find("error"), before = log.rfind('\n', found);
  const std::size_t begin = found == log.npos || before == log.npos ? 0 : before + 1;
  const std::string text =
      log.substr(begin, std::min<std::size_t>(log.find('\n', begin) - begin, 300));
  // Compilers write it as `file:line:column`.
  std::size_t line = 0;
  for (std::size_t i = 0; i + 1 < text.size() && line == 0; ++i)
    if (text[i] == ':') line = std::strtoul(&text[i + 1], nullptr, 10);
  std::string where;
  std::istringstream source(kernel_source);
  std::string words;
  for (std::size_t number = 1; number <= line && std::getline(source, words); ++number)
    if (constexpr std::string_view begins = "kernel void "; words.starts_with(begins))
      where = "in kernel " + words.substr(begins.size(), words.find('(') - begins.size());
  return where.empty() ? text : where + ", line " + std::to_string(line) + ": " + text;
}

std::string type_options(Type type, unsigned width) {
  const char* name = type == Type::f64    ? "F64"
                     : type == Type::f16  ? "F16"
                     : type == Type::bf16 ? "BF16"
                                          : "F32";
  return std::string("-cl-std=CL1.2 -w -D ") + name + " -D WIDTH=" + std::to_string(width);
}

struct Found {
  std::deque<Hardware> owned;
  std::vector<Hardware*> all;
};

void find(Found& found, unsigned parts) {
  for (const cl_platform_id platform : platforms()) {
    std::vector<cl_device_id> ids, wholes;
    std::vector<std::string> names;
    for (const cl_device_id whole : devices_of(platform)) {
      const auto pieces = parts_of(whole, parts);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        ids.push_back(pieces[i]);
        wholes.push_back(whole);
        names.push_back(pieces.size() < 2 ? ""
                                          : " part " + std::to_string(i + 1) + " of " +
                                                std::to_string(pieces.size()));
      }
    }
    if (ids.empty()) continue;
    const cl_context_properties wish[] = {CL_CONTEXT_PLATFORM,
                                          reinterpret_cast<cl_context_properties>(platform), 0};
    const cl_context context = make<clCreateContext>(&wish[0], static_cast<cl_uint>(ids.size()),
                                                     ids.data(), nullptr, nullptr);
    for (std::size_t i = 0; i < ids.size(); ++i)
      found.all.push_back(
          &found.owned.emplace_back(platform, context, ids[i], wholes[i], names[i]));
  }
  std::ranges::stable_sort(found.all, {}, [](const Hardware* one) {
    return one->type & CL_DEVICE_TYPE_GPU ? 0 : one->is_cpu() ? 2 : 1;
  });
}

}  // namespace

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  run<clGetDeviceInfo>(device, what, 0u, nullptr, &bytes);
  std::string text(bytes, '\0');
  run<clGetDeviceInfo>(device, what, bytes, text.data(), nullptr);
  return text.c_str();
}

std::string text_of(cl_platform_id platform, cl_platform_info what) {
  std::size_t bytes = 0;
  run<clGetPlatformInfo>(platform, what, 0u, nullptr, &bytes);
  std::string text(bytes, '\0');
  run<clGetPlatformInfo>(platform, what, bytes, text.data(), nullptr);
  return text.c_str();
}

Hardware::Hardware(cl_platform_id of, cl_context in, cl_device_id device, cl_device_id all,
                   const std::string& part)
    : name(text_of(device, CL_DEVICE_NAME) + part),
      id(device),
      whole(all),
      platform(of),
      context(in),
      type(value_of<cl_device_type>(device, CL_DEVICE_TYPE)),
      memory_bytes(value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE)),
      compute_units(value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)),
      largest_group(value_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)),
      has_f64(value_of<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0),
      service_(make<clCreateCommandQueue>(in, device, cl_command_queue_properties{0})) {}

unsigned Hardware::vector_width(Type type_of_elements) const noexcept {
  const bool wide = type_of_elements == Type::f64;
  try {
    const auto preferred = value_of<cl_uint>(
        id, wide ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    if (preferred == 2 || preferred == 4 || preferred == 8 || preferred == 16) return preferred;
  } catch (const std::runtime_error&) {
  }
  return wide ? 2 : 4;  // 16 bytes, moved by one instruction
}

unsigned Hardware::streamed_width(Type type_of_elements) const noexcept {
  const unsigned width = vector_width(type_of_elements);
  return is_cpu() ? std::min(16u, 2 * width) : width;
}

cl_program Hardware::kernels(Type element, unsigned width, const std::string& more) {
  const std::string build_options = type_options(element, width) + " " + more;
  const std::lock_guard lock(mutex_);
  Program& program = programs_[build_options];
  if (program) return program.get();
  const char* const source = kernel_source;
  Program made(
      make<clCreateProgramWithSource>(context, 1u, const_cast<const char**>(&source), nullptr));
  const cl_int status =
      call<clBuildProgram>(made.get(), 1u, &id, build_options.c_str(), nullptr, nullptr);
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    std::size_t bytes = 0;
    run<clGetProgramBuildInfo>(made.get(), id, CL_PROGRAM_BUILD_LOG, 0u, nullptr, &bytes);
    std::string log(bytes, '\0');
    run<clGetProgramBuildInfo>(made.get(), id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
    throw std::runtime_error("clBuildProgram for " + name + ": " + first_error(log.c_str()));
  }
  check(status, "clBuildProgram");
  program = std::move(made);
  return program.get();
}

std::span<Hardware* const> hardware(unsigned parts) {
  static std::mutex mutex;
  static auto& by_parts = *new std::map<unsigned, Found>;  // see above: they outlive everything
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = by_parts.try_emplace(parts);
  if (fresh) find(at->second, parts);
  if (at->second.all.empty()) throw std::runtime_error("no OpenCL device");
  return at->second.all;
}

const char* reason_unusable() {
  if (const char* reason = reason_missing()) return reason;
  const auto all = platforms();
  if (all.empty()) return "no OpenCL platform: install the driver of the device";
  for (const cl_platform_id platform : all)
    if (!devices_of(platform).empty()) return nullptr;
  return "no OpenCL device of version 1.2 or later with a compiler";
}

}  // namespace breakeven::opencl
