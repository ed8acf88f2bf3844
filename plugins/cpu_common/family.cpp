// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/family.hpp"

#include <cstdlib>
#include <string_view>

namespace breakeven::cpu {

const Family family = [] {
  if (const char* const pretended = std::getenv("BREAKEVEN_PRETENDED_FAMILY")) {
    const std::string_view name = pretended;
    return Family{.intel = name == "intel", .zen4 = name == "zen4"};
  }
#if defined(__x86_64__)
  __builtin_cpu_init();
  // A Zen 3, of AMD's same family, has no vectors of 64 bytes, which is what `zen4` is asked about.
  return Family{.intel = __builtin_cpu_is("intel") != 0,
                .zen4 = __builtin_cpu_is("amdfam19h") != 0};
#else
  return Family{};
#endif
}();

}  // namespace breakeven::cpu
