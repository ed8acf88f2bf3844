// SPDX-License-Identifier: Apache-2.0
// Loads the plugin named on the command line and prints what its probe says of this processor.
#include <dlfcn.h>

#include <cstdio>

#include <breakeven/plugin.hpp>

int main(int count, char** arguments) {
  void* const plugin = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* const manifest = plugin != nullptr ? dlsym(plugin, "breakeven_plugin") : nullptr;
  if (manifest == nullptr) return 1;
  const char* const reason = static_cast<const breakeven::Manifest*>(manifest)->probe();
  std::puts(reason != nullptr ? reason : "usable");
}
