// SPDX-License-Identifier: Apache-2.0
// Calls into OpenCL's loader. It is looked for when the plugin runs, nothing is linked:
//
//   run<clFinish>(queue);
//   const cl_mem memory = make<clCreateBuffer>(context, flags, bytes, nullptr);
//
// Both throw what the status stands for in the contract.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>
#include <string_view>

namespace breakeven::opencl {

// Null, or why there is no loader and what to do.
const char* reason_missing();

// Of the loader. Throws std::runtime_error where there is none, or no such function in it.
void* address_of(const std::string& function);

// `clFinish: CL_DEVICE_NOT_AVAILABLE (-2)`, as std::bad_alloc, DeviceLost or std::runtime_error.
[[noreturn]] void raise(cl_int status, std::string_view call);

inline void check(cl_int status, std::string_view call) {
  if (status != CL_SUCCESS) raise(status, call);
}

// What the function is called where it is declared: compilers write it into this text.
template <auto* function>
constexpr std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.rfind("function = ") + 11);
  if (text.front() == '&') text.remove_prefix(1);
  return text.substr(0, text.find_first_of(";]"));
}

template <auto* function, class... Arguments>
auto call(Arguments... arguments) {
  static const auto found =
      reinterpret_cast<decltype(function)>(address_of(std::string(name_of<function>())));
  return found(arguments...);
}

template <auto* function, class... Arguments>
void run(Arguments... arguments) {
  check(call<function>(arguments...), name_of<function>());
}

// Of the functions whose last argument is where the status goes.
template <auto* function, class... Arguments>
auto make(Arguments... arguments) {
  cl_int status = CL_SUCCESS;
  const auto made = call<function>(arguments..., &status);
  check(status, name_of<function>());
  return made;
}

}  // namespace breakeven::opencl
