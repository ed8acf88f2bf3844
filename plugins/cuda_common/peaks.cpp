// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/peaks.hpp"

#include <algorithm>
#include <array>

namespace breakeven::cuda {
namespace {

// Multiply-adds; 0: it has no such units.
struct Units {
  int capability;
  double f32, f64, tf32, f16, bf16;
  bool halved_for_geforce;  // tensor cores
};

constexpr std::array known{
    Units{70, 64, 32, 0, 512, 0, false},           // Volta
    Units{75, 64, 2, 0, 512, 0, true},             // Turing
    Units{80, 64, 64, 512, 1024, 1024, false},     // A100
    Units{86, 128, 2, 256, 512, 512, true},        // other Ampere
    Units{89, 128, 2, 256, 512, 512, true},        // Ada
    Units{90, 128, 128, 1024, 2048, 2048, false},  // Hopper
    Units{100, 128, 64, 2048, 4096, 4096, false},  // B200
    Units{120, 128, 2, 256, 512, 512, true},       // other Blackwell
};

}  // namespace

std::vector<std::pair<std::string, double>> flops_per_clock(int capability, std::string_view name) {
  const auto* const units = std::find_if(
      known.begin(), known.end(), [&](const Units& one) { return one.capability == capability; });
  if (units == known.end()) return {};
  const bool is_halved =
      units->halved_for_geforce && name.find("GeForce") != std::string_view::npos;
  const double tensor = is_halved ? 1 : 2;  // flops of a multiply-add
  return {{"f32", 2 * units->f32},
          {"f64", 2 * units->f64},
          {"tf32", tensor * units->tf32},
          {"f16", tensor * units->f16},
          {"bf16", tensor * units->bf16}};
}

}  // namespace breakeven::cuda
