// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/queue.hpp"

#include <algorithm>
#include <exception>

namespace breakeven::mpi {

namespace {

const RankBuffer& buffer_of(const Slice& slice) {
  require_inside(slice);
  return static_cast<const RankBuffer&>(*slice.buffer);
}

// The same place as the rank knows it.
Slice over_there(const Slice& slice) {
  return {reinterpret_cast<Buffer*>(buffer_of(slice).address()), slice.offset, slice.bytes};
}

class RankEvent final : public Event {
 public:
  RankEvent(Team& team, std::uint32_t rank) : team_(team), rank_(rank), name_(team.new_event()) {}
  ~RankEvent() override {
    for (const std::uint32_t rank : ranks_) team_.tell(rank, {.what = Do::forget, .object = name_});
  }

  double since(const Event& start) const override {
    const auto& from = static_cast<const RankEvent&>(start);
    if (times_ == 0 || from.times_ == 0) return -1;
    return team_.ask(rank_, {.what = Do::seconds, .object = from.name_, .offset = name_}).number;
  }

  Command to(Do what) const { return {.what = what, .object = name_, .bytes = times_}; }
  void record_once_more() { ++times_, ranks_.clear(); }
  void record_on(std::uint32_t rank) { ranks_.push_back(rank); }
  std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }

 private:
  Team& team_;
  std::uint32_t rank_;
  std::uint64_t name_, times_ = 0;
  std::vector<std::uint32_t> ranks_;  // that the last record went to
};

}  // namespace

void require_inside(const Slice& slice) {
  if (!slice.buffer) throw std::invalid_argument("an operand has no buffer");
  if (slice.offset > slice.buffer->bytes() || slice.bytes > slice.buffer->bytes() - slice.offset)
    throw std::invalid_argument("an operand ends beyond its buffer of " +
                                std::to_string(slice.buffer->bytes()) + " bytes");
}

TeamQueue::TeamQueue(Team& team, std::uint32_t first)
    : team_(team), first_(first), tag_(team.take_tag()), links_(team.devices() + 1) {
  link(first);
}

TeamQueue::~TeamQueue() {
  links_.clear();
  team_.give_back_tag(tag_);
}

Link& TeamQueue::link(std::uint32_t rank) {
  if (!links_[rank]) links_[rank] = team_.open(rank, tag_);
  return *links_[rank];
}

std::unique_ptr<Task> TeamQueue::ask(std::uint32_t rank, const AnyOperation& operation) {
  Link& there = link(rank);
  there.send({.what = Do::prepare}, &operation, sizeof operation);
  const Reply reply = there.reply();
  return reply.value ? std::make_unique<RemoteTask>(there, reply) : nullptr;
}

template <class One, class... Operands>
std::unique_ptr<Task> RankQueue::compute(One operation, Operands... operands) {
  for (Slice* const slice : {&(operation.*operands)...}) {
    if (slice->buffer && &slice->buffer->device() != &device_)
      throw std::invalid_argument("an operand lies on " +
                                  std::string(slice->buffer->device().info().name) +
                                  ", the queue works on " + std::string(device_.info().name));
    if (buffer_of(*slice).rank() != device_.rank()) return nullptr;  // the worker's memory
    *slice = over_there(*slice);
  }
  return ask(device_.rank(), operation);
}

std::unique_ptr<Task> RankQueue::copy(const Copy& copy) {
  if (copy.to.bytes != copy.from.bytes)
    throw std::invalid_argument("copy of " + std::to_string(copy.from.bytes) + " bytes to " +
                                std::to_string(copy.to.bytes));
  const RankBuffer &to = buffer_of(copy.to), &from = buffer_of(copy.from);
  if (to.rank() == from.rank())
    return ask(to.rank(), Copy{over_there(copy.to), over_there(copy.from)});
  return std::make_unique<PassTask>(link(to.rank()),
                                    Command{.what = Do::receive,
                                            .peer = from.rank(),
                                            .object = to.address(),
                                            .offset = copy.to.offset,
                                            .bytes = copy.to.bytes},
                                    link(from.rank()),
                                    Command{.what = Do::send,
                                            .peer = to.rank(),
                                            .object = from.address(),
                                            .offset = copy.from.offset,
                                            .bytes = copy.from.bytes});
}

std::unique_ptr<Task> RankQueue::prepare_any(const AnyOperation& operation) {
  return dispatch(
      operation, [&](const Nothing& nothing) { return ask(device_.rank(), nothing); },
      [&](const Copy& one) { return copy(one); },
      [&](const Gemm& one) { return compute(one, &Gemm::a, &Gemm::b, &Gemm::c); },
      [&](const Norm& one) { return compute(one, &Norm::x, &Norm::out); },
      [&](const Sum& one) { return compute(one, &Sum::x, &Sum::out); },
      [&](const Tanh& one) { return compute(one, &Tanh::x, &Tanh::out); },
      [&](const TanhGradient& one) {
        return compute(one, &TanhGradient::h, &TanhGradient::d, &TanhGradient::out);
      },
      [&](const MultiplyAdd& one) {
        return compute(one, &MultiplyAdd::a, &MultiplyAdd::b, &MultiplyAdd::c, &MultiplyAdd::out);
      });
}

// Copies between ranks as well: each obeys its side of them, in order.
std::unique_ptr<Task> RankQueue::sequence(std::span<Task* const> tasks) {
  Chains chains;
  for (Task* const task : tasks) {
    if (const auto* const remote = dynamic_cast<const RemoteTask*>(task))
      chains[&remote->link()].push_back(remote->run());
    else if (const auto* const pass = dynamic_cast<const PassTask*>(task))
      pass->add_to(chains);
    else
      return nullptr;
  }
  std::vector<std::unique_ptr<Task>> parts;
  for (const auto& [link, reply] : made(chains, false))
    parts.push_back(std::make_unique<RemoteTask>(*link, reply));
  return parts.size() == 1 ? std::move(parts[0]) : std::make_unique<Several>(std::move(parts));
}

std::vector<std::pair<Link*, Reply>> TeamQueue::made(const Chains& chains, bool of_grid) {
  std::vector<std::pair<Link*, Reply>> all;
  for (const auto& [link, commands] : chains) {
    const std::size_t bytes = commands.size() * sizeof commands[0];
    link->send({.what = Do::chain, .tag = of_grid ? 1u : 0u, .bytes = bytes}, commands.data(),
               bytes);
    all.emplace_back(link, link->reply());
  }
  return all;
}

std::unique_ptr<Event> TeamQueue::event() {
  return std::make_unique<RankEvent>(team_, first_);
}

// Ranks that have nothing to do for the queue have passed the point, and those that it comes to
// later; the first is the one whose time it has.
void TeamQueue::record(Event& event) {
  auto& point = static_cast<RankEvent&>(event);
  point.record_once_more();
  for (std::uint32_t rank = 0; rank < links_.size(); ++rank) {
    if (!links_[rank] || (rank != first_ && !links_[rank]->is_busy())) continue;
    point.record_on(rank);
    links_[rank]->send(point.to(Do::record));
  }
}

void TeamQueue::wait(const Event& event) {
  const auto& point = static_cast<const RankEvent&>(event);
  for (const std::uint32_t rank : point.ranks()) link(rank).send(point.to(Do::await));
}

// Nobody is woken for nothing.
void TeamQueue::synchronize() {
  for (const auto& one : links_)
    if (one && one->is_busy()) one->begin_synchronize();
  std::exception_ptr error;
  for (const auto& one : links_) {
    try {
      if (one && one->is_busy()) one->end_synchronize();
    } catch (const std::exception&) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace breakeven::mpi
