// SPDX-License-Identifier: Apache-2.0
// What `breakeven check` does not try: who is woken by what, and by which way.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <breakeven/plugin.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace breakeven {
namespace {

namespace fs = std::filesystem;

const Manifest& manifest() {
  static void* const library = dlopen(MPI_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// After the label, as in `PPid:\t12`; 0 where the process has ended.
long number_in(const fs::path& status, const std::string& label) {
  const std::string text = text_of(status);
  const std::size_t at = text.find("\n" + label + ":");
  return at == text.npos ? 0 : std::atol(text.c_str() + at + label.size() + 2);
}

std::vector<fs::path> ranks() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (text_of(entry.path() / "comm") != "breakeven-rank\n") continue;
    long parent = number_in(entry.path() / "status", "PPid");
    while (parent > 1 && parent != getpid())
      parent = number_in("/proc/" + std::to_string(parent) + "/status", "PPid");
    if (parent == getpid()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// How often each rank's threads have waited.
std::vector<long> waits(const std::vector<fs::path>& ranks) {
  std::vector<long> all;
  for (const fs::path& rank : ranks) {
    all.push_back(0);
    for (const auto& thread : fs::directory_iterator(rank / "task"))
      all.back() += number_in(thread.path() / "status", "voluntary_ctxt_switches");
  }
  return all;
}

// AF_UNIX, AF_INET: of all sockets that this process has.
std::set<int> families() {
  std::set<int> found;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    int family = 0;
    socklen_t bytes = sizeof family;
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &bytes) == 0) found.insert(family);
  }
  return found;
}

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* reason = manifest().probe()) GTEST_SKIP() << reason;
  }
};

TEST_F(Mpi, ranks_on_this_machine_alone_are_not_told_over_the_network) {
  const auto backend = manifest().create({});
  const auto queue = backend->devices()[0]->queue();
  EXPECT_EQ(families(), std::set{AF_UNIX});
}

TEST_F(Mpi, ranks_on_named_nodes_are) {
  std::array<char, 256> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  setenv("BREAKEVEN_MPI_HOSTS", name.data(), 1);
  const auto backend = manifest().create({});
  unsetenv("BREAKEVEN_MPI_HOSTS");
  const auto queue = backend->devices()[0]->queue();
  EXPECT_TRUE(queue->prepare_any(Nothing{}));
  EXPECT_EQ(families(), std::set{AF_INET});
}

TEST_F(Mpi, waiting_wakes_only_ranks_that_have_something_to_do) {
  const auto backend = manifest().create({});
  Device& device = *backend->devices()[0];
  const auto here = device.allocate(64, Memory::pageable, 1),
             there = device.allocate(64, Memory::device, 1);
  const auto queue = device.queue();
  const auto copy = queue->prepare_any(Copy{{there.get(), 0, 64}, {here.get(), 0, 64}});
  const auto nothing = queue->prepare_any(Nothing{});
  ASSERT_TRUE(copy && nothing);
  const std::vector<fs::path> both = ranks();
  ASSERT_EQ(both.size(), 2U);

  constexpr int times = 500;
  const auto waited = [&](Task& task) {
    queue->synchronize();
    const std::vector<long> before = waits(both);
    for (int i = 0; i < times; ++i) {
      task.enqueue();
      queue->synchronize();
    }
    std::vector<long> after = waits(both);
    for (std::size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
    return *std::min_element(after.begin(), after.end());
  };
  EXPECT_GT(waited(*copy), times / 10);  // the worker's memory is rank 0's
  EXPECT_LT(waited(*nothing), times / 10);
}

}  // namespace
}  // namespace breakeven
