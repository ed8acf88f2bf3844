// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// What sbatch, salloc or qsub gave. One of several that srun started has nothing to itself.
std::size_t ranks_of_scheduler() {
  if (!variable("SLURM_JOB_ID").empty() && variable("SLURM_STEP_ID").empty()) {
    const std::string tasks = variable("SLURM_NTASKS");
    return number_of_option("SLURM_NTASKS", tasks.empty() ? variable("SLURM_JOB_NUM_NODES") : tasks,
                            0);
  }
  std::ifstream nodes(variable("PBS_NODEFILE"));
  std::size_t lines = 0;
  for (std::string line; std::getline(nodes, line);) lines += !line.empty();
  return lines;
}

bool can_be_started(const std::string& program) {
  if (program.find('/') != program.npos) return access(program.c_str(), X_OK) == 0;
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

std::size_t number_of_option(const char* name, const std::string& text, std::size_t otherwise) {
  if (text.empty()) return otherwise;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 100000)
    throw std::runtime_error("option " + std::string(name) + " is '" + text +
                             "'; give a number from 1 to 100000");
  return value;
}

Wish wish_of_environment() {
  Wish wish;
  wish.hosts = variable("BREAKEVEN_MPI_HOSTS");
  const auto hosts =
      wish.hosts.empty() ? 0 : 1 + std::count(wish.hosts.begin(), wish.hosts.end(), ',');
  const std::size_t given = hosts > 0 ? std::size_t(hosts) : ranks_of_scheduler();
  wish.ranks = number_of_option("ranks", variable("BREAKEVEN_MPI_RANKS"), given);
  wish.several_nodes = given > 0;
  std::istringstream words(variable("BREAKEVEN_MPI_LAUNCHER"));
  for (std::string word; words >> word;) wish.launcher.push_back(word);
  if (wish.launcher.empty()) wish.launcher = {"mpirun"};
  wish.plugin = variable("BREAKEVEN_MPI_BACKEND");
  if (wish.plugin.empty()) wish.plugin = "best";
  wish.crowd = variable("BREAKEVEN_MPI_CROWD") == "yes";
  wish.limit_seconds = int(number_of_option("limit", variable("BREAKEVEN_MPI_LIMIT"), 25));
  return wish;
}

const char* probe() {
  try {
    const Wish wish = wish_of_environment();
    if (wish.ranks == 0)
      return "no ranks: set the option ranks or hosts, or start it in an allocation";
    if (!can_be_started(wish.launcher.front())) return "no launcher of MPI (mpirun) found";
  } catch (const std::exception&) {  // create says it in full
  }
  return nullptr;
}

}  // namespace breakeven::mpi
