// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include "plugins/multi_gpu/operations.hpp"
#include "plugins/multi_gpu/plan.hpp"

namespace breakeven::multi_gpu {

namespace {

struct Operand {
  const char* name;
  const Slice& slice;
};

// `make(count, slices)`: the operation on one part's elements. The last operand is the result.
template <std::size_t count, class Make>
std::unique_ptr<Task> spread(const std::array<Operand, count>& operands, Type type, std::size_t n,
                             SpreadQueue& queue, Make make) {
  const std::size_t element = bytes_of(type);
  std::array<std::vector<Share>, count> shares;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pieces = pieces_of(operands[i].slice, n * element, queue.whole(), operands[i].name);
    auto found = shares_of(pieces, element);
    if (!found) return nullptr;
    shares[i] = std::move(*found);
  }
  if (!std::all_of(shares.begin(), shares.end(),
                   [&](const auto& one) { return meet(one, shares.back()); }))
    return nullptr;
  Plan plan(queue);
  for (std::size_t i = 0; i < shares.back().size(); ++i) {
    std::array<Slice, count> slices;
    for (std::size_t j = 0; j < count; ++j) slices[j] = shares[j][i].inner;
    plan.add(shares.back()[i].part, make(shares.back()[i].count, slices));
  }
  return plan.finish();
}

bool crosses(const Pieces& to, const Pieces& from) {
  const auto on_host = [](const Piece& piece) { return piece.part == host; };
  if (std::any_of(to.begin(), to.end(), on_host) || std::any_of(from.begin(), from.end(), on_host))
    return true;
  return !std::equal(
      to.begin(), to.end(), from.begin(), from.end(),
      [](const Piece& a, const Piece& b) { return a.part == b.part && a.begin == b.begin; });
}

}  // namespace

std::unique_ptr<Task> prepare(const Nothing&, SpreadQueue& queue) {
  Plan plan(queue);
  for (std::size_t part = 0; part < queue.parts(); ++part) plan.add(part, Nothing{});
  return plan.finish();
}

std::unique_ptr<Task> prepare(const Copy& copy, SpreadQueue& queue) {
  const std::size_t bytes = copy.to.bytes;
  if (copy.from.bytes != bytes) throw std::invalid_argument("to and from differ in length");
  const Pieces to = pieces_of(copy.to, bytes, queue.whole(), "to");
  const Pieces from = pieces_of(copy.from, bytes, queue.whole(), "from");
  Plan plan(queue);
  const bool fenced = crosses(to, from);
  if (fenced) plan.fence();
  plan.copy(to, from);
  if (fenced) plan.fence();
  return plan.finish();
}

std::unique_ptr<Task> prepare(const MultiplyAdd& o, SpreadQueue& queue) {
  const std::array<Operand, 4> operands{{{"a", o.a}, {"b", o.b}, {"c", o.c}, {"out", o.out}}};
  return spread(operands, o.type, o.n, queue, [&](std::size_t n, const auto& s) {
    return MultiplyAdd{o.type, n, s[0], s[1], s[2], s[3]};
  });
}

std::unique_ptr<Task> prepare(const Tanh& o, SpreadQueue& queue) {
  const std::array<Operand, 2> operands{{{"x", o.x}, {"out", o.out}}};
  return spread(operands, o.type, o.n, queue, [&](std::size_t n, const auto& s) {
    return Tanh{o.type, n, s[0], s[1]};
  });
}

std::unique_ptr<Task> prepare(const TanhGradient& o, SpreadQueue& queue) {
  const std::array<Operand, 3> operands{{{"h", o.h}, {"d", o.d}, {"out", o.out}}};
  return spread(operands, o.type, o.n, queue, [&](std::size_t n, const auto& s) {
    return TanhGradient{o.type, n, s[0], s[1], s[2]};
  });
}

}  // namespace breakeven::multi_gpu
