// SPDX-License-Identifier: Apache-2.0
// What the worker says to a rank, and what it answers. Both sides are of one build, which they
// compare before anything else, so that messages are their bytes.
//
// A rank has one connection for itself, and one for each queue that needs it; a thread of its own
// serves each, one command after the other. Objects are named by their addresses in the rank.
#pragma once

#include <breakeven/plugin.hpp>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace breakeven::mpi {

// Rank 0 has the memory of the worker's buffers mapped, and computes nothing: what is copied
// between the worker and a rank is copied between rank 0 and that rank. Device i is rank i + 1.
inline constexpr std::uint32_t seat = 0;

// How rank 0 finds the worker: `host port token`.
inline constexpr const char* address_variable = "BREAKEVEN_MPI_WORKER";

// Messages are read by the layout that the compiler gave them.
inline constexpr std::string_view build = __VERSION__ " " BREAKEVEN_MPI_BUILD;

template <std::size_t length>
void write_text(char (&into)[length], std::string_view text) {
  const std::size_t bytes = text.copy(into, length - 1);
  into[bytes] = '\0';
}

// The first thing on a connection. Stream 0 is the rank's own.
struct Hello {
  char token[40] = {};
  std::uint32_t rank = 0, stream = 0;
};

// Of a rank, after its first hello.
struct Description {
  char build[512] = {};
  char machine[64] = {};     // x86_64
  char node[256] = {};       // as MPI names it
  char processor[256] = {};  // the device's name
  char hardware[256] = {};   // as the device tells it
  char kernel[128] = {};
  char library[256] = {};  // MPI's
  char standard[16] = {};  // `3.1`
  char transport[128] = {};
  char backend[64] = {};   // that computes
  char failure[256] = {};  // not empty: why it cannot
  std::uint64_t cores = 0, node_cores = 0, memory_bytes = 0;
};

enum class Do : std::uint32_t {
  // On a rank's own connection. All are answered.
  allocate,     // `bytes` of memory: the buffer
  map,          // `bytes` of the file that process `object` has open as `offset`: the buffer
  release,      // the buffer `object`
  open,         // a connection for queue `tag`
  free_memory,  // bytes
  seconds,      // from event `object` to event `offset`
  forget,       // event `object`
  rest,
  wake,
  leave,
  // On a queue's connection. Prepare, chain, grid and synchronize are answered.
  prepare,  // an AnyOperation follows: the task, or 0
  chain,    // `bytes` of commands follow, `tag` not 0: with tasks of a grid: the task
  grid,     // a GridWork follows: the task, or 0
  drop,
  run,  // the task `object`
  send,
  receive,  // `bytes` at `offset` of buffer `object`, to or from rank `peer`
  record,
  await,  // event `object`, for the `bytes`th time
  synchronize,
};

struct Command {
  Do what = Do::synchronize;
  std::uint32_t peer = 0, tag = 0;
  std::uint32_t parts = 0;  // not 0: of the bytes those that lie in part `peer` - 1 of a grid
  std::uint64_t object = 0, offset = 0, bytes = 0;
  std::uint64_t start = 0, block = 0;  // where they begin there, and its blocks
  std::uint64_t turn = 0;              // not 0: of a run that all ranks do together
};

// A matrix in row-major order whose blocks of rows are dealt out in turn. To ScaLAPACK, which
// thinks in columns, it is its transpose on a grid of one row.
struct Dealt {
  std::uint64_t buffer = 0;                     // the rank's own part
  std::uint64_t row = 0, first = 0, block = 0;  // elements of a row; rows
};

// c = alpha op(a) op(b) + beta c, or c = norm of a where `norm`: its `m` rows; c has one element.
struct GridWork {
  Type type = Type::f32;
  bool norm = false, transpose_a = false, transpose_b = false;
  std::uint64_t m = 0, n = 0, k = 0, batch = 1;
  double alpha = 1, beta = 0;
  Dealt a = {}, b = {}, c = {};
};

enum class Outcome : std::uint32_t { done, out_of_memory, invalid, failed };

struct Reply {
  Outcome outcome = Outcome::done;
  Author author = Author::untold;
  std::uint64_t value = 0, threads = 0;
  double number = 0;    // seconds, or bytes exchanged by a task
  char text[256] = {};  // what went wrong, or the routine of a task
};

}  // namespace breakeven::mpi
