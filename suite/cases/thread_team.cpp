// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/thread_team.hpp"

#include <utility>

namespace breakeven {

namespace {

// Waits without sleeping, but lets others run where there are more threads than processors.
template <typename Condition>
void spin_until(Condition holds) {
  for (int turns = 0; !holds(); ++turns)
    if (turns > 2000) std::this_thread::yield();
}

}  // namespace

ThreadTeam::ThreadTeam(std::size_t members, Member begin, Member work)
    : begin_(std::move(begin)), work_(std::move(work)), errors_(members) {
  for (std::size_t member = 1; member < members; ++member)
    threads_.emplace_back([this, member] { serve(member); });
}

ThreadTeam::~ThreadTeam() {
  leave_ = true;
  ++armed_;
  armed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::serve(std::size_t member) {
  try {
    begin_(member);
  } catch (...) {
    errors_[member] = std::current_exception();
  }
  for (std::uint32_t round = 0;; ++round) {
    armed_.wait(round);
    if (leave_) return;
    ++ready_;
    spin_until([&] { return go_.load() > round; });
    work_of(member);
    ++through_;
  }
}

void ThreadTeam::work_of(std::size_t member) noexcept {
  if (errors_[member]) return;
  try {
    work_(member);
  } catch (...) {
    errors_[member] = std::current_exception();
  }
}

void ThreadTeam::arm() {
  ready_ = 0;
  through_ = 0;
  ++armed_;
  armed_.notify_all();
  spin_until([this] { return ready_.load() == threads_.size(); });
}

void ThreadTeam::run() {
  ++go_;
  work_of(0);
  spin_until([this] { return through_.load() == threads_.size(); });
  std::exception_ptr first;
  for (std::exception_ptr& error : errors_) {
    if (!first) first = error;
    error = nullptr;  // what others threw belongs to this run too
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace breakeven
