// SPDX-License-Identifier: Apache-2.0
// The manifest of kokkos-openmp. Compiled for the oldest processor of the architecture, because
// `probe` decides whether anything else of the plugin may run.
#include <breakeven/plugin.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backend.hpp"
#include "plugins/cpu_common/plan_option.hpp"
#include "plugins/cpu_common/threads_option.hpp"
#include "processor.hpp"

#ifdef DEFERRED_INITIALISERS
using Initialiser = void (*)();
extern "C" [[gnu::visibility("hidden")]] Initialiser const breakeven_initialisers_begin[];
extern "C" [[gnu::visibility("hidden")]] Initialiser const breakeven_initialisers_end[];
#endif

namespace breakeven::kokkos {
namespace {

bool initialise() {
#ifdef DEFERRED_INITIALISERS
  for (const auto* each = breakeven_initialisers_begin; each != breakeven_initialisers_end;
       ++each) {
    (*each)();
  }
#endif
  return true;
}

const char* probe() {
  static char reason[64] = "needs a processor with ";
  const std::string_view missing = missing_extension(extensions, present_extensions());
  if (!missing.empty()) {
    missing.copy(reason + std::char_traits<char>::length(reason), missing.size());
    return reason;
  }
  static const bool initialised = initialise();
  return initialised ? nullptr : reason;
}

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  if (const char* const reason = probe()) throw std::runtime_error(reason);
  std::optional<cpu::Way> way;
  for (const Variable& setting : settings)
    if (setting.name == "plan") way = cpu::way_of(setting.value);
  // OpenMP takes what is no number for none. Behind a comma there may be those of nested regions.
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  if (threads && *threads)
    cpu::number_of_threads(std::string_view(threads, std::strcspn(threads, ",")));
  return make_backend(way);
}

// Threads stay where they are, and wait for one another awake for some 0.1 ms: by default it is 5
// ms, in which nobody else has the processor that one of them needs. `threads` is also what hides
// cores that are not to be used.
constexpr Variable environment[] = {{"OMP_PROC_BIND", "close"},
                                    {"OMP_PLACES", "cores"},
                                    {"OMP_DYNAMIC", "false"},
                                    {"GOMP_SPINCOUNT", "10000"}};
constexpr Option options[] = {
    {"threads", "number of threads; default: one per core", "", "OMP_NUM_THREADS"},
    cpu::plan_option};

}  // namespace
}  // namespace breakeven::kokkos

extern "C" {
constinit const breakeven::Manifest breakeven_plugin{
    .name = "kokkos-openmp",
    .version = PLUGIN_VERSION,
    .description = "Kokkos with OpenMP: all cores as one device",
    .environment = breakeven::kokkos::environment,
    .options = breakeven::kokkos::options,
    .probe = breakeven::kokkos::probe,
    .create = breakeven::kokkos::create};
}
