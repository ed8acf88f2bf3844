// SPDX-License-Identifier: Apache-2.0
#include "suite/machine/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace breakeven {
namespace {

bool matters(std::string_view name) {
  constexpr std::array<std::string_view, 7> prefixes{"OMP_",  "GOMP_", "KMP_", "OPENBLAS_",
                                                     "GOTO_", "MKL_",  "BLIS_"};
  constexpr std::array<std::string_view, 9> names{"CUDA_VISIBLE_DEVICES",
                                                  "CUDA_DEVICE_ORDER",
                                                  "CUDA_LAUNCH_BLOCKING",
                                                  "CUDA_MODULE_LOADING",
                                                  "CUDA_DEVICE_MAX_CONNECTIONS",
                                                  "CUDA_FORCE_PTX_JIT",
                                                  "NVIDIA_TF32_OVERRIDE",
                                                  "GLIBC_TUNABLES",
                                                  "LD_PRELOAD"};
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::vector<std::pair<std::string, std::string>> inherited_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == text.npos || !matters(text.substr(0, equals))) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

}  // namespace breakeven
