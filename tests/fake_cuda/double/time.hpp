// SPDX-License-Identifier: Apache-2.0
// A clock that stands still but for what the profile says that calls and operations take, so that
// every run of a test sees the same times. What the host computes takes none. An operation has its
// place in time as soon as it is handed over: a GPU's multiprocessors serve one after the other in
// that order; of a link, which has a rate for each direction, a copy gets what the copies before it
// leave. Real ones share alike. Nanoseconds everywhere.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "work.hpp"

namespace fake_cuda {

// What an operation needs.
struct Cost {
  enum class Unit { none, f32, f64, f16, tf32 };
  Unit unit = Unit::none;
  double flops = 0;
  double bytes = 0;  // of the GPU's own memory
  double moved = 0;  // over links, between these; -1: the host
  int from = -1, to = -1;
};

// The order of one stream.
struct StreamTime {
  double ready = 0;              // when all that was handed over is done
  std::deque<double> ends = {};  // of what may still be in the queue
};

bool has_time();

// The calling thread's, looked at. The process' first thread is never before what the others have
// done, and they are never before what it saw when it looked last.
double host_now();
void spend(double nanoseconds);  // of the calling thread
void wait_until(double time);
void spend_once(const char* what, double milliseconds);  // in this process

// What the driver compiles before the first kernel of a process on a GPU that the build has no
// machine code for, unless it keeps it (CUDA_CACHE_DISABLE) since the last one.
void compile_once(int device);

void hand_over(StreamTime& stream, int device, const Cost& cost);
void hand_over_all(StreamTime& stream, int device, const std::vector<Cost>& costs);  // a graph

double clock_mhz(int device);
double joules(int device);  // as its counter shows them

}  // namespace fake_cuda
