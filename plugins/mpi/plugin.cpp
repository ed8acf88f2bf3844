// SPDX-License-Identifier: Apache-2.0
// The backend `mpi`: every rank is a device. MPI itself is in the program that the ranks run; here
// is what starts and commands them.
#include <breakeven/plugin.hpp>

#include "plugins/mpi/device.hpp"
#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

namespace {

constexpr Option options[] = {
    option_ranks,
    option_hosts,
    option_launcher,
    {"backend", "the plugin that computes on a rank: serial, blas, cublas; empty: by its cores", "",
     "BREAKEVEN_MPI_BACKEND"},
    option_crowd,
    option_limit,
};

class MpiBackend final : public TeamBackend {
 public:
  MpiBackend() : TeamBackend(wish_of_environment()) {
    for (std::uint32_t rank = 1; rank <= team_.devices(); ++rank)
      pointers_.push_back(&devices_.emplace_back(team_, rank));
  }

  std::span<Device* const> devices() override { return pointers_; }

 private:
  std::deque<RankDevice> devices_;
  std::vector<Device*> pointers_;
};

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
