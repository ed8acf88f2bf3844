// SPDX-License-Identifier: Apache-2.0
#include "touched.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include <sched.h>
#include <sys/mman.h>

#include "memory.hpp"
#include "settings.hpp"

namespace fake_cuda {
namespace {

constexpr std::size_t page = 4096;

void on_fault(int, siginfo_t* fault, void*);

// Pages that fault until they are touched.
struct Mappings {
  std::mutex mutex;
  std::map<std::byte*, std::vector<int>> touched_from;  // of each page
  struct sigaction before = {};

  Mappings() {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
  }

  // Null: none has this address.
  int* page_of(const void* address) {
    auto* const at = static_cast<std::byte*>(const_cast<void*>(address));
    const auto next = touched_from.upper_bound(at);
    if (next == touched_from.begin()) return nullptr;
    auto& [begin, pages] = *std::prev(next);
    const auto index = static_cast<std::size_t>(at - begin) / page;
    return index < pages.size() ? &pages[index] : nullptr;
  }
};

Mappings& mappings() {
  static Mappings& once = *new Mappings;
  return once;
}

int first_processor() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) return processor;
  return -1;
}

// Nothing is allocated here, and nobody who holds the lock touches such memory.
void on_fault(int, siginfo_t* fault, void*) {
  const int error = errno;
  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  if (int* const touched_from = all.page_of(fault->si_addr)) {
    if (*touched_from < 0) *touched_from = first_processor();
    const auto offset = reinterpret_cast<std::size_t>(fault->si_addr) % page;
    mprotect(static_cast<std::byte*>(fault->si_addr) - offset, page, PROT_READ | PROT_WRITE);
  } else {
    sigaction(SIGSEGV, &all.before, nullptr);  // it faults again
  }
  errno = error;
}

void watch(void* address, std::size_t bytes) {
  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  all.touched_from[static_cast<std::byte*>(address)].assign((bytes + page - 1) / page, -1);
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

int fake_cuda_touched_from(const void* address) {
  const std::lock_guard lock(mappings().mutex);
  const int* const touched_from = mappings().page_of(address);
  return touched_from ? *touched_from : -1;
}

void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                  off_t offset) {
  const bool is_watched = !settings().processors.empty();
  void* const made = mmap(address, bytes, is_watched ? PROT_NONE : protection, flags, file, offset);
  if (is_watched && made != MAP_FAILED) watch(made, bytes);
  return made;
}

int __wrap_munmap(void* address, std::size_t bytes) {
  if (is_registered(address)) {
    std::fprintf(stderr, "fake CUDA: memory is given back that is still registered\n");
    std::abort();
  }
  {
    const std::lock_guard lock(mappings().mutex);
    mappings().touched_from.erase(static_cast<std::byte*>(address));
  }
  return munmap(address, bytes);
}

}  // extern "C"
