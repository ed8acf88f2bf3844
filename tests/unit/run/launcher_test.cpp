// SPDX-License-Identifier: Apache-2.0
#include "suite/run/launcher.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "suite/run/text.hpp"

namespace breakeven {
namespace {

// As the launcher left it; what it does not name is not set.
Launch launched(const std::map<std::string, std::string>& environment) {
  constexpr const char* variables[] = {"SLURMD_NODENAME",
                                       "SLURM_PROCID",
                                       "SLURM_JOB_ID",
                                       "SLURM_ARRAY_JOB_ID",
                                       "SLURM_ARRAY_TASK_ID",
                                       "OMPI_COMM_WORLD_RANK",
                                       "PMIX_RANK",
                                       "PMI_RANK",
                                       "MV2_COMM_WORLD_RANK",
                                       "JOB_COMPLETION_INDEX",
                                       "JOB_NAME",
                                       "KUBERNETES_SERVICE_HOST",
                                       "NODE_NAME",
                                       "PBS_JOBID",
                                       "LSB_JOBID"};
  for (const char* const variable : variables) unsetenv(variable);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  return launch_of_environment();
}

TEST(Launch, is_read_from_slurm) {
  const Launch launch =
      launched({{"SLURMD_NODENAME", "n17"}, {"SLURM_PROCID", "3"}, {"SLURM_JOB_ID", "4711"}});
  EXPECT_EQ(filled("r/{job}/{node}-{rank}.csv", launch), "r/4711/n17-3.csv");
}

TEST(Launch, tells_the_tasks_of_an_array_apart) {
  const Launch launch = launched({{"SLURM_PROCID", "0"},
                                  {"SLURM_JOB_ID", "12"},
                                  {"SLURM_ARRAY_JOB_ID", "10"},
                                  {"SLURM_ARRAY_TASK_ID", "2"}});
  EXPECT_EQ(launch.job, "10_2");
}

TEST(Launch, takes_the_rank_from_mpirun_inside_a_script_of_slurm) {
  EXPECT_EQ(launched({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "5"}}).rank, "5");
  EXPECT_EQ(launched({{"PMI_RANK", "6"}}).rank, "6");
}

TEST(Launch, is_read_from_kubernetes) {
  const Launch launch = launched({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                  {"NODE_NAME", "worker-3"},
                                  {"JOB_COMPLETION_INDEX", "2"}});
  EXPECT_EQ(launch.node, "worker-3");
  EXPECT_EQ(launch.rank, "2");
  EXPECT_EQ(launched({{"NODE_NAME", "jenkins"}}).node, "");
}

TEST(Launch, fills_in_one_name_and_never_a_path) {
  EXPECT_EQ(filled("{node}.csv", {"../a/b", {}, {}}), ".._a_b.csv");
  EXPECT_EQ(filled("{node}/x.csv", {"..", {}, {}}), "_/x.csv");
  EXPECT_THAT(filled("{date}.csv", {}), testing::MatchesRegex("20..-..-..\\.csv"));
  EXPECT_EQ(filled("plain.csv", {}), "plain.csv");
  EXPECT_EQ(filled("half{open", {}), "half{open");
}

TEST(Launch, says_what_cannot_be_filled_in) {
  EXPECT_THROW(filled("{rank}.csv", {"n1", {}, {}}), UsageError);
  EXPECT_THROW(filled("{moon}.csv", {"n1", {}, {}}), UsageError);
}

}  // namespace
}  // namespace breakeven
