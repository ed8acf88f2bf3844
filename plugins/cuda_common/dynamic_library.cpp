// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/dynamic_library.hpp"

#include <dlfcn.h>

namespace breakeven::cuda {

DynamicLibrary::DynamicLibrary(std::span<const std::string> files) {
  for (const std::string& file : files) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) return;
    const char* reason = dlerror();
    if (error_.empty() && reason) error_ = reason;
  }
}

void* DynamicLibrary::address(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace breakeven::cuda
