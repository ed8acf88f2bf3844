// SPDX-License-Identifier: Apache-2.0
// The cases of several devices on 2, 3, 4 and 8 fake GPUs: for exact inputs the bits of one device,
// however many share the work and however they are fed; and what one of them leaves out is seen.
#include <algorithm>

#include "harness.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/model/case.hpp"
#include "suite/model/clock.hpp"

namespace breakeven::test {
namespace {

const Case& parallel() {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(),
                        [](const Case* one) { return one->name() == "parallel"; });
}

// On one device and on every number of them, from one thread and from one thread each.
std::vector<Key> keys(std::string mode, std::size_t devices) {
  Selection selection;
  selection.modes = {std::move(mode)};
  selection.sizes = {{33, 33, 33}};  // no multiple of most numbers of devices
  selection.counts = {3};
  selection.devices = devices;
  return parallel().keys(selection);
}

// Exact inputs first, whose product has the same bits in every order of summation; then what a run
// of random reals left behind.
void run_all(const std::string& mode, std::size_t devices) {
  const auto backend = backend_of("cublas");
  ASSERT_EQ(backend->devices().size(), devices);
  Session session{*backend, 42};
  std::size_t most = 0;
  for (const Key& key : keys(mode, devices)) {
    const auto prepared_case = parallel().prepare(key, session);
    const Verification before = prepared_case->verify();
    EXPECT_TRUE(before.passed) << name_of(key) << ": " << before.message;
    prepared_case->before_visit();
    prepared_case->run(2, steady_clock());
    const Verification after = prepared_case->verify_last();
    EXPECT_TRUE(after.passed) << name_of(key) << ": " << after.message;
    most = std::max(most, key.devices);
  }
  EXPECT_EQ(most, mode == "two-queues" ? 1 : devices);
}

class ParallelOnFakeGpus : public testing::TestWithParam<std::size_t> {
 protected:
  Environment environment(const char* skipped = "") const {
    return {{"FAKE_CUDA_DEVICES", std::to_string(GetParam())}, {"FAKE_CUDA_SKIP", skipped}};
  }
};

TEST_P(ParallelOnFakeGpus, AllModesGiveTheBitsOfOneDevice) {
  for (const char* mode :
       {"throughput", "many-small", "many-small-in-order", "strong", "two-queues"})
    expect_passes(environment(), [&] { run_all(mode, GetParam()); });
}

TEST_P(ParallelOnFakeGpus, WithoutPeerAccessTheSplitProductHasTheSameBits) {
  Environment apart = environment();
  apart.emplace_back("FAKE_CUDA_PEERS", "off");
  expect_passes(apart, [&] { run_all("strong", GetParam()); });
}

// Products that do nothing, and rows that never reach the other devices.
TEST_P(ParallelOnFakeGpus, WhatIsLeftOutIsSeen) {
  for (const char* mode : {"throughput", "many-small", "strong"})
    expect_fails(environment("cublasGemmEx"), [&] { run_all(mode, GetParam()); });
  expect_fails(environment("cudaMemcpyPeerAsync"), [&] { run_all("strong", GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Devices, ParallelOnFakeGpus, testing::Values(2, 3, 4, 8));

}  // namespace
}  // namespace breakeven::test
