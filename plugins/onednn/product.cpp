// SPDX-License-Identifier: Apache-2.0
#include "plugins/onednn/product.hpp"

#include <omp.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace breakeven::onednn {

namespace {

using cpu::checked_product;
using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// What oneDNN multiplies on a CPU; whether it does so on this one, it says itself.
std::optional<memory::data_type> type_of(const Gemm& gemm) {
  if (gemm.math != Math::native) return {};
  switch (gemm.type) {
    case Type::f32:
      return memory::data_type::f32;
    case Type::bf16:
      return memory::data_type::bf16;
    case Type::f16:
      return memory::data_type::f16;
    case Type::f64:
      break;
  }
  return {};
}

// c = alpha a b + beta c, where c is not read for beta = 0.
dnnl::primitive_attr factors(const Gemm& gemm) {
  dnnl::post_ops after;
  const auto alpha = float(gemm.alpha);
#if DNNL_VERSION_MAJOR < 3
  if (alpha != 1) after.append_eltwise(1, dnnl::algorithm::eltwise_linear, alpha, 0);
#else
  if (alpha != 1) after.append_eltwise(dnnl::algorithm::eltwise_linear, alpha, 0);
#endif
  if (gemm.beta != 0) after.append_sum(float(gemm.beta));
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  return attributes;
}

dnnl::matmul::primitive_desc plan(const Gemm& gemm, const memory::desc& a, const memory::desc& b,
                                  const memory::desc& c) {
#if DNNL_VERSION_MAJOR < 3
  return {dnnl::matmul::desc(a, b, c), factors(gemm), engine()};
#else
  return {engine(), a, b, c, factors(gemm)};
#endif
}

class Product final : public Task {
 public:
  Product(const dnnl::matmul::primitive_desc& plan, std::unordered_map<int, memory> operands,
          std::size_t threads)
      : matmul_(plan),
        operands_(std::move(operands)),
        routine_(plan.impl_info_str()),
        threads_(threads) {}
  void enqueue() override {
    if (threads_ != 0) omp_set_num_threads(int(threads_));
    matmul_.execute(stream_, operands_);
    stream_.wait();
  }
  TaskInfo info() const override {
    return {.author = Author::library, .threads = threads_, .routine = routine_};
  }

 private:
  dnnl::matmul matmul_;
  dnnl::stream stream_{engine()};
  std::unordered_map<int, memory> operands_;
  std::string routine_;
  std::size_t threads_;
};

}  // namespace

std::unique_ptr<Task> OneDnnQueue::compute(const AnyOperation& operation) {
  const auto* const gemm = operation.as<Gemm>();
  return gemm ? product(*gemm) : nullptr;
}

std::unique_ptr<Task> OneDnnQueue::product(const Gemm& gemm) const {
  const auto type = type_of(gemm);
  if (!type || gemm.k == 0) return nullptr;
  const auto batch = memory::dim(gemm.batch);
  const std::size_t bytes = gemm.type == Type::f32 ? 4 : 2;
  std::unordered_map<int, memory> operands;
  const auto matrices = [&](int argument, const Slice& slice, std::size_t rows, std::size_t columns,
                            Transpose transpose, std::string_view name) {
    const std::size_t one = checked_product(rows, columns);
    auto* const data = operand<std::byte>(slice, checked_product(one, gemm.batch, bytes), name);
    const auto m = memory::dim(rows), n = memory::dim(columns);
    const bool across = transpose == Transpose::yes;
    const memory::desc as({batch, m, n}, *type,
                          {memory::dim(one), across ? 1 : n, across ? m : memory::dim(1)});
    if (one * gemm.batch != 0) operands.emplace(argument, memory(as, engine(), data));
    return as;
  };
  try {
    const auto a = matrices(DNNL_ARG_SRC, gemm.a, gemm.m, gemm.k, gemm.transpose_a, "a");
    const auto b = matrices(DNNL_ARG_WEIGHTS, gemm.b, gemm.k, gemm.n, gemm.transpose_b, "b");
    const auto c = matrices(DNNL_ARG_DST, gemm.c, gemm.m, gemm.n, Transpose::no, "c");
    if (operands.size() < 3) return cpu::make_task([] {});
    if (threads_ != 0) omp_set_num_threads(int(threads_));
    return std::make_unique<Product>(plan(gemm, a, b, c), std::move(operands), threads_);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented) return nullptr;
    throw;
  }
}

}  // namespace breakeven::onednn
