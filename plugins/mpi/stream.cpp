// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/stream.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "plugins/mpi/grid.hpp"

namespace breakeven::mpi {

Reply reply_to(std::exception_ptr error) {
  Reply reply;
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    reply.outcome = Outcome::out_of_memory;
  } catch (const std::invalid_argument& invalid) {
    reply.outcome = Outcome::invalid;
    write_text(reply.text, invalid.what());
  } catch (const std::exception& failed) {
    reply.outcome = Outcome::failed;
    write_text(reply.text, failed.what());
  }
  return reply;
}

// Commands in a row, as one task.
class Stream::Chain final : public Task {
 public:
  Chain(Stream& stream, std::vector<Command> commands)
      : stream_(stream), commands_(std::move(commands)) {}
  void enqueue() override {
    for (const Command& command : commands_) stream_.work(command);
  }
  TaskInfo info() const override {
    const Command& first = commands_.front();
    return first.what == Do::run ? object_at<Task>(first.object).info() : TaskInfo();
  }

 private:
  Stream& stream_;
  std::vector<Command> commands_;
};

void Stream::serve() {
  for (;;) handle(socket_.receive<Command>());
}

void Stream::handle(const Command& command) {
  switch (command.what) {
    case Do::prepare: {
      AnyOperation operation = Nothing{};
      socket_.receive(&operation, sizeof operation);
      return answer([&] { return told(queue_->prepare_any(operation)); });
    }
    case Do::chain: {
      std::vector<Command> commands(command.bytes / sizeof(Command));
      socket_.receive(commands.data(), command.bytes);
      return answer([&] { return told(chain(std::move(commands), command.tag != 0)); });
    }
    case Do::grid: {
      const auto work = socket_.receive<GridWork>();
      return answer([&] { return told(grid_task(work)); });
    }
    case Do::synchronize:
      return answer([&] {
        settle();
        if (const auto error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
        return Reply();
      });
    default:
      try {
        work(command);
      } catch (...) {
        if (!error_) error_ = std::current_exception();
      }
  }
}

template <class Ask>
void Stream::answer(Ask ask) {
  Reply reply;
  try {
    reply = ask();
  } catch (...) {
    reply = reply_to(std::current_exception());
  }
  socket_.send(reply);
}

Reply Stream::told(std::unique_ptr<Task> task) {
  Reply reply;
  if (!task) return reply;
  const TaskInfo info = task->info();
  reply.author = info.author;
  reply.threads = info.threads;
  reply.number = info.exchanged_bytes;
  write_text(reply.text, info.routine);
  reply.value = address_of(tasks_.emplace_back(std::move(task)).get());
  return reply;
}

// One launch of the queue's own, where it has such and all of it is the queue's.
std::unique_ptr<Task> Stream::chain(std::vector<Command> commands, bool of_grid) {
  std::vector<Task*> tasks;
  for (const Command& command : commands)
    if (command.what == Do::run) tasks.push_back(&object_at<Task>(command.object));
  if (!of_grid && tasks.size() == commands.size())
    if (auto task = queue_->sequence(tasks)) return task;
  return std::make_unique<Chain>(*this, std::move(commands));
}

void Stream::work(const Command& command) {
  switch (command.what) {
    case Do::run:
      in_flight_ = true;
      if (command.turn > 0) return take_turn(command);
      return object_at<Task>(command.object).enqueue();
    case Do::drop:
      settle();
      std::erase_if(tasks_,
                    [&](const auto& task) { return address_of(task.get()) == command.object; });
      return;
    case Do::send:
    case Do::receive:
      settle();
      return pass(command);
    case Do::record: {
      settle();
      Point& point = place_.points[command.object];
      point.seconds = MPI_Wtime();
      point.times = command.bytes;
      point.times.notify_all();
      return;
    }
    case Do::await: {
      Point& point = place_.points[command.object];
      for (std::uint64_t seen = point.times; seen < command.bytes; seen = point.times)
        point.times.wait(seen);
      return;
    }
    default:
      throw std::logic_error("a queue was given a command that is none of its own");
  }
}

// What was enqueued first goes first, in every rank: nothing of it waits for what comes later.
void Stream::take_turn(const Command& command) {
  std::atomic<std::uint64_t>& turn = place_.turn;
  for (std::uint64_t now = turn; now != command.turn; now = turn) turn.wait(now);
  settle();
  object_at<Task>(command.object).enqueue();
  turn = command.turn + 1;
  turn.notify_all();
}

// Memory of a GPU by way of the host's, which not every MPI spares.
void Stream::pass(const Command& command) {
  Buffer& buffer = object_at<Buffer>(command.object);
  if (buffer.data()) return pass(command, static_cast<std::byte*>(buffer.data()) + command.offset);
  if (!on_the_way_ || on_the_way_->bytes() < command.bytes) {
    on_the_way_ = place_.device->allocate(command.bytes, Memory::pinned);
    if (!on_the_way_) on_the_way_ = place_.device->allocate(command.bytes, Memory::pageable);
  }
  const Slice there{&buffer, command.offset, command.bytes},
      here{on_the_way_.get(), 0, command.bytes};
  if (command.what == Do::send) copy(here, there);
  pass(command, static_cast<std::byte*>(on_the_way_->data()));
  if (command.what == Do::receive) copy(there, here);
}

void Stream::copy(const Slice& to, const Slice& from) {
  queue_->prepare_any(Copy{to, from})->enqueue();
  queue_->synchronize();
}

// Inside MPI, which spins, both sides are at it.
void Stream::pass(const Command& command, std::byte* at) const {
  constexpr std::size_t most = std::size_t(1) << 30;  // MPI counts in int
  if (command.parts > 0) return pass_dealt(command, at);
  for (std::size_t left = command.bytes; left > 0;) {
    const std::size_t part = std::min(left, most);
    pass(command, at, int(part), MPI_BYTE);
    at += part, left -= part;
  }
}

// Of all these bytes those that one part of a grid has: as one message, to which they are in a
// row.
void Stream::pass_dealt(const Command& command, std::byte* all) const {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for_each_piece(command.start, command.bytes, command.block, command.parts,
                 [&](const Piece& piece) {
                   if (piece.part + 1 != command.peer) return;
                   lengths.push_back(int(piece.bytes));
                   places.push_back(MPI_Aint(piece.place));
                 });
  if (lengths.empty()) return;
  MPI_Datatype pieces;
  MPI_Type_create_hindexed(int(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  pass(command, all, 1, pieces);
  MPI_Type_free(&pieces);
}

// Whoever has nothing to do yet gives its processor to others: there may be more to do than
// cores.
void Stream::pass(const Command& command, void* at, int count, MPI_Datatype type) const {
  MPI_Request request;
  if (command.what == Do::send)
    MPI_Isend(at, count, type, int(command.peer), tag_, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(at, count, type, int(command.peer), tag_, MPI_COMM_WORLD, &request);
  // By time: a look into MPI takes from some 50 ns to microseconds.
  constexpr double patience = 20e-6;
  const double begin = MPI_Wtime();
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
    if (MPI_Wtime() - begin > patience) sched_yield();
}

void Stream::settle() {
  if (std::exchange(in_flight_, false)) queue_->synchronize();
}

}  // namespace breakeven::mpi
