// SPDX-License-Identifier: Apache-2.0
// mpi_ping_pong PLUGIN BYTES: microseconds of one way between two ranks of the backend mpi, taken
// as NetPIPE takes it: the same buffer goes to and fro, and of three trials of half a second the
// best counts. BREAKEVEN_MPI_RANKS=2, and how they are started, as for the plugin.
#include <dlfcn.h>

#include <algorithm>
#include <breakeven/plugin.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace breakeven;

constexpr int trials = 3;
constexpr double trial_seconds = 0.5;
constexpr std::size_t most_rounds = 4096;  // told at once

double microseconds(Backend& backend, std::size_t bytes) {
  Device &left = *backend.devices()[0], &right = *backend.devices()[1];
  const auto here = left.allocate(bytes, Memory::device),
             there = right.allocate(bytes, Memory::device);
  const auto queue = left.queue();
  const Slice from{here.get(), 0, bytes}, to{there.get(), 0, bytes};
  const auto go = queue->prepare_any(Copy{to, from}), back = queue->prepare_any(Copy{from, to});
  const auto seconds_of = [&](Task& task, std::size_t times) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < times; ++i) task.enqueue();
    queue->synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto several = [&](std::size_t rounds) {
    std::vector<Task*> tasks;
    for (std::size_t i = 0; i < rounds; ++i) tasks.insert(tasks.end(), {go.get(), back.get()});
    return queue->sequence(tasks);
  };
  const std::size_t rounds =
      std::clamp<std::size_t>((std::size_t{64} << 20) / bytes, 1, most_rounds);
  const auto task = several(rounds);
  seconds_of(*task, 1);
  const auto times = std::max<std::size_t>(1, std::size_t(trial_seconds / seconds_of(*task, 1)));
  double best = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < trials; ++trial) best = std::min(best, seconds_of(*task, times));
  return best * 1e6 / (2 * double(rounds * times));
}

}  // namespace

int main(int argc, char** argv) {
  void* const library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) {
    std::fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: mpi_ping_pong PLUGIN BYTES");
    return 2;
  }
  try {
    const auto& manifest = *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
    const auto backend = manifest.create({});
    std::printf("%.3f\n", microseconds(*backend, std::size_t(std::atoll(argv[2]))));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
