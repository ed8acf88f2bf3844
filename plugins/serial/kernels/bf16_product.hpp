// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by instructions of their own, where a family of processors has them.
#pragma once

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// c = alpha op(a) op(b) + beta c, summed in f32 and rounded once; c is not read for beta = 0. The
// workspace is aligned to 16 bytes.
struct Bf16Product {
  // Whether it is faster than to widen to f32; `run` takes any shape.
  bool (*pays_off)(const GemmShape& shape);
  std::size_t (*workspace_bytes)(const GemmShape& shape);
  void (*run)(const GemmShape& shape, float alpha, const Bf16* a, const Bf16* b, float beta,
              Bf16* c, void* workspace);
};

extern const Bf16Product vdpbf16ps;  // on x86-64
extern const Bf16Product bfmmla;     // on aarch64

}  // namespace breakeven::serial
