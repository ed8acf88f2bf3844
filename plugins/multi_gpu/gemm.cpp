// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "plugins/multi_gpu/operations.hpp"
#include "plugins/multi_gpu/plan.hpp"

namespace breakeven::multi_gpu {

namespace {

struct Operands {
  Pieces a, b, c;
};

// All of it on one part, as any other operation there.
std::optional<std::size_t> common_part(const Operands& operands) {
  for (const Pieces* pieces : {&operands.a, &operands.b, &operands.c})
    if (pieces->size() != 1 || pieces->front().part != operands.c.front().part) return {};
  if (operands.c.front().part == host) return {};
  return operands.c.front().part;
}

bool all_reach_each_other(const SpreadQueue& queue) {
  for (std::size_t i = 0; i < queue.parts(); ++i)
    for (std::size_t j = 0; j < queue.parts(); ++j)
      if (!queue.device(i).reaches(queue.device(j))) return false;
  return true;
}

std::unique_ptr<Task> deal_out(const Gemm& gemm, const Operands& operands, SpreadQueue& queue) {
  const std::size_t element = bytes_of(gemm.type);
  const auto a = shares_of(operands.a, gemm.m * gemm.k * element);
  const auto b = shares_of(operands.b, gemm.k * gemm.n * element);
  const auto c = shares_of(operands.c, gemm.m * gemm.n * element);
  if (!a || !b || !c || !meet(*a, *c) || !meet(*b, *c)) return nullptr;
  Plan plan(queue);
  for (std::size_t i = 0; i < c->size(); ++i) {
    Gemm share = gemm;
    share.batch = (*c)[i].count;
    share.a = (*a)[i].inner;
    share.b = (*b)[i].inner;
    share.c = (*c)[i].inner;
    plan.add((*c)[i].part, share);
  }
  return plan.finish();
}

// The whole of b on each part that has rows, in the order of `rows`. Fenced on both sides: what was
// written to b before is there, and nothing overwrites it while another part still reads.
std::vector<Slice> gather(const Pieces& b, std::size_t bytes, const std::vector<Share>& rows,
                          SpreadQueue& queue, Plan& plan) {
  std::vector<Slice> copies;
  for (const Share& share : rows) copies.push_back(plan.workspace(share.part, bytes));
  Pieces source = b;
  plan.fence();
  if (!all_reach_each_other(queue)) {
    source = {{host, 0, plan.workspace(0, bytes, Memory::pinned)}};
    plan.copy(source, b);
    plan.fence();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) plan.copy({{rows[i].part, 0, copies[i]}}, source);
  plan.fence();
  return copies;
}

std::unique_ptr<Task> cut_by_rows(const Gemm& gemm, const Operands& operands, SpreadQueue& queue) {
  const std::size_t element = bytes_of(gemm.type);
  if (gemm.transpose_a == Transpose::yes) return nullptr;
  const auto a = shares_of(operands.a, gemm.k * element);
  const auto c = shares_of(operands.c, gemm.n * element);
  if (!a || !c || !meet(*a, *c)) return nullptr;
  const auto on_host = [](const Piece& piece) { return piece.part == host; };
  if (std::any_of(operands.b.begin(), operands.b.end(), on_host)) return nullptr;
  Plan plan(queue);
  const auto b = gather(operands.b, gemm.k * gemm.n * element, *c, queue, plan);
  for (std::size_t i = 0; i < c->size(); ++i) {
    Gemm share = gemm;
    share.m = (*c)[i].count;
    share.a = (*a)[i].inner;
    share.b = b[i];
    share.c = (*c)[i].inner;
    plan.add((*c)[i].part, share);
  }
  return plan.finish();
}

}  // namespace

std::unique_ptr<Task> prepare(const Gemm& gemm, SpreadQueue& queue) {
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  const Operands operands{pieces_of(gemm.a, gemm.m * gemm.k * element, queue.whole(), "a"),
                          pieces_of(gemm.b, gemm.k * gemm.n * element, queue.whole(), "b"),
                          pieces_of(gemm.c, gemm.m * gemm.n * element, queue.whole(), "c")};
  if (operands.c.empty()) return Plan(queue).finish();
  if (gemm.k == 0) return nullptr;
  if (const auto part = common_part(operands)) {
    Gemm whole = gemm;
    whole.a = operands.a.front().inner;
    whole.b = operands.b.front().inner;
    whole.c = operands.c.front().inner;
    Plan plan(queue);
    plan.add(*part, whole);
    return plan.finish();
  }
  return gemm.batch > 1 ? deal_out(gemm, operands, queue) : cut_by_rows(gemm, operands, queue);
}

}  // namespace breakeven::multi_gpu
