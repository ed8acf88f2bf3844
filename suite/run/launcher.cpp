// SPDX-License-Identifier: Apache-2.0
#include "suite/run/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>

#include "suite/model/clock.hpp"
#include "suite/run/text.hpp"

namespace breakeven {

namespace {

std::string first_of(std::initializer_list<const char*> variables) {
  for (const char* const variable : variables)
    if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
      return value;
  return {};
}

std::string value_of(const std::string& name, const std::string& pattern, const Launch& launch) {
  if (name == "date") return utc_now("%Y-%m-%d");
  const bool is_known = name == "node" || name == "rank" || name == "job";
  if (!is_known)
    throw UsageError(fmt::format(
        "--out '{}': {{{}}} is not known; there are {{node}}, {{rank}}, {{job}} and {{date}}",
        pattern, name));
  std::string value = name == "node" ? launch.node : name == "rank" ? launch.rank : launch.job;
  if (value.empty())
    throw UsageError(fmt::format(
        "--out '{}': nobody says the {}: no variable of Slurm, MPI or Kubernetes is set; use "
        "{{node}} and {{date}}",
        pattern, name));
  std::replace(value.begin(), value.end(), '/', '_');
  return value == "." || value == ".." ? "_" : value;
}

}  // namespace

Launch launch_of_environment() {
  Launch launch;
  launch.node = first_of({"SLURMD_NODENAME"});
  // A pod is told the name of its node only where its manifest says so.
  if (launch.node.empty() && std::getenv("KUBERNETES_SERVICE_HOST") != nullptr)
    launch.node = first_of({"NODE_NAME"});
  // Inside a job of Slurm mpirun's ranks inherit the SLURM_PROCID of the script, which is 0.
  launch.rank = first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                          "SLURM_PROCID", "JOB_COMPLETION_INDEX"});
  const std::string array = first_of({"SLURM_ARRAY_JOB_ID"});
  launch.job = array.empty() ? first_of({"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_NAME"})
                             : array + '_' + first_of({"SLURM_ARRAY_TASK_ID"});
  return launch;
}

std::string filled(const std::string& pattern, const Launch& launch) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at), close = pattern.find('}', open);
    if (open == pattern.npos || close == pattern.npos) return text + pattern.substr(at);
    text += pattern.substr(at, open - at);
    text += value_of(pattern.substr(open + 1, close - open - 1), pattern, launch);
    at = close + 1;
  }
  return text;
}

}  // namespace breakeven
