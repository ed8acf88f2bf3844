// SPDX-License-Identifier: Apache-2.0
// has a helper that goes on while it rests
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

// rest and wake are not overridden.
class BusyBackend final : public zoo::SoundBackend<> {
 public:
  BusyBackend() : helper_(fork()) {
    if (helper_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getpid() > 0) {
    }
  }
  ~BusyBackend() override {
    kill(helper_, SIGKILL);
    waitpid(helper_, nullptr, 0);
  }

 private:
  pid_t helper_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "works-at-rest",
    .version = "0.1.0",
    .description = "has a helper that goes on while it rests",
    .create = zoo::create<BusyBackend>,
};
