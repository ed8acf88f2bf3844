// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/vendor.hpp"

#include <cstdlib>
#include <string_view>

namespace breakeven::cpu {

bool is_intel() {
  static const bool is = [] {
    if (const char* const pretended = std::getenv("BREAKEVEN_PRETENDED_VENDOR"))
      return std::string_view(pretended) == "intel";
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") != 0;
#else
    return false;
#endif
  }();
  return is;
}

}  // namespace breakeven::cpu
