// SPDX-License-Identifier: Apache-2.0
// Compiled for the oldest processor of the architecture: this runs before anything is known.
#include "processor.hpp"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace breakeven::kokkos {

std::array<bool, extension_count> present_extensions() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {__builtin_cpu_supports("sse4.2") != 0,    __builtin_cpu_supports("popcnt") != 0,
          __builtin_cpu_supports("avx") != 0,       __builtin_cpu_supports("fma") != 0,
          __builtin_cpu_supports("avx2") != 0,      __builtin_cpu_supports("bmi") != 0,
          __builtin_cpu_supports("bmi2") != 0,      __builtin_cpu_supports("avx512f") != 0,
          __builtin_cpu_supports("avx512dq") != 0,  __builtin_cpu_supports("avx512bw") != 0,
          __builtin_cpu_supports("avx512vl") != 0,  __builtin_cpu_supports("avx512vbmi") != 0,
          __builtin_cpu_supports("avx512bf16") != 0};
#elif defined(__aarch64__)
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  return {(first & HWCAP_ATOMICS) != 0, (first & HWCAP_ASIMDRDM) != 0, (first & HWCAP_ASIMDHP) != 0,
          (first & HWCAP_ASIMDDP) != 0, (first & HWCAP_SVE) != 0,      (second & HWCAP2_SVE2) != 0,
          (second & HWCAP2_I8MM) != 0,  (second & HWCAP2_BF16) != 0};
#else
  return {};
#endif
}

std::string_view missing_extension(std::span<const Extension> wanted,
                                   std::span<const bool> present) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].required && !present[i]) return wanted[i].name;
  }
  return {};
}

}  // namespace breakeven::kokkos
