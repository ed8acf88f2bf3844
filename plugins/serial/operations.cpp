// SPDX-License-Identifier: Apache-2.0
// Each operation of the contract becomes a task: operands are checked and the plan is made here.
#include "plugins/cpu_common/host_device.hpp"
#include "plugins/serial/queue.hpp"

namespace breakeven::serial {

using cpu::checked_product;
using cpu::make_task;

std::unique_ptr<Task> SerialQueue::compute(const Gemm& gemm) {
  if (gemm.math != Math::native) return nullptr;
  return for_type(gemm.type, [&]<class T>(const Kernels<T>& kernels) {
    const T* a = operand<T>(gemm.a, checked_product(gemm.m, gemm.k, gemm.batch), "a");
    const T* b = operand<T>(gemm.b, checked_product(gemm.k, gemm.n, gemm.batch), "b");
    T* c = operand<T>(gemm.c, checked_product(gemm.m, gemm.n, gemm.batch), "c");
    const GemmPlan<T> plan = kernels.plan_gemm({.transpose_a = gemm.transpose_a == Transpose::yes,
                                                .transpose_b = gemm.transpose_b == Transpose::yes,
                                                .m = gemm.m,
                                                .n = gemm.n,
                                                .k = gemm.k});
    cpu::HostMemory workspace = cpu::allocate_memory(plan.workspace_elements * sizeof(T));
    return make_task([plan, a, b, c, alpha = T(gemm.alpha), beta = T(gemm.beta), batch = gemm.batch,
                      workspace = std::move(workspace)] {
      const auto& [m, n, k] = std::tie(plan.shape.m, plan.shape.n, plan.shape.k);
      for (std::size_t i = 0; i < batch; ++i)
        plan.run(plan, alpha, a + i * m * k, b + i * k * n, beta, c + i * m * n,
                 static_cast<T*>(workspace.get()));
    });
  });
}

std::unique_ptr<Task> SerialQueue::compute(const Norm& norm) {
  return for_type(norm.type, [&]<class T>(const Kernels<T>& kernels) {
    const T* x = operand<T>(norm.x, checked_product(norm.n, norm.batch), "x");
    T* out = operand<T>(norm.out, norm.batch, "out");
    return make_task([run = kernels.norm, n = norm.n, batch = norm.batch, x, out] {
      for (std::size_t i = 0; i < batch; ++i) out[i] = run(n, x + i * n);
    });
  });
}

std::unique_ptr<Task> SerialQueue::compute(const MultiplyAdd& multiply_add) {
  return for_type(multiply_add.type, [&]<class T>(const Kernels<T>& kernels) {
    const std::size_t n = multiply_add.n;
    const T* a = operand<T>(multiply_add.a, n, "a");
    const T* b = operand<T>(multiply_add.b, n, "b");
    const T* c = operand<T>(multiply_add.c, n, "c");
    T* out = operand<T>(multiply_add.out, n, "out");
    return make_task([run = kernels.multiply_add, n, a, b, c, out] { run(n, a, b, c, out); });
  });
}

std::unique_ptr<Task> SerialQueue::compute(const Tanh& tanh) {
  return for_type(tanh.type, [&]<class T>(const Kernels<T>& kernels) {
    const T* x = operand<T>(tanh.x, tanh.n, "x");
    T* out = operand<T>(tanh.out, tanh.n, "out");
    return make_task([run = kernels.tanh, n = tanh.n, x, out] { run(n, x, out); });
  });
}

std::unique_ptr<Task> SerialQueue::compute(const TanhGradient& gradient) {
  return for_type(gradient.type, [&]<class T>(const Kernels<T>& kernels) {
    const T* h = operand<T>(gradient.h, gradient.n, "h");
    const T* d = operand<T>(gradient.d, gradient.n, "d");
    T* out = operand<T>(gradient.out, gradient.n, "out");
    return make_task(
        [run = kernels.tanh_gradient, n = gradient.n, h, d, out] { run(n, h, d, out); });
  });
}

}  // namespace breakeven::serial
