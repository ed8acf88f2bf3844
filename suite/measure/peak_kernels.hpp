// SPDX-License-Identifier: Apache-2.0
// Loops that do nothing but multiply-add, read, or stream, with the widest vectors at hand.
#pragma once

#include <cstddef>
#include <string_view>

namespace breakeven {

// Arrays are aligned to 64 bytes and a multiple of 64 bytes long; n counts elements.
struct PeakKernels {
  std::string_view vectors;  // `avx512f`, `avx2`, `sve256`, `neon`, `plain`
  // Independent chains of x = x a + b, so many rounds; the results are returned so that they are
  // needed.
  double (*fma_f32)(std::size_t rounds, double a, double b);
  double (*fma_f64)(std::size_t rounds, double a, double b);
  double fma_f32_flops, fma_f64_flops;  // of one round
  // Products of bf16 added to f32, by the instruction for it (TDPBF16PS, VDPBF16PS, BFMMLA); null
  // where the processor has none that is faster than f32.
  double (*fma_bf16)(std::size_t rounds, double a, double b);
  double fma_bf16_flops;
  void (*triad)(double* out, const double* a, const double* b, std::size_t n);  // out = a + 3 b
  void (*triad_past_caches)(double* out, const double* a, const double* b,
                            std::size_t n);  // or null
  double (*sum)(const double* a, std::size_t n);
};

const PeakKernels& widest_kernels();

}  // namespace breakeven
