// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "plugins/cublas/device.hpp"
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

// Where the pieces of b that a part reads begin: at its own, so that each piece is read by one part
// at a time.
std::size_t first_of(const Pieces& b, std::size_t part) {
  std::size_t first = 0;
  while (first < b.size() && b[first].part < part) ++first;
  return first < b.size() ? first : 0;
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
    for (Piece& piece : source)
      piece = {host, piece.begin, plan.workspace(piece.part, piece.inner.bytes, Memory::pinned)};
    plan.copy(source, b);
    plan.fence();
  }
  for (std::size_t turn = 0; turn < b.size(); ++turn)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t next = (first_of(b, rows[i].part) + turn) % b.size();
      const bool is_own = b[next].part == rows[i].part;
      plan.copy({{rows[i].part, 0, copies[i]}}, {is_own ? b[next] : source[next]});
    }
  plan.fence();
  return copies;
}

// The columns of a that meet rows of b on one part, times those rows, added to what is in `sum`.
Gemm of_columns(const Gemm& gemm, const Share& a, const Share& b, const Slice& rows_of_b,
                const Slice& sum) {
  const std::size_t before = b.first * bytes_of(gemm.type);
  Gemm part = gemm;
  part.m = a.count;
  part.k = b.count;
  part.a = {a.inner.buffer, a.inner.offset + before, a.inner.bytes - before};
  part.b = rows_of_b;
  part.c = sum;
  part.beta = 1;
  return part;
}

// Gathers the rows of b one part after the other, and multiplies those that are there meanwhile:
// c is a sum over the parts of b. One of 16 bits, which would be rounded after each part, has its
// sum in f32 beside it and is rounded in the end.
std::unique_ptr<Task> gather_and_multiply(const Gemm& gemm, const Pieces& b,
                                          const std::vector<Share>& rows_of_b,
                                          const std::vector<Share>& a, const std::vector<Share>& c,
                                          SpreadQueue& queue) {
  Plan plan(queue);
  plan.fence();
  for (std::size_t part = 0; part < queue.parts(); ++part)
    plan.follow(part, queue.copies(part), queue.queue(part));
  Pieces source = b;
  std::vector<Event*> staged(b.size());
  if (!all_reach_each_other(queue))
    for (std::size_t i = 0; i < b.size(); ++i) {
      source[i] = {host, b[i].begin, plan.workspace(b[i].part, b[i].inner.bytes, Memory::pinned)};
      plan.copy({source[i]}, {b[i]}, Plan::Where::beside);
      staged[i] = &plan.mark(b[i].part, queue.copies(b[i].part));
    }
  const Type type_of_sum = gemm.type == Type::f64 ? Type::f64 : Type::f32;
  const bool is_beside = type_of_sum != gemm.type;
  std::vector<Slice> sums;
  for (const Share& share : c)
    sums.push_back(is_beside ? plan.workspace(share.part, share.count * gemm.n * sizeof(float))
                             : share.inner);
  const auto queue_on = [&](std::size_t part) -> auto& {
    return static_cast<cublas::CublasQueue&>(queue.queue(part));
  };
  for (std::size_t turn = 0; turn < b.size(); ++turn)
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t part = c[i].part, next = (first_of(b, part) + turn) % b.size();
      Slice there = b[next].inner;
      if (b[next].part != part) {
        there = plan.workspace(part, there.bytes);
        if (staged[next]) plan.wait(queue.copies(part), *staged[next]);
        plan.copy({{part, b[next].begin, there}}, {source[next]}, Plan::Where::beside);
        plan.follow(part, queue.queue(part), queue.copies(part));
      }
      Gemm product = of_columns(gemm, a[i], rows_of_b[next], there, sums[i]);
      if (turn == 0) product.beta = is_beside ? 0 : gemm.beta;
      plan.add(queue_on(part).prepare_in_layout(product, {gemm.k, type_of_sum}));
    }
  if (is_beside)
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t elements = c[i].count * gemm.n;
      plan.add(queue_on(c[i].part).prepare_rounding(
          {gemm.type, elements, gemm.beta, sums[i], c[i].inner}));
    }
  plan.fence();
  return plan.finish();
}

std::unique_ptr<Task> cut_by_rows(const Gemm& gemm, const Operands& operands, SpreadQueue& queue) {
  const std::size_t element = bytes_of(gemm.type);
  if (gemm.transpose_a == Transpose::yes) return nullptr;
  const auto a = shares_of(operands.a, gemm.k * element);
  const auto c = shares_of(operands.c, gemm.n * element);
  if (!a || !c || !meet(*a, *c)) return nullptr;
  const auto on_host = [](const Piece& piece) { return piece.part == host; };
  if (std::any_of(operands.b.begin(), operands.b.end(), on_host)) return nullptr;
  const auto rows_of_b = shares_of(operands.b, gemm.n * element);
  const bool is_large = std::all_of(operands.b.begin(), operands.b.end(), [&](const Piece& piece) {
    return piece.inner.bytes >= queue.overlap_from();
  });
  if (is_large && rows_of_b && gemm.transpose_b == Transpose::no)
    return gather_and_multiply(gemm, operands.b, *rows_of_b, *a, *c, queue);
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
