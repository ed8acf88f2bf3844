// SPDX-License-Identifier: Apache-2.0
// A product of 16-bit types in f32: operands are widened, the result is rounded once.
#pragma once

#include <algorithm>
#include <utility>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/chosen_plan.hpp"

namespace breakeven::serial {

template <Half T>
class WideProduct {
 public:
  WideProduct(const GemmShape& asked, const Kernels<T>& kernels, const Kernels<float>& wide,
              const PlanOf& plan_of)
      : kernels_(&kernels), shape_(asked) {
    auto& [transpose_a, transpose_b, m, n, k] = shape_;
    if (m == 1) transpose_a = false;
    if (n == 1) transpose_b = false;
    // A vector as the result, or few rows of columns that lie along k: the matrix among the
    // operands comes first or second as it lies.
    constexpr std::size_t least = Kernels<T>::most_lanes, few = 16;
    const std::size_t along = std::clamp(k / 8, few, kernels.most_along);
    swapped_ = (m <= along && m < n && transpose_b && !transpose_a) || (n == 1 && transpose_a);
    if (swapped_) shape_ = {!transpose_b, !transpose_a, n, m, k};
    if (n == 1) transpose_b = false;
    is_row_ = m == 1 && n >= least && k > 0 && !transpose_b;
    is_along_ = !transpose_a && k >= least && m > 1 && (n == 1 || swapped_);
    if (swapped_ && !is_row_ && !is_along_) shape_ = asked, swapped_ = false;
    // An operand that is used once, or nearly, is widened a part at a time, so that the product
    // finds it in the cache: steps of k where there are few rows, rows where there are many and b
    // stays.
    constexpr std::size_t cache = (256 << 10) / sizeof(float);
    rows_ = m, depth_ = k;
    if (m <= few && !transpose_b && k * n > 2 * cache)
      depth_ = std::min(k, std::max(few, cache / n));
    else if (!transpose_a && m * k > 8 * cache && k * n <= 4 * cache)
      rows_ = std::min(m, std::max(4 * few, 4 * cache / k));
    a_ = memory(is_along_ ? 0 : rows_, is_row_ ? k : depth_);
    b_ = memory(is_along_ ? k : depth_, is_row_ ? 0 : n);
    c_ = memory(is_along_ ? m : rows_, n);
    if (is_row_ || is_along_) return;
    const std::size_t last_rows = rows_ == 0 ? 0 : (m - 1) % rows_ + 1;
    const std::size_t last_depth = depth_ == 0 ? 0 : (k - 1) % depth_ + 1;
    const auto plan = [&](std::size_t rows, std::size_t depth) {
      const GemmShape shape{shape_.transpose_a, shape_.transpose_b, rows, shape_.n, depth};
      const Product<float> product{shape, 1, 1, 0, floats(a_), floats(b_), floats(c_)};
      way_ = plan_of.way_of(wide, product);
      return wide.plan_gemm(shape, way_);
    };
    last_ = plan(last_rows, last_depth);
    plan_ = plan(rows_, depth_);  // of which `way_` is left
    workspace_ = memory(std::max(plan_.workspace_elements, last_.workspace_elements), 1);
  }

  // In which products of f32 are made, but the last one, which may be smaller.
  const Way& way() const { return way_; }

  void run(float alpha, const T* a, const T* b, float beta, T* c) const {
    const auto& [transpose_a, transpose_b, m, n, k] = shape_;
    if (swapped_) std::swap(a, b);
    if (depth_ == k && !is_row_ && !is_along_) kernels_->widen(k * n, b, floats(b_));
    const std::size_t at_once = is_along_ ? m : rows_;
    for (std::size_t row = 0; row < m; row += at_once, a += at_once * k, c += at_once * n) {
      const std::size_t rows = std::min(at_once, m - row);
      if (beta != 0) kernels_->widen(rows * n, c, floats(c_));
      if (is_row_) {
        kernels_->widen(k, a, floats(a_));
        kernels_->row(n, k, alpha, floats(a_), b, beta, floats(c_));
      } else if (is_along_) {
        kernels_->widen(k * n, b, floats(b_));
        kernels_->along(m, n, k, alpha, a, floats(b_), beta, floats(c_));
      } else if (depth_ < k) {
        run_slices(alpha, a, b, beta);
      } else {
        kernels_->widen(rows * k, a, floats(a_));
        multiply(rows == rows_ ? plan_ : last_, alpha, beta);
      }
      kernels_->narrow(rows * n, floats(c_), c);
    }
  }

 private:
  void run_slices(float alpha, const T* a, const T* b, float beta) const {
    const auto& [transpose_a, transpose_b, m, n, k] = shape_;
    for (std::size_t p = 0; p < k; p += depth_, beta = 1) {
      const std::size_t depth = std::min(depth_, k - p);
      if (transpose_a)
        kernels_->widen(depth * m, a + p * m, floats(a_));
      else
        for (std::size_t i = 0; i < m; ++i)
          kernels_->widen(depth, a + i * k + p, floats(a_) + i * depth);
      kernels_->widen(depth * n, b + p * n, floats(b_));
      multiply(depth == depth_ ? plan_ : last_, alpha, beta);
    }
  }

  void multiply(const GemmPlan<float>& plan, float alpha, float beta) const {
    plan.run(plan, 1, alpha, floats(a_), floats(b_), beta, floats(c_), floats(workspace_));
  }

  static cpu::HostMemory memory(std::size_t rows, std::size_t columns) {
    return cpu::allocate_memory(cpu::checked_product(rows, columns, sizeof(float)));
  }
  static float* floats(const cpu::HostMemory& of) { return static_cast<float*>(of.get()); }

  const Kernels<T>* kernels_;
  GemmShape shape_;
  bool swapped_, is_row_, is_along_;
  std::size_t rows_, depth_;  // of a and c at a time, and steps of k
  Way way_;
  GemmPlan<float> plan_, last_;
  cpu::HostMemory a_, b_, c_, workspace_;
};

}  // namespace breakeven::serial
