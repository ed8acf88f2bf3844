// SPDX-License-Identifier: Apache-2.0
// A machine without cuBLAS: linked into a plugin with --wrap=dlopen, it makes the plugin look for
// another name, which no machine has.
#include <string>

extern "C" {

void* __real_dlopen(const char* file, int mode);

void* __wrap_dlopen(const char* file, int mode) {
  std::string name(file);
  if (const auto at = name.find("libcublas"); at != name.npos) name.insert(at, "absent-");
  return __real_dlopen(name.c_str(), mode);
}

}  // extern "C"
