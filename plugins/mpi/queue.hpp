// SPDX-License-Identifier: Apache-2.0
// A queue is a thread in every rank whose memory it has to do with: each works in order, and what a
// memory sees is in the order of the queue. A copy between two ranks is a command to both.
#pragma once

#include <breakeven/plugin.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "plugins/mpi/device.hpp"

namespace breakeven::mpi {

// A task that lies in a rank.
class RemoteTask final : public Task {
 public:
  RemoteTask(Link& link, const Reply& made) : link_(link), made_(made) {}
  ~RemoteTask() override { link_.send({.what = Do::drop, .object = made_.value}); }

  void enqueue() override { link_.send(run()); }
  TaskInfo info() const override {
    return {made_.author, std::size_t(made_.threads), made_.text, made_.number};
  }

  Link& link() const noexcept { return link_; }
  Command run() const noexcept { return {.what = Do::run, .object = made_.value}; }

 private:
  Link& link_;
  Reply made_;
};

// Commands that a rank obeys in a row, without being told each.
using Chains = std::map<Link*, std::vector<Command>>;

// Bytes that go from one rank to another: both are told.
class PassTask final : public Task {
 public:
  PassTask(Link& to, const Command& receive, Link& from, const Command& send)
      : to_(to), from_(from), receive_(receive), send_(send) {}
  void enqueue() override {
    to_.send(receive_);
    from_.send(send_);
  }
  void add_to(Chains& chains) const {
    chains[&to_].push_back(receive_);
    chains[&from_].push_back(send_);
  }

 private:
  Link &to_, &from_;
  Command receive_, send_;
};

// Tasks in a row, or on several ranks.
class Several final : public Task {
 public:
  explicit Several(std::vector<std::unique_ptr<Task>> tasks) : tasks_(std::move(tasks)) {}
  void enqueue() override {
    for (const auto& task : tasks_) task->enqueue();
  }

 private:
  std::vector<std::unique_ptr<Task>> tasks_;
};

class TeamQueue : public Queue {
 public:
  ~TeamQueue() override;

  std::unique_ptr<Event> event() override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void synchronize() override;

 protected:
  // Events have the time of rank `first`.
  TeamQueue(Team& team, std::uint32_t first);

  // The thread in that rank, made when it is needed first.
  Link& link(std::uint32_t rank);
  std::unique_ptr<Task> ask(std::uint32_t rank, const AnyOperation& operation);
  // As a task on each of these ranks.
  std::vector<std::pair<Link*, Reply>> made(const Chains& chains, bool of_grid);

  Team& team_;

 private:
  std::uint32_t first_, tag_;
  std::vector<std::unique_ptr<Link>> links_;
};

class RankQueue final : public TeamQueue {
 public:
  RankQueue(Team& team, RankDevice& device) : TeamQueue(team, device.rank()), device_(device) {}

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override;
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override;

 private:
  std::unique_ptr<Task> copy(const Copy& copy);

  // The operation with the rank's own addresses. Throws std::invalid_argument where an operand is
  // another device's.
  template <class One, class... Operands>
  std::unique_ptr<Task> compute(One operation, Operands... operands);

  RankDevice& device_;
};

// Throws std::invalid_argument where the slice is not inside of its buffer.
void require_inside(const Slice& slice);

}  // namespace breakeven::mpi
