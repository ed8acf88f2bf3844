// SPDX-License-Identifier: Apache-2.0
// A queue is a thread in every rank whose memory it has to do with: each works in order, and what a
// memory sees is in the order of the queue. A copy between two ranks is a command to both.
#pragma once

#include <breakeven/plugin.hpp>
#include <vector>

#include "plugins/mpi/device.hpp"

namespace breakeven::mpi {

class RankQueue final : public Queue {
 public:
  RankQueue(Team& team, RankDevice& device);
  ~RankQueue() override;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override;
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override;
  std::unique_ptr<Event> event() override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void synchronize() override;

 private:
  // The thread in that rank, made when it is needed first.
  Link& link(std::uint32_t rank);
  std::unique_ptr<Task> copy(const Copy& copy);
  std::unique_ptr<Task> ask(std::uint32_t rank, const AnyOperation& operation);

  // The operation with the rank's own addresses. Throws std::invalid_argument where an operand is
  // another device's.
  template <class One, class... Operands>
  std::unique_ptr<Task> compute(One operation, Operands... operands);

  Team& team_;
  RankDevice& device_;
  std::uint32_t tag_;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace breakeven::mpi
