// SPDX-License-Identifier: Apache-2.0
// The part of a queue that works on the memory of this rank.
#pragma once

#include <mpi.h>

#include <exception>
#include <memory>
#include <vector>

#include "plugins/mpi/place.hpp"

namespace breakeven::mpi {

class Stream {
 public:
  Stream(Place& place, Socket socket, std::uint32_t tag)
      : place_(place), socket_(std::move(socket)), tag_(int(tag)), queue_(place.device->queue()) {}

  // Until the worker has gone. Throws Disconnected then.
  void serve();

 private:
  class Chain;

  void handle(const Command& command);
  template <class Ask>
  void answer(Ask ask);
  Reply told(std::unique_ptr<Task> task);
  std::unique_ptr<Task> chain(std::vector<Command> commands, bool of_grid);
  void work(const Command& command);
  void take_turn(const Command& command);
  void pass(const Command& command);
  void pass(const Command& command, std::byte* at) const;
  void copy(const Slice& to, const Slice& from);
  void pass_dealt(const Command& command, std::byte* all) const;
  void pass(const Command& command, void* at, int count, MPI_Datatype type) const;
  void settle();

  Place& place_;
  Socket socket_;
  int tag_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::unique_ptr<Buffer> on_the_way_;  // what MPI gives and takes for memory out of its reach
  bool in_flight_ = false;
  std::exception_ptr error_;
};

}  // namespace breakeven::mpi
