// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

namespace breakeven::block {
namespace {

using boost::context::fiber;

constexpr std::size_t stack_bytes = 64 * 1024;
constexpr std::size_t beside = 4096;  // bytes around an array

enum class State { ready, at_barrier, at_shuffle, ended };

struct Thread {
  State state = State::ready;
  Site site{};
  unsigned mask = 0, delta = 0;
  std::uint64_t bits = 0;
};

// Runs one thread of the block after the other, up to one that waits.
struct Worker {
  fiber self, scheduler;
  const std::byte* stack_end = nullptr;
  int thread = -1;  // that waits in it
};

constexpr unsigned several = ~0u;

// At most 16 bytes, as a thread of a GPU takes them at once.
struct Access {
  std::uintptr_t address;
  std::size_t bytes;
  bool writes;
};

// Those of each thread, in their order. A compiler may take apart what a GPU's keeps together, and
// read again what that keeps in registers.
class Accesses {
 public:
  explicit Accesses(std::size_t threads) : of_(threads) {}

  void add(unsigned thread, const Access& next) {
    constexpr std::size_t recent = 32;
    std::vector<Access>& mine = of_[thread];
    for (std::size_t i = mine.size() - std::min(recent, mine.size()); i < mine.size(); ++i) {
      Access& one = mine[i];
      if (!one.writes && !next.writes && one.address <= next.address &&
          next.address + next.bytes <= one.address + one.bytes)
        return;  // read again
      const bool is_behind = one.address + one.bytes == next.address;
      const bool is_before = next.address + next.bytes == one.address;
      if (one.writes != next.writes || one.address / 16 != next.address / 16 ||
          (!is_behind && !is_before))
        continue;
      one.address = std::min(one.address, next.address);
      one.bytes += next.bytes;
      return;
    }
    mine.push_back(next);
  }

  // work(accesses) for each request of a warp.
  template <class Work>
  void for_requests(unsigned warp, Work work) const {
    for (std::size_t first = 0; first < of_.size(); first += warp) {
      const std::size_t end = std::min<std::size_t>(first + warp, of_.size());
      std::vector<Access> request;
      for (std::size_t i = 0; i == 0 || !request.empty(); ++i) {
        if (i > 0) work(std::exchange(request, {}));
        for (std::size_t thread = first; thread < end; ++thread)
          if (i < of_[thread].size()) request.push_back(of_[thread][i]);
      }
    }
  }

 private:
  std::vector<std::vector<Access>> of_;
};

// Different pieces of memory of so many bytes.
std::size_t pieces_of(const std::vector<Access>& request, std::size_t bytes) {
  std::set<std::uintptr_t> touched;
  for (const Access& one : request)
    for (std::size_t i = 0; i < one.bytes; ++i) touched.insert((one.address + i) / bytes);
  return touched.size();
}

// So many lanes at once that they ask for 128 bytes: one pass, were there no conflicts.
void count_passes(const std::vector<Access>& request, Traffic& traffic) {
  for (std::size_t first = 0; first < request.size();) {
    const std::size_t lanes = 128 / std::max<std::size_t>(request[first].bytes, 4);
    const std::size_t end = std::min(first + lanes, request.size());
    std::map<std::uintptr_t, std::set<std::uintptr_t>> words;
    for (; first < end; ++first)
      for (std::size_t i = 0; i < request[first].bytes; ++i) {
        const std::uintptr_t word = (request[first].address + i) / 4;
        words[word % 32].insert(word);
      }
    std::size_t most = 0;
    for (const auto& [bank, different] : words) most = std::max(most, different.size());
    traffic.passes += most;
    ++traffic.least_passes;
  }
}

// Who touched a byte since the last barrier.
struct Touched {
  std::uint64_t written = 0, read = 0;  // at which barrier, counted from 1
  unsigned writer = 0, reader = 0;
};

std::string text_of(const Site& site) {
  const std::string file = site.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(site.line);
}

// The block that a thread of the host has in work, with what the next one can use again.
class Block {
 public:
  void run(const Launch& launch, const std::function<void(unsigned)>& thread);

  unsigned running() const { return running_; }
  void wait(State state, const Site& site);
  Thread& mine() { return threads_[running_]; }
  void* shared(std::size_t bytes);
  void touch(const std::byte* address, std::size_t bytes, bool writes, std::size_t alignment);

 private:
  void start();
  void resume(Worker& worker);
  void work(Worker& worker);
  bool release_warps();
  void release_barrier();
  void exchange(unsigned first, unsigned lanes);
  void touch_outside(const std::byte* address, std::size_t bytes, bool writes,
                     std::size_t alignment);
  void count_traffic() const;
  void fault(const std::string& text) {
    if (fault_.empty()) fault_ = text;
  }
  std::string where(unsigned thread) const;

  const Launch* launch_ = nullptr;
  const std::function<void(unsigned)>* body_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  std::size_t started_ = 0;  // of order_
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> holder_;  // of each thread that waits
  Worker* worker_ = nullptr;     // that runs
  bool is_in_kernel_ = false;    // and not in what is here
  unsigned running_ = 0;
  std::uint64_t barriers_ = 0;  // of all blocks so far
  std::unordered_map<const std::byte*, Touched> touched_;
  std::vector<std::byte> shared_;
  std::optional<Accesses> of_arrays_, of_shared_;  // where traffic is counted
  std::string fault_;
};

thread_local Block* in_work = nullptr;

void Block::run(const Launch& launch, const std::function<void(unsigned)>& thread) {
  if (launch.threads > launch.limits.threads)
    throw Fault("a block of " + std::to_string(launch.threads) + " threads, at most " +
                std::to_string(launch.limits.threads) + " are allowed");
  launch_ = &launch;
  body_ = &thread;
  threads_.assign(launch.threads, {});
  holder_.assign(launch.threads, nullptr);
  order_.resize(launch.threads);
  std::iota(order_.begin(), order_.end(), 0u);
  if (launch.order == Order::descending) std::reverse(order_.begin(), order_.end());
  if (launch.order == Order::random)
    std::shuffle(order_.begin(), order_.end(), std::minstd_rand(launch.seed));
  started_ = 0;
  touched_.clear();
  shared_.assign(shared_.size(), std::byte{0xFF});  // reads as NaN
  fault_.clear();
  of_arrays_.reset(), of_shared_.reset();
  if (launch.traffic) of_arrays_.emplace(launch.threads), of_shared_.emplace(launch.threads);
  ++barriers_;
  start();
  while (fault_.empty()) {
    if (!release_warps()) {
      if (std::all_of(threads_.begin(), threads_.end(),
                      [](const Thread& one) { return one.state == State::ended; }))
        return count_traffic();
      release_barrier();
    }
    for (const unsigned i : order_)
      if (fault_.empty() && holder_[i] && threads_[i].state == State::ready) resume(*holder_[i]);
  }
  workers_.clear();  // of which some hold threads that never end
  throw Fault(fault_);
}

void Block::count_traffic() const {
  Traffic* const traffic = launch_->traffic;
  if (!traffic) return;
  of_arrays_->for_requests(launch_->limits.warp, [&](const std::vector<Access>& request) {
    traffic->sectors += pieces_of(request, 32);
    traffic->least_sectors += (pieces_of(request, 1) + 31) / 32;
  });
  of_shared_->for_requests(launch_->limits.warp, [&](const std::vector<Access>& request) {
    count_passes(request, *traffic);
  });
}

// Every thread up to where it waits, or its end.
void Block::start() {
  std::size_t used = 0;
  while (started_ < order_.size() && fault_.empty()) {
    while (used < workers_.size() && workers_[used]->thread >= 0) ++used;
    if (used == workers_.size()) {
      workers_.push_back(std::make_unique<Worker>());
      Worker& made = *workers_.back();
      made.self = fiber(std::allocator_arg, boost::context::protected_fixedsize_stack(stack_bytes),
                        [this, &made](fiber&& scheduler) {
                          made.stack_end =
                              static_cast<const std::byte*>(__builtin_frame_address(0)) + 256;
                          made.scheduler = std::move(scheduler);
                          work(made);
                          return std::move(made.scheduler);
                        });
    }
    resume(*workers_[used]);
  }
}

void Block::resume(Worker& worker) {
  worker_ = &worker;
  if (worker.thread >= 0) {
    running_ = static_cast<unsigned>(worker.thread);
    holder_[running_] = nullptr;
    worker.thread = -1;
  }
  worker.self = std::move(worker.self).resume();
  worker_ = nullptr;
}

void Block::work(Worker& worker) {
  for (;;) {
    while (started_ < order_.size()) {
      running_ = order_[started_++];
      is_in_kernel_ = true;
      try {
        (*body_)(running_);
      } catch (const Fault& broken) {
        fault(broken.what());
      }
      is_in_kernel_ = false;
      mine().state = State::ended;
    }
    worker.scheduler = std::move(worker.scheduler).resume();
  }
}

// The thread that runs does not go on before it has been released.
void Block::wait(State state, const Site& site) {
  mine().state = state;
  mine().site = site;
  Worker& worker = *worker_;
  worker.thread = static_cast<int>(running_);
  holder_[running_] = &worker;
  is_in_kernel_ = false;
  worker.scheduler = std::move(worker.scheduler).resume();
  is_in_kernel_ = true;
}

std::string Block::where(unsigned thread) const {
  const Thread& one = threads_[thread];
  const std::string who = "thread " + std::to_string(thread);
  if (one.state == State::ended) return who + " has ended";
  return who + " waits at the " + (one.state == State::at_barrier ? "barrier" : "shuffle") +
         " of " + text_of(one.site);
}

// Nobody is ready any more. False: no warp waits at a shuffle.
bool Block::release_warps() {
  bool released = false;
  const unsigned warp = launch_->limits.warp;
  for (unsigned first = 0; first < threads_.size(); first += warp) {
    const unsigned lanes = std::min(warp, static_cast<unsigned>(threads_.size()) - first);
    const auto begin = threads_.begin() + first;
    if (std::none_of(begin, begin + lanes,
                     [](const Thread& one) { return one.state == State::at_shuffle; }))
      continue;
    exchange(first, lanes);
    released = true;
  }
  return released;
}

// The shuffle of a warp.
void Block::exchange(unsigned first, unsigned lanes) {
  std::uint64_t got[32];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Thread& one = threads_[first + lane];
    if (one.state != State::at_shuffle) continue;
    for (unsigned other = 0; other < launch_->limits.warp; ++other) {
      if (!(one.mask >> other & 1)) continue;
      const unsigned thread = first + other;
      if (other >= lanes)
        return fault(where(first + lane) + " for thread " + std::to_string(thread) +
                     ", which the block does not have");
      if (threads_[thread].state != State::at_shuffle || threads_[thread].mask != one.mask ||
          threads_[thread].site.line != one.site.line)
        return fault(where(first + lane) + ", " + where(thread));
    }
    const unsigned from = lane + one.delta;
    if (!(one.mask >> lane & 1) || (from < launch_->limits.warp && !(one.mask >> from & 1)))
      return fault(where(first + lane) + ", whose mask leaves out a lane that it needs");
    got[lane] = from < launch_->limits.warp ? threads_[first + from].bits : one.bits;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Thread& one = threads_[first + lane];
    if (one.state != State::at_shuffle) continue;
    one.bits = got[lane];
    one.state = State::ready;
  }
}

void Block::release_barrier() {
  const auto first = std::find_if(threads_.begin(), threads_.end(),
                                  [](const Thread& one) { return one.state == State::at_barrier; });
  for (unsigned i = 0; i < threads_.size(); ++i)
    if (threads_[i].state != State::at_barrier || threads_[i].site.line != first->site.line)
      return fault("a barrier that not all threads reach: " +
                   where(static_cast<unsigned>(first - threads_.begin())) + ", " + where(i));
  for (Thread& one : threads_) one.state = State::ready;
  ++barriers_;
}

void* Block::shared(std::size_t bytes) {
  if (bytes > launch_->limits.shared_bytes)
    throw Fault(std::to_string(bytes) + " bytes of shared memory, a block has " +
                std::to_string(launch_->limits.shared_bytes));
  if (shared_.empty()) shared_.assign(launch_->limits.shared_bytes, std::byte{0xFF});
  return shared_.data();
}

void Block::touch(const std::byte* address, std::size_t bytes, bool writes, std::size_t alignment) {
  if (!is_in_kernel_) return;
  const std::byte* const stack_end = worker_->stack_end;
  if (address < stack_end && address >= stack_end - stack_bytes) return;
  is_in_kernel_ = false;
  touch_outside(address, bytes, writes, alignment);
  is_in_kernel_ = true;
}

void Block::touch_outside(const std::byte* address, std::size_t bytes, bool writes,
                          std::size_t alignment) {
  const auto tell = [&](const std::string& what) {
    fault("thread " + std::to_string(running_) + (writes ? " writes " : " reads ") + what);
  };
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    return tell(std::to_string(bytes) + " bytes at an address that is not a multiple of it");
  bool is_beside = false;
  for (const Array& array : launch_->arrays) {
    const std::byte* const end = array.begin + array.bytes;
    if (address >= array.begin && address + bytes <= end) {
      if (of_arrays_)
        of_arrays_->add(running_, {reinterpret_cast<std::uintptr_t>(address), bytes, writes});
      return;
    }
    is_beside |= address + bytes + beside > array.begin && address < end + beside;
  }
  // Which may lie next to an array.
  const bool is_shared = address >= shared_.data() && address < shared_.data() + shared_.size();
  if (is_beside && !is_shared)
    return tell(std::to_string(bytes) + " bytes beside what the kernel was given");
  if (of_shared_ && is_shared)
    of_shared_->add(running_, {reinterpret_cast<std::uintptr_t>(address), bytes, writes});
  for (const std::byte* byte = address; byte < address + bytes; ++byte) {
    Touched& now = touched_[byte];
    const bool other_wrote = now.written == barriers_ && now.writer != running_;
    const bool other_read = now.read == barriers_ && now.reader != running_;
    if (other_wrote || (writes && other_read)) {
      const unsigned other = other_wrote ? now.writer : now.reader;
      return tell(
          "a byte that with no barrier in between " +
          (other == several ? "several others have" : "thread " + std::to_string(other) + " has") +
          (other_wrote ? " written" : " read"));
    }
    if (writes) {
      now.written = barriers_, now.writer = running_;
    } else {
      now.reader = other_read ? several : running_;
      now.read = barriers_;
    }
  }
}

}  // namespace

void run(const Launch& launch, const std::function<void(unsigned)>& thread) {
  static thread_local Block block;
  in_work = &block;
  struct Leave {
    ~Leave() { in_work = nullptr; }
  } const leave;
  block.run(launch, thread);
}

unsigned this_thread() {
  return in_work->running();
}

void barrier(Site site) {
  in_work->wait(State::at_barrier, site);
}

void* shared(std::size_t bytes) {
  return in_work->shared(bytes);
}

void touch(const void* address, std::size_t bytes, bool writes, std::size_t alignment) {
  if (in_work) in_work->touch(static_cast<const std::byte*>(address), bytes, writes, alignment);
}

std::uint64_t bits_from_above(unsigned mask, std::uint64_t bits, unsigned delta, Site site) {
  Thread& one = in_work->mine();
  one.mask = mask, one.delta = delta, one.bits = bits;
  in_work->wait(State::at_shuffle, site);
  return in_work->mine().bits;
}

}  // namespace breakeven::block
