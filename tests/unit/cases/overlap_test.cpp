// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "suite/cases/all_cases.hpp"
#include "suite/model/case.hpp"
#include "suite/model/clock.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

const Case& overlap() {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(), [](auto* c) { return c->name() == "overlap"; });
}

Key overlap_key(std::string mode) {
  Key key;
  key.case_name = "overlap";
  key.backend = "deferred";
  key.mode = std::move(mode);
  key.m = key.n = key.k = 5;
  key.batch = 1;
  key.count = 3;
  key.memory = "pageable";
  return key;
}

class OverlapCase : public testing::Test {
 protected:
  std::unique_ptr<PreparedCase> prepare(const std::string& mode) {
    return overlap().prepare(overlap_key(mode), session_);
  }
  DeferredBackend backend_;
  Session session_{backend_, 7};
};

TEST_F(OverlapCase, ACopyThatIsSkippedIsFoundOutAlsoAfterATurn) {
  for (const char* mode : {"copy", "in-order", "overlapped"}) {
    const auto prepared = prepare(mode);
    EXPECT_TRUE(prepared->verify().passed) << mode;
    prepared->before_visit();
    backend_.behaviour.skips = [](const AnyOperation& operation) {
      return operation.as<Copy>() != nullptr;
    };
    prepared->run(1, steady_clock());
    backend_.behaviour.skips = [](const AnyOperation&) { return false; };
    EXPECT_FALSE(prepared->verify_last().passed) << mode;
  }
}

TEST_F(OverlapCase, HostMemoryIsCutAsDeviceMemoryIs) {
  Key key = overlap_key("overlapped");
  key.memory = "pinned";
  overlap().prepare(key, session_);
  auto& granules = backend_.behaviour.granules;
  EXPECT_EQ(granules[Memory::device].size(), 1U);
  EXPECT_EQ(granules[Memory::pinned], granules[Memory::device]);
}

TEST_F(OverlapCase, OnlyOverlappedIsComparedWithTheOthers) {
  for (const std::string_view mode : overlap().modes()) {
    const auto prepared = prepare(std::string(mode));
    prepared->verify();
    for (int visit = 0; visit < 6; ++visit) {
      prepared->before_visit();
      prepared->run(1, steady_clock());
    }
    EXPECT_TRUE(prepared->verify_last().passed) << mode;
    std::map<std::string, std::string> details;
    for (auto& [name, value] : prepared->details()) details.emplace(name, value);
    EXPECT_EQ(details.empty(), mode != "overlapped") << mode;
    if (mode != "overlapped") continue;
    for (const char* name : {"compute_ns", "copy_ns", "in_order_ns", "overlapped_ns"})
      EXPECT_GT(std::stod(details[name]), 0) << name;
    EXPECT_EQ(details["overlap"] == "NA", details.contains("overlap_unknown"));
  }
}

TEST_F(OverlapCase, WithoutOrderBetweenQueuesThereIsNothingToMeasure) {
  backend_.behaviour.has_events = false;
  try {
    prepare("overlapped");
    FAIL();
  } catch (const Unsupported& unsupported) {
    EXPECT_EQ(unsupported.reason, "order between queues");
  }
}

TEST_F(OverlapCase, TheCourseHasTheExperimentOnAGpuAndASmallerOneOnACpu) {
  Selection selection;
  selection.preset = Preset::course;
  selection.kind = Kind::gpu;
  for (const Key& key : overlap().keys(selection)) {
    EXPECT_EQ(key.n, 4000U);
    EXPECT_EQ(key.count, 50U);
  }
  selection.kind = Kind::cpu;
  for (const Key& key : overlap().keys(selection)) {
    EXPECT_EQ(key.n, 1024U);
    EXPECT_EQ(key.count, 8U);
  }
}

}  // namespace
}  // namespace breakeven
