// SPDX-License-Identifier: Apache-2.0
// The fastest plan found for a product: that of the rules, unless another one is faster where both
// are tried. Rules are right for most shapes on the processors that they were found on; trying is
// right on others, too.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
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

inline constexpr std::size_t page = 4096;

// Memory that lies in its pages as `like` does in its own: what is as far from other operands
// pushes them out of the first cache as much.
class PlacedMemory {
 public:
  PlacedMemory(std::size_t bytes, const void* like) : memory_(cpu::allocate_memory(bytes + page)) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
    const auto to = reinterpret_cast<std::uintptr_t>(like);
    data_ = static_cast<std::byte*>(memory_.get()) + (to - at) % page;
  }
  void* data() const { return data_; }

 private:
  cpu::HostMemory memory_;
  void* data_;
};

// With a workspace that follows c in its pages.
template <class T>
class PreparedProduct {
 public:
  PreparedProduct(const GemmPlan<T>& plan, const Product<T>& product)
      : plan_(plan),
        product_(product),
        workspace_(plan.workspace_elements * sizeof(T), end_of_c(product)) {}

  void operator()() const {
    const auto& [shape, batch, alpha, beta, a, b, c] = product_;
    plan_.run(plan_, batch, alpha, a, b, beta, c, static_cast<T*>(workspace_.data()));
  }

 private:
  static const void* end_of_c(const Product<T>& product) {
    const auto end = reinterpret_cast<std::uintptr_t>(product.c + product.elements_of_c());
    return reinterpret_cast<const void*>((end + 63) / 64 * 64);
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
  Way fastest;
  const auto& [transpose_a, transpose_b, m, n, k] = product.shape;
  constexpr double most_operations = 3e9, most_seconds = 0.02, most_seconds_of_all = 0.25;
  constexpr std::size_t most_bytes = std::size_t(96) << 20;
  const std::size_t elements =
      product.elements_of_a() + product.elements_of_b() + product.elements_of_c();
  const double operations = 2.0 * double(m) * double(n) * double(k) * double(product.batch);
  if (operations == 0 || operations > most_operations || elements * sizeof(T) > most_bytes)
    return fastest;

  const cpu::Stopwatch since_the_first;
  const StandIns<T> operands(product);
  std::vector<GemmPlan<T>> tried = {kernels.plan_gemm(product.shape, fastest)};
  PreparedProduct<T> best(tried[0], operands.product());
  best();
  const double seconds = cpu::seconds_of(best);
  if (seconds > most_seconds) return fastest;
  // One decision after the other, each beside the fastest so far.
  const auto attempt = [&](const Way& way) {
    const GemmPlan<T> plan = kernels.plan_gemm(product.shape, way);
    if (std::find(tried.begin(), tried.end(), plan) != tried.end() ||
        since_the_first.seconds() > most_seconds_of_all)
      return;
    tried.push_back(plan);
    PreparedProduct<T> other(plan, operands.product());
    if (cpu::is_faster(other, best, seconds)) best = std::move(other), fastest = way;
  };
  for (bool Way::*decision :
       {&Way::turns_b, &Way::turns_c, &Way::sums, &Way::by_rows, &Way::packs, &Way::low}) {
    Way way = fastest;
    way.*decision = true;
    attempt(way);
  }
  for (const cpu::Family& rules : cpu::families) {
    Way way = fastest;
    way.rules = rules;
    attempt(way);
  }
  return fastest;
}

template <class T>
using PlanOf = GemmPlan<T> (*)(const Kernels<T>& kernels, const Product<T>& product);

template <class T>
GemmPlan<T> plan_by_rules(const Kernels<T>& kernels, const Product<T>& product) {
  return kernels.plan_gemm(product.shape, Way());
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

}  // namespace breakeven::serial
