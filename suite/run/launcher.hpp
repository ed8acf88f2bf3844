// SPDX-License-Identifier: Apache-2.0
// What the program that started this one on many nodes says of its place there: Slurm, Open MPI,
// MPICH and its kin, Kubernetes.
#pragma once

#include <string>

namespace breakeven {

struct Launch {
  std::string node;  // as the scheduler calls it; empty: nobody says
  std::string rank;  // among all that were started together
  std::string job;   // `17`, `17_3` of an array; a job that is queued again keeps it
};

Launch launch_of_environment();

// Replaces {node}, {rank}, {job} and {date} (of today, UTC) in the name of a file. Each of them is
// one name, never a path. Throws UsageError where one is unknown, or nobody says it.
std::string filled(const std::string& pattern, const Launch& launch);

}  // namespace breakeven
