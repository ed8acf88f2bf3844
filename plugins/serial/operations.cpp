// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/serial/kernels/bf16_product.hpp"
#include "plugins/serial/queue.hpp"
#include "plugins/serial/wide_product.hpp"

namespace breakeven::serial {

using cpu::checked_product;
using cpu::make_task;

namespace {

GemmShape shape_of(const Gemm& gemm) {
  return {.transpose_a = gemm.transpose_a == Transpose::yes,
          .transpose_b = gemm.transpose_b == Transpose::yes,
          .m = gemm.m,
          .n = gemm.n,
          .k = gemm.k};
}

}  // namespace

std::unique_ptr<Task> SerialQueue::compute(const AnyOperation& operation) {
  if (const auto* gemm = operation.as<Gemm>()) return product(*gemm);
  if (const auto* norm = operation.as<Norm>())
    return reduction(*norm, "norm", [](const auto& kernels) { return kernels.norm; });
  return ElementwiseQueue::compute(operation);
}

std::unique_ptr<Task> SerialQueue::product(const Gemm& gemm) const {
  if (gemm.math != Math::native) return nullptr;
  return for_every_type(gemm.type, [&]<class T>(const Kernels<T>& kernels) {
    const T* a = operand<T>(gemm.a, checked_product(gemm.m, gemm.k, gemm.batch), "a");
    const T* b = operand<T>(gemm.b, checked_product(gemm.k, gemm.n, gemm.batch), "b");
    T* c = operand<T>(gemm.c, checked_product(gemm.m, gemm.n, gemm.batch), "c");
    if constexpr (Half<T>)
      return half_product(gemm, kernels, a, b, c);
    else {
      const Product<T> product{shape_of(gemm), gemm.batch, T(gemm.alpha), T(gemm.beta), a, b, c};
      return make_task(PreparedProduct<T>(plan_of_(kernels, product), product), own("gemm"));
    }
  });
}

template <class T>
std::unique_ptr<Task> SerialQueue::half_product(const Gemm& gemm, const Kernels<T>& kernels,
                                                const T* a, const T* b, T* c) const {
  const GemmShape shape = shape_of(gemm);
  const auto task = [&, alpha = float(gemm.alpha), beta = float(gemm.beta),
                     batch = gemm.batch](auto run) {
    return make_task(
        [=, run = std::move(run)] {
          const auto& [transpose_a, transpose_b, m, n, k] = shape;
          for (std::size_t i = 0; i < batch; ++i)
            run(alpha, a + i * m * k, b + i * k * n, beta, c + i * m * n);
        },
        own("gemm"));
  };
  if constexpr (std::is_same_v<T, Bf16>) {
    const Bf16Product* const product = variant().bf16_product;
    if (product && product->pays_off(shape))
      return task(
          [product, shape, workspace = cpu::allocate_memory(product->workspace_bytes(shape))](
              auto... operands) { product->run(shape, operands..., workspace.get()); });
  }
  return task([product = WideProduct<T>(shape, kernels, variant().f32, plan_of_)](
                  auto... operands) { product.run(operands...); });
}

}  // namespace breakeven::serial
