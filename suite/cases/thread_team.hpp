// SPDX-License-Identifier: Apache-2.0
// Threads that begin the same work at the same moment: each feeds a device of its own. Between
// arm() and the end of run() nothing is allocated and no lock is taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace breakeven {

class ThreadTeam {
 public:
  using Member = std::function<void(std::size_t)>;

  // The caller of run() is member 0; the others are threads, which call `begin` once and then
  // `work` in every run. At least one member.
  ThreadTeam(std::size_t members, Member begin, Member work);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Wakes the members; blocks until all stand ready, which costs processor time until run().
  void arm();

  // To be called after arm(). Blocks until every member is through; then throws what the first of
  // them threw.
  void run();

 private:
  void serve(std::size_t member);
  void work_of(std::size_t member) noexcept;

  Member begin_, work_;
  std::atomic<std::uint32_t> armed_{0}, ready_{0}, go_{0}, through_{0};
  std::atomic<bool> leave_{false};
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> threads_;
};

}  // namespace breakeven
