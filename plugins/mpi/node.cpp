// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/node.hpp"

#include <mpi.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace breakeven::mpi {

namespace {

// Of all device ranks, in the order of ranks.
template <std::size_t length>
std::vector<std::string> gathered(const char (&own)[length]) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> all(std::size_t(ranks) * length);
  MPI_Allgather(own, int(length), MPI_CHAR, all.data(), int(length), MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::size_t(ranks); ++i) texts.emplace_back(all.data() + i * length);
  return texts;
}

// Which of a library's ways it takes, as far as it can be asked: MPI names the variables that
// hold it, and a user's choice is in them.
std::string transport(const std::string& library) {
  if (const auto at = library.find("MPICH Device:"); at != library.npos) {
    std::istringstream words(library.substr(at + 13));
    std::string device;
    words >> device;
    return device;
  }
  std::string chosen;
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return "untold";
  for (const char* const name : {"pml", "btl", "mtl"}) {
    int index = 0, count = 0;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
      continue;
    std::vector<char> value(std::size_t(std::max(count, 1)) + 1);
    if (MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS && value[0] != '\0')
      chosen += (chosen.empty() ? "" : " ") + std::string(name) + "=" + value.data();
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return chosen.empty() ? "its own choice" : chosen;
}

}  // namespace

std::size_t take_share_of_processors(std::uint32_t rank, const char (&node)[256]) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> processors;
  char text[CPU_SETSIZE + 1] = {};
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    text[i] = CPU_ISSET(i, &allowed) ? '1' : '0';
    if (CPU_ISSET(i, &allowed)) processors.push_back(i);
  }
  const std::vector<std::string> nodes = gathered(node), sets = gathered(text);
  std::size_t sharers = 0, before = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {  // the seat needs none
    if (nodes[i] != nodes[rank] || sets[i] != sets[rank]) continue;
    before += i < rank;
    ++sharers;
  }
  const std::size_t all = processors.size();
  if (rank == seat || sharers < 2 || sharers > all) return all;
  CPU_ZERO(&allowed);
  for (std::size_t i = before * all / sharers; i < (before + 1) * all / sharers; ++i)
    CPU_SET(processors[i], &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
  return all;
}

std::size_t ranks_before(std::uint32_t rank, const char (&node)[256]) {
  const std::vector<std::string> nodes = gathered(node);
  std::size_t before = 0;
  for (std::uint32_t one = seat + 1; one < rank; ++one) before += nodes[one] == nodes[rank];
  return before;
}

void describe_node(Description& description) {
  utsname system{};
  uname(&system);
  write_text(description.build, build);
  write_text(description.machine, system.machine);
  write_text(description.kernel, std::string(system.sysname) + " " + system.release);
  int length = 0, version = 0, subversion = 0;
  char node[MPI_MAX_PROCESSOR_NAME] = {}, library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  MPI_Get_processor_name(node, &length);
  write_text(description.node, node);
  MPI_Get_version(&version, &subversion);
  write_text(description.standard, std::to_string(version) + "." + std::to_string(subversion));
  MPI_Get_library_version(library, &length);
  const std::string text = library;
  write_text(description.library, std::string_view(text).substr(0, text.find_first_of(",\n")));
  write_text(description.transport, transport(text));
}

}  // namespace breakeven::mpi
