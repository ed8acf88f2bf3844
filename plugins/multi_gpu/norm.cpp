// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/operations.hpp"
#include "plugins/multi_gpu/plan.hpp"

namespace breakeven::multi_gpu {

namespace {

Type result_type(Type type) {
  return type == Type::f64 ? Type::f64 : Type::f32;
}

// Norms of whole vectors, made where the vectors are and moved to where they belong.
std::unique_ptr<Task> deal_out(const Norm& norm, const std::vector<Share>& x, const Pieces& out,
                               SpreadQueue& queue) {
  const std::size_t element = bytes_of(result_type(norm.type));
  Plan plan(queue);
  const auto in_place = shares_of(out, element);
  const bool move = !in_place || !meet(x, *in_place);
  Pieces made;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Slice target =
        move ? plan.workspace(x[i].part, x[i].count * element) : (*in_place)[i].inner;
    plan.add(x[i].part, Norm{norm.type, norm.n, x[i].count, x[i].inner, target});
    made.push_back({x[i].part, x[i].first * element, target});
  }
  if (move) {
    plan.fence();
    plan.copy(out, made);
    plan.fence();
  }
  return plan.finish();
}

// One vector in pieces: sqrt(sum of squares) of its pieces' norms, on the part of the result.
std::unique_ptr<Task> join(const Norm& norm, const std::vector<Share>& x, const Pieces& out,
                           SpreadQueue& queue) {
  if (out.size() != 1 || out.front().part == host) return nullptr;
  const Type type = result_type(norm.type);
  const std::size_t element = bytes_of(type), part = out.front().part;
  Plan plan(queue);
  const Slice joined = plan.workspace(part, x.size() * element);
  Pieces made;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Slice target = plan.workspace(x[i].part, element);
    plan.add(x[i].part, Norm{norm.type, x[i].count, 1, x[i].inner, target});
    made.push_back({x[i].part, i * element, target});
  }
  plan.fence();
  plan.copy({{part, 0, joined}}, made);
  plan.fence();
  plan.add(part, Norm{type, x.size(), 1, joined, out.front().inner});
  return plan.finish();
}

}  // namespace

std::unique_ptr<Task> prepare(const Norm& norm, SpreadQueue& queue) {
  const std::size_t element = bytes_of(norm.type);
  const Pieces x = pieces_of(norm.x, norm.batch * norm.n * element, queue.whole(), "x");
  const Pieces out =
      pieces_of(norm.out, norm.batch * bytes_of(result_type(norm.type)), queue.whole(), "out");
  if (out.empty()) return Plan(queue).finish();
  if (norm.n == 0) return nullptr;
  if (const auto whole = shares_of(x, norm.n * element)) return deal_out(norm, *whole, out, queue);
  const auto cut = shares_of(x, element);
  return norm.batch == 1 && cut ? join(norm, *cut, out, queue) : nullptr;
}

}  // namespace breakeven::multi_gpu
