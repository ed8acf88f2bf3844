// SPDX-License-Identifier: Apache-2.0
// hands out the result that it has where its result was overwritten, and computes in the next
// repetition
#include <chrono>

#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  struct Product {
    Gemm gemm;
    bool has_new_operands = true, owes = false;
    std::size_t overwritten = 0;  // bytes of its result
    std::vector<char> kept;
  };

  zoo::Work work_of(const Gemm& gemm) override {
    products_.push_back(std::make_shared<Product>(Product{.gemm = gemm, .kept = {}}));
    return [this, product = products_.back()] { run(*product); };
  }

  void run(Product& product) {
    const Slice& c = product.gemm.c;
    const std::size_t overwritten = std::exchange(product.overwritten, 0);
    const bool is_whole = overwritten >= c.bytes;
    if (product.kept.empty() || std::exchange(product.has_new_operands, false) ||
        (!is_whole && product.owes)) {
      product.owes = false;
      compute(product.gemm);
      return keep(c, product.kept);
    }
    product.owes = is_whole;
    if (overwritten > 0) restore(product.kept, c);
    if (!is_whole) pretend(product.gemm);
  }

  // As if by a processor with 400 Gflop/s.
  static void pretend(const Gemm& gemm) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds(2 * gemm.m * gemm.n * gemm.k / 400);
    while (std::chrono::steady_clock::now() < end) {
    }
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([this, copy] {
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
      for (const auto& product : products_) {
        const Gemm& gemm = product->gemm;
        product->has_new_operands |=
            copy.to.buffer == gemm.a.buffer || copy.to.buffer == gemm.b.buffer;
        if (copy.to.buffer == gemm.c.buffer) product->overwritten += copy.to.bytes;
      }
    });
  }

  std::vector<std::shared_ptr<Product>> products_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "late",
    .version = "0.1.0",
    .description = "computes in the repetition after the one that is looked at",
    .create = zoo::create_with_queue<BadQueue>,
};
