// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/kernels/number.cuh"

namespace breakeven::cuda {

// Calls `function` with a value of the C++ type that `type` stands for.
template <class Function>
void by_type(Type type, Function function) {
  switch (type) {
    case Type::f32:
      return function(float{});
    case Type::f64:
      return function(double{});
    case Type::f16:
      return function(__half{});
    case Type::bf16:
      return function(__nv_bfloat16{});
  }
}

}  // namespace breakeven::cuda
