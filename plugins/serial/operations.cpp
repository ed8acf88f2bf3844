// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <type_traits>
#include <utility>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/cpu_common/plan_option.hpp"
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

// A product by instructions of its own.
class PreparedBf16 {
 public:
  PreparedBf16(const Bf16Product& product, const GemmShape& shape)
      : product_(&product),
        shape_(shape),
        workspace_(cpu::allocate_memory(product.workspace_bytes(shape))) {}

  void run(float alpha, const Bf16* a, const Bf16* b, float beta, Bf16* c) const {
    product_->run(shape_, alpha, a, b, beta, c, workspace_.get());
  }

 private:
  const Bf16Product* product_;
  GemmShape shape_;
  cpu::HostMemory workspace_;
};

// One matrix after the other.
template <class T, class Prepared>
cpu::Run of_batch(const Product<T>& product, std::shared_ptr<Prepared> prepared) {
  return [product, prepared = std::move(prepared)] {
    const auto& [shape, batch, alpha, beta, a, b, c] = product;
    const auto& [transpose_a, transpose_b, m, n, k] = shape;
    for (std::size_t i = 0; i < batch; ++i)
      prepared->run(alpha, a + i * m * k, b + i * k * n, beta, c + i * m * n);
  };
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
    const Product<T> product{
        shape_of(gemm), gemm.batch, Number<T>(gemm.alpha), Number<T>(gemm.beta), a, b, c};
    if constexpr (Half<T>) {
      const HalfProduct made = half_product(kernels, product);
      return make_task(made.run, own(made.routine));
    } else {
      const Way way = plan_of_.way_of(kernels, product);
      return make_task(PreparedProduct<T>(kernels.plan_gemm(product.shape, way), product),
                       own(cpu::gemm_routine(way)));
    }
  });
}

// By instructions of its own, where bf16 has them, or widened: whichever is faster.
template <class T>
SerialQueue::HalfProduct SerialQueue::half_product(const Kernels<T>& kernels,
                                                   const Product<T>& product) const {
  const auto widened = [&](const Product<T>& of) -> HalfProduct {
    auto wide = std::make_shared<const WideProduct<T>>(of.shape, kernels, variant().f32, plan_of_);
    const std::string_view routine = cpu::gemm_routine(wide->way(), "gemm widened");
    return {of_batch(of, std::move(wide)), routine};
  };
  if constexpr (std::is_same_v<T, Bf16>)
    if (const Bf16Product* const own = variant().bf16_product) {
      const bool pays_off = own->pays_off(product.shape);
      const auto prepare = [&](bool other, const Product<T>& of) -> HalfProduct {
        if (pays_off == other) return widened(of);
        return {of_batch(of, std::make_shared<const PreparedBf16>(*own, of.shape)), "gemm"};
      };
      const auto run = [&](bool other, const Product<T>& of) { return prepare(other, of).run; };
      const bool other = !plan_of_.way && other_is_faster(kernels, product, run);
      return prepare(other, product);
    }
  return widened(product);
}

}  // namespace breakeven::serial
