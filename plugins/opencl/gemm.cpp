// SPDX-License-Identifier: Apache-2.0
// Who does a product: CLBlast or the suite's own kernels.
#include <algorithm>
#include <limits>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/clblast.hpp"
#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"
#include "plugins/opencl/own_product.hpp"

namespace breakeven::opencl {

std::unique_ptr<Task> prepare(const Gemm& gemm, OpenClDevice& device, cl_command_queue queue) {
  const std::size_t element = bytes_of(gemm.type);
  if (!computable(device, {{"a", gemm.a, product({gemm.batch, gemm.m, gemm.k}), element},
                           {"b", gemm.b, product({gemm.batch, gemm.k, gemm.n}), element},
                           {"c", gemm.c, product({gemm.batch, gemm.m, gemm.n}), element}}))
    return nullptr;
  if (gemm.math != Math::native) return nullptr;
  if (gemm.type == Type::f64 && !device.hardware.has_f64) return nullptr;
  constexpr std::size_t most = std::numeric_limits<cl_int>::max();
  if (std::max({gemm.m, gemm.n, gemm.k, gemm.batch}) > most) return nullptr;
  if (gemm.m == 0 || gemm.n == 0 || gemm.batch == 0) return task_of(queue, {});
  // CLBlast would sum 16-bit products in 16 bits, and refuses k = 0.
  const bool both_can = (gemm.type == Type::f32 || gemm.type == Type::f64) && gemm.k > 0;
  if (both_can && device.settings.products == Products::clblast)
    return prepare_clblast_product(gemm, device, queue);
  return prepare_own_product(gemm, tile_for(device, gemm.type), device, queue);
}

}  // namespace breakeven::opencl
