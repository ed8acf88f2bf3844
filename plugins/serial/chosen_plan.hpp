// SPDX-License-Identifier: Apache-2.0
// The fastest plan found for a product: that of the rules, unless another one is faster where both
// are tried. Rules are right for most shapes on the processors that they were found on; trying is
// right on others, too.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/cpu_common/trial.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

template <class T>
struct Product {
  GemmShape shape;
  std::size_t batch = 1;
  T alpha, beta;
  const T *a, *b;
  T* c;

  std::size_t elements_of_a() const { return batch * shape.m * shape.k; }
  std::size_t elements_of_b() const { return batch * shape.k * shape.n; }
  std::size_t elements_of_c() const { return batch * shape.m * shape.n; }
};

// Memory that lies in its pages as `like` does in its own.
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

// With a workspace that begins half a page behind the end of c, as far as pages are concerned:
// where all operands follow each other it is read together with what lies at their begin.
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

// Operands of ones, for trials, that lie in their pages as those of a product do.
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
  }

  const Product<T>& product() const { return product_; }

 private:
  static T* ones(const PlacedMemory& memory, std::size_t elements) {
    T* const data = static_cast<T*>(memory.data());
    std::fill_n(data, elements, T(1));
    return data;
  }
  PlacedMemory a_, b_, c_;
  Product<T> product_;
};

// Found by trials, which take up to a quarter of a second, or some milliseconds for most products.
// What takes long or much memory is made as the rules say.
template <class T>
Way fastest_way(const Kernels<T>& kernels, const Product<T>& product) {
  const auto& [transpose_a, transpose_b, m, n, k] = product.shape;
  const std::size_t elements =
      product.elements_of_a() + product.elements_of_b() + product.elements_of_c();
  const double operations = 2.0 * double(m) * double(n) * double(k) * double(product.batch);
  if (operations == 0 || operations > cpu::most_operations ||
      elements * sizeof(T) > cpu::most_bytes)
    return {};

  const cpu::Stopwatch since_the_first;
  const StandIns<T> operands(product);
  std::vector<GemmPlan<T>> tried = {kernels.plan_gemm(product.shape, {})};
  PreparedProduct<T> best(tried[0], operands.product());
  best();
  const double seconds = cpu::shortest_seconds_of(best);
  if (seconds > cpu::most_seconds) return {};
  return cpu::fastest_way([&](const Way& way) {
    const GemmPlan<T> plan = kernels.plan_gemm(product.shape, way);
    const bool is_known = std::find(tried.begin(), tried.end(), plan) != tried.end();
    if (is_known || since_the_first.seconds() > cpu::most_seconds_of_all) return false;
    tried.push_back(plan);
    PreparedProduct<T> other(plan, operands.product());
    const bool is_faster = cpu::is_faster(other, best, seconds);
    if (is_faster) best = std::move(other);
    return is_faster;
  });
}

// The same one for the same product, as long as the process lives.
template <class T>
GemmPlan<T> chosen_plan(const Kernels<T>& kernels, const Product<T>& product) {
  using Key = std::tuple<const Kernels<T>*, GemmShape, std::size_t, bool>;
  static std::map<Key, Way> known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] =
      known.try_emplace(Key{&kernels, product.shape, product.batch, product.beta == 0});
  if (is_new) at->second = fastest_way(kernels, product);
  return kernels.plan_gemm(product.shape, at->second);
}

// In that way, or where none is given in the fastest one.
struct PlanOf {
  std::optional<Way> way;

  template <class T>
  GemmPlan<T> operator()(const Kernels<T>& kernels, const Product<T>& product) const {
    return way ? kernels.plan_gemm(product.shape, *way) : chosen_plan(kernels, product);
  }
};

}  // namespace breakeven::serial
