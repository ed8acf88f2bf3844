// SPDX-License-Identifier: Apache-2.0
#include "fma_peak.hpp"

#include "suite/measure/peak_kernels.hpp"

namespace breakeven {

double run_fma_f32(std::size_t steps) {
  const PeakKernels& kernels = widest_kernels();
  volatile double seen = kernels.fma_f32(steps, 0.999, 0.001);  // so that the work is needed
  static_cast<void>(seen);
  return kernels.fma_f32_flops * double(steps);
}

double run_fma_f64(std::size_t steps) {
  const PeakKernels& kernels = widest_kernels();
  volatile double seen = kernels.fma_f64(steps, 0.999, 0.001);
  static_cast<void>(seen);
  return kernels.fma_f64_flops * double(steps);
}

double run_fma_bf16(std::size_t steps) {
  const PeakKernels& kernels = widest_kernels();
  if (!kernels.fma_bf16) return run_fma_f32(steps);
  volatile double seen = kernels.fma_bf16(steps, 0.999, 0.001);
  static_cast<void>(seen);
  return kernels.fma_bf16_flops * double(steps);
}

}  // namespace breakeven
