// SPDX-License-Identifier: Apache-2.0
// The fastest plan found for a product: that of the rules, unless another one is faster where both
// are tried. Rules are right for most shapes on the processors that they were found on; trying is
// right on others, too.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/cpu_common/trial.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// What alpha and beta are.
template <class T>
using Number = std::conditional_t<Half<T>, float, T>;

template <class T>
struct Product {
  GemmShape shape;
  std::size_t batch = 1;
  Number<T> alpha, beta;
  const T *a, *b;
  T* c;

  std::size_t elements_of_a() const { return batch * shape.m * shape.k; }
  std::size_t elements_of_b() const { return batch * shape.k * shape.n; }
  std::size_t elements_of_c() const { return batch * shape.m * shape.n; }
  cpu::Extents extents() const { return {shape.m, shape.n, shape.k, batch}; }
};

// Memory that begins as far from the begin of its page as `like` does.
class PlacedMemory {
 public:
  PlacedMemory(std::size_t bytes, const void* like)
      : memory_(cpu::allocate_memory(bytes + cpu::page_bytes)),
        data_(cpu::placed_like(like, memory_.get())) {}
  void* data() const { return data_; }

 private:
  cpu::HostMemory memory_;
  void* data_;
};

// With a workspace whose distance from the begin of its page is that of the end of c and half a
// page more. Where operands follow each other they begin in one place of their pages, too, and
// would push a workspace that began there out of the first cache.
template <class T>
class PreparedProduct {
 public:
  PreparedProduct(const GemmPlan<T>& plan, const Product<T>& product)
      : plan_(plan),
        product_(product),
        workspace_(plan.workspace_elements * sizeof(T), behind_c(product)) {}

  void operator()() const {
    const auto& [shape, batch, alpha, beta, a, b, c] = product_;
    plan_.run(plan_, batch, alpha, a, b, beta, c, static_cast<T*>(workspace_.data()));
  }

 private:
  static const void* behind_c(const Product<T>& product) {
    const auto end = reinterpret_cast<std::uintptr_t>(product.c + product.elements_of_c());
    return reinterpret_cast<const void*>((end + 63) / 64 * 64 + cpu::page_bytes / 2);
  }
  GemmPlan<T> plan_;
  Product<T> product_;
  PlacedMemory workspace_;
};

// So much of a product as is tried of it.
template <class T>
Product<T> part_to_try(Product<T> product) {
  const auto [m, n, k, batch] = cpu::part_to_try(product.extents(), sizeof(T));
  product.shape.m = m, product.shape.n = n, product.shape.k = k, product.batch = batch;
  return product;
}

// Operands of ones, for trials, that begin in their pages where those of a product do. What is
// added to c stays in range, however often that is done.
template <class T>
class StandIns {
 public:
  explicit StandIns(const Product<T>& product)
      : a_(product.elements_of_a() * sizeof(T), product.a),
        b_(product.elements_of_b() * sizeof(T), product.b),
        c_(product.elements_of_c() * sizeof(T), product.c),
        product_(product) {
    product_.a = ones(a_, product.elements_of_a());
    product_.b = ones(b_, product.elements_of_b());
    product_.c = ones(c_, product.elements_of_c());
    if (product_.beta != 0) product_.beta = 1;
  }

  const Product<T>& product() const { return product_; }

 private:
  static T* ones(const PlacedMemory& memory, std::size_t elements) {
    constexpr T one = [] {
      if constexpr (std::is_same_v<T, Bf16>)
        return Bf16{0x3f80};
      else
        return T(1);
    }();
    T* const data = static_cast<T*>(memory.data());
    std::fill_n(data, elements, one);
    return data;
  }
  PlacedMemory a_, b_, c_;
  Product<T> product_;
};

template <class T>
Way fastest_way(const Kernels<T>& kernels, const Product<T>& product) {
  const Product<T> part = part_to_try(product);
  if (!cpu::may_be_tried(part.extents(), 1)) return {};
  const StandIns<T> operands(part);
  std::vector<GemmPlan<T>> tried;
  const auto prepare = [&](const Way& way) -> cpu::Run {
    const GemmPlan<T> plan = kernels.plan_gemm(part.shape, way);
    if (std::find(tried.begin(), tried.end(), plan) != tried.end()) return {};
    tried.push_back(plan);
    return [made = std::make_shared<const PreparedProduct<T>>(plan, operands.product())] {
      (*made)();
    };
  };
  return cpu::fastest_way(prepare, cpu::to_put_far(operands.product().c, part.extents()));
}

// What is found out about a product holds for others with this key.
template <class T>
using KeyOf = std::tuple<const Kernels<T>*, GemmShape, std::size_t, bool>;
template <class T>
KeyOf<T> key_of(const Kernels<T>& kernels, const Product<T>& product) {
  return {&kernels, product.shape, product.batch, product.beta == 0};
}

// The way is found once for products of one shape, with the operands of the first one.
template <class T>
Way chosen_way(const Kernels<T>& kernels, const Product<T>& product) {
  static cpu::Known<KeyOf<T>> known;
  return known.of(key_of(kernels, product), [&] { return fastest_way(kernels, product); });
}

// Whether the other one of two ways to make a product, `prepare(other, product)`, is faster than
// the one that would be taken without trial. Found once for products of one shape on a variant.
template <class T, class Prepare>
bool other_is_faster(const Kernels<T>& kernels, const Product<T>& product, const Prepare& prepare) {
  const Product<T> part = part_to_try(product);
  if (!cpu::may_be_tried(part.extents(), 1)) return false;
  static cpu::Known<KeyOf<T>, bool> known;
  return known.of(key_of(kernels, product), [&] {
    const StandIns<T> operands(part);
    return cpu::other_is_faster([&](bool other) { return prepare(other, operands.product()); });
  });
}

// In that way, or where none is given in the fastest one.
struct PlanOf {
  std::optional<Way> way;

  template <class T>
  Way way_of(const Kernels<T>& kernels, const Product<T>& product) const {
    return way ? *way : chosen_way(kernels, product);
  }
};

}  // namespace breakeven::serial
