// SPDX-License-Identifier: Apache-2.0
// The backend `mpi`: every rank is a device. MPI itself is in the program that the ranks run; here
// is what starts and commands them.
#include <breakeven/plugin.hpp>
#include <chrono>

#include "plugins/mpi/device.hpp"
#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

namespace {

constexpr Option options[] = {
    {"ranks", "how many compute; empty: one for each of hosts, or what the scheduler gave", "",
     "BREAKEVEN_MPI_RANKS"},
    {"hosts", "nodes to start them on, a,b; empty: this machine, or what the scheduler gave", "",
     "BREAKEVEN_MPI_HOSTS"},
    {"launcher", "starts them, with its own options: mpirun --mca btl tcp,self; srun", "",
     "BREAKEVEN_MPI_LAUNCHER"},
    {"backend", "the plugin that computes on a rank: serial, blas; empty: by its cores", "",
     "BREAKEVEN_MPI_BACKEND"},
    {"crowd", "yes: more ranks than processors", "", "BREAKEVEN_MPI_CROWD"},
    {"limit", "seconds in which all have to start; empty: 12", "", "BREAKEVEN_MPI_LIMIT"},
};

class MpiBackend final : public Backend {
 public:
  MpiBackend() : begin_(std::chrono::steady_clock::now()), team_(wish_of_environment()) {
    for (std::uint32_t rank = 1; rank <= team_.devices(); ++rank)
      pointers_.push_back(&devices_.emplace_back(team_, rank));
    tell_of(team_, facts_);
    stage_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return facts_.all(); }
  std::string_view advice() const override { return {}; }
  std::span<const Stage> stages() const override { return {&stage_, 1}; }
  void rest() override { team_.ask_all({.what = Do::rest}); }
  void wake() override { team_.ask_all({.what = Do::wake}); }

 private:
  std::chrono::steady_clock::time_point begin_;
  Team team_;
  std::deque<RankDevice> devices_;
  std::vector<Device*> pointers_;
  Facts facts_;
  Stage stage_{"ranks", 0};
};

const char* probe() {
  try {
    return why_not(wish_of_environment());
  } catch (const std::exception&) {
    return nullptr;  // create says it in full
  }
}

std::unique_ptr<Backend> create(std::span<const Variable>) {
  return std::make_unique<MpiBackend>();
}

}  // namespace

}  // namespace breakeven::mpi

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "mpi",
    .version = "0.1.0",
    .description = "every rank of MPI is a device: other processes, on this node and others",
    .options = breakeven::mpi::options,
    .probe = breakeven::mpi::probe,
    .create = breakeven::mpi::create,
};
