// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "suite/cases/all_cases.hpp"
#include "suite/model/case.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

class TwoDevices : public testing::Test {
 protected:
  void prepare(std::size_t devices) {
    DeferredBackend backend(devices);
    backend.behaviour.supports = supports_;
    Session session{backend, 1};
    const auto cases = all_cases();
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [](auto* one) { return one->name() == "two-devices"; });
    (*found)->prepare(Key{}, session);
  }
  std::function<bool(const AnyOperation&)> supports_ = [](const AnyOperation&) { return true; };
};

TEST_F(TwoDevices, TheReasonIsTheRefusalThatNamesBoth) {
  supports_ = [](const AnyOperation&) -> bool {
    throw std::invalid_argument("b lies on device 1, the queue computes on device 0");
  };
  try {
    prepare(2);
    FAIL();
  } catch (const Unsupported& unsupported) {
    EXPECT_EQ(unsupported.reason, "b lies on device 1, the queue computes on device 0");
  }
}

TEST_F(TwoDevices, TakingThemIsAFailure) {
  EXPECT_THROW(prepare(2), std::runtime_error);
}

TEST_F(TwoDevices, ARefusalThatNamesOneOnlyIsAFailure) {
  supports_ = [](const AnyOperation&) -> bool { throw std::invalid_argument("not on device 0"); };
  EXPECT_THROW(prepare(2), std::runtime_error);
}

TEST_F(TwoDevices, OneDeviceIsTheReasonWhereThereIsOne) {
  try {
    prepare(1);
    FAIL();
  } catch (const Unsupported& unsupported) {
    EXPECT_EQ(unsupported.reason, "one device");
  }
}

}  // namespace
}  // namespace breakeven
