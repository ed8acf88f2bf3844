// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace breakeven {

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
