// SPDX-License-Identifier: Apache-2.0
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
      plan.run(plan, batch, alpha, a, b, beta, c, static_cast<T*>(workspace.get()));
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

}  // namespace breakeven::serial
