// SPDX-License-Identifier: Apache-2.0
// Where the threads of this process may run.
#pragma once

#include <sched.h>

#include <filesystem>
#include <string>

namespace breakeven {

// As the kernel sees it, so what OMP_PROC_BIND came to: the lists of processors, with the number of
// threads that have the same: `0;1;2;3` for four bound threads, `0-3*5` for five free ones. `NA`
// where the kernel does not tell.
std::string observed_binding(const std::filesystem::path& root = "/");

// Where any thread of this process may run: plugins bind theirs.
cpu_set_t processors_of_process();

// Where the calling thread may run is the same afterwards as before: loading an OpenMP runtime may
// bind it to one processor, and threads made later would inherit that.
class KeepAffinity {
 public:
  KeepAffinity() : known_(sched_getaffinity(0, sizeof processors_, &processors_) == 0) {}
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;
  ~KeepAffinity() {
    if (known_) sched_setaffinity(0, sizeof processors_, &processors_);
  }

 private:
  cpu_set_t processors_{};
  bool known_;
};

}  // namespace breakeven
