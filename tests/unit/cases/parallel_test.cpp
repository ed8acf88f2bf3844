// SPDX-License-Identifier: Apache-2.0
// Work on several devices: right on any number of them and fed either way, found out where a device
// does not do its part, and compared with what it says it is compared with.
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

const Case& parallel() {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(),
                        [](auto* c) { return c->name() == "parallel"; });
}

Key key_of(std::string mode, std::size_t devices, std::size_t feeders) {
  Key key;
  key.case_name = "parallel";
  key.backend = "deferred";
  key.mode = std::move(mode);
  key.m = key.n = key.k = 7;  // no multiple of any number of devices
  key.batch = 1;
  key.count = key.mode.starts_with("many-small") ? 5 : 0;
  key.devices = devices;
  key.feeders = feeders;
  return key;
}

std::vector<Key> keys_on_several() {
  std::vector<Key> keys;
  for (const std::size_t devices : {2, 3, 4, 8}) {
    for (const char* mode : {"throughput", "many-small", "strong"})
      for (const std::size_t feeders : {std::size_t{1}, devices})
        keys.push_back(key_of(mode, devices, feeders));
    keys.push_back(key_of("many-small-in-order", devices, 1));
  }
  return keys;
}

std::map<std::string, std::string> details_of(const PreparedCase& prepared) {
  std::map<std::string, std::string> details;
  for (auto& [name, value] : prepared.details()) details.emplace(name, value);
  return details;
}

class ParallelCase : public testing::Test {
 protected:
  std::unique_ptr<PreparedCase> prepare(const Key& key) {
    return parallel().prepare(key, session_);
  }

  DeferredBackend backend_{8};
  Session session_{backend_, 42};
};

TEST_F(ParallelCase, IsRightOnAnyNumberOfDevicesFedEitherWay) {
  for (const Key& key : keys_on_several()) {
    const auto prepared = prepare(key);
    const Verification before = prepared->verify();
    EXPECT_TRUE(before.passed) << name_of(key) << ": " << before.message;
    prepared->before_visit();
    prepared->run(2, steady_clock());
    const Verification after = prepared->verify_last();
    EXPECT_TRUE(after.passed) << name_of(key) << ": " << after.message;
  }
}

// Products on one device are told by where their result lies.
TEST_F(ParallelCase, ADeviceThatSkipsItsPartIsFoundOutAlsoAfterATurn) {
  for (const Key& key : keys_on_several())
    for (const bool after_a_turn : {false, true}) {
      const auto prepared = prepare(key);
      EXPECT_TRUE(prepared->verify().passed) << name_of(key);
      if (after_a_turn) prepared->before_visit();
      const Device* const last = backend_.devices()[key.devices - 1];
      backend_.behaviour.skips = [last](const AnyOperation& operation) {
        const auto* gemm = operation.as<Gemm>();
        return gemm && &gemm->c.buffer->device() == last;
      };
      prepared->run(1, steady_clock());
      backend_.behaviour.skips = [](const AnyOperation&) { return false; };
      EXPECT_FALSE(prepared->verify_last().passed) << name_of(key) << after_a_turn;
    }
}

TEST_F(ParallelCase, ACopyBetweenDevicesThatIsSkippedIsFoundOut) {
  for (int skipped = 0; skipped < 3; ++skipped) {  // rows of a, b, rows of c
    const auto prepared = prepare(key_of("strong", 2, 2));
    EXPECT_TRUE(prepared->verify().passed);
    prepared->before_visit();
    int copies = 0;
    backend_.behaviour.skips = [&](const AnyOperation& operation) {
      return operation.as<Copy>() && copies++ == skipped;
    };
    prepared->run(1, steady_clock());
    backend_.behaviour.skips = [](const AnyOperation&) { return false; };
    EXPECT_EQ(copies, 3);
    EXPECT_FALSE(prepared->verify_last().passed) << skipped;
  }
}

TEST_F(ParallelCase, TheRowNamesItsBaseAndWhatItsFiguresAreMadeOf) {
  const auto prepared = prepare(key_of("strong", 3, 3));
  prepared->verify();
  for (int visit = 0; visit < 3; ++visit) {
    prepared->before_visit();
    prepared->run(1, steady_clock());
  }
  prepared->verify_last();
  auto details = details_of(*prepared);
  EXPECT_EQ(prepared->base(), "parallel/deferred:0/f32/strong/n:7");
  EXPECT_FALSE(details["cause"].empty());
  for (const char* name : {"alone_0_ns", "alone_2_ns", "best_single_ns", "together_ns",
                           "together_enqueue_ns", "copies_alone_2_ns", "copies_together_ns"})
    EXPECT_GT(std::stod(details[name]), 0) << name;
  EXPECT_LT(std::stoul(details["best_single_device"]), 3U);
  EXPECT_EQ(details["copies_alone_0_ns"], "0");
  const double speed_up = std::stod(details["speed_up"]);
  EXPECT_NEAR(speed_up, std::stod(details["best_single_ns"]) / std::stod(details["together_ns"]),
              0.01 * speed_up + 0.001);
  EXPECT_NEAR(std::stod(details["efficiency"]), speed_up / 3, 0.001);
  const double slowest =
      std::max({std::stod(details["alone_0_ns"]), std::stod(details["alone_1_ns"]),
                std::stod(details["alone_2_ns"])});
  const double interference = std::stod(details["together_ns"]) / slowest;
  EXPECT_NEAR(std::stod(details["interference"]), interference, 0.01 * interference + 0.001);
}

TEST_F(ParallelCase, TheFirstVisitsHaveATurnEachAndAfterElevenThereAreNone) {
  const auto prepared = prepare(key_of("throughput", 2, 1));
  prepared->verify();
  int products = 0;
  backend_.behaviour.skips = [&](const AnyOperation& operation) {
    products += operation.as<Gemm>() ? 1 : 0;
    return false;
  };
  const auto products_before_a_visit = [&] {
    products = 0;
    prepared->before_visit();
    return products;
  };
  for (int visit = 0; visit < 3; ++visit) EXPECT_GT(products_before_a_visit(), 0) << visit;
  for (int visit = 3; visit < 11; ++visit) products_before_a_visit();
  EXPECT_EQ(products_before_a_visit(), 0);
}

TEST_F(ParallelCase, TooFewVisitsAreMadeUpForAtTheEnd) {
  const auto prepared = prepare(key_of("throughput", 2, 1));
  prepared->verify();
  prepared->run(1, steady_clock());
  EXPECT_TRUE(details_of(*prepared).empty());
  prepared->verify_last();
  EXPECT_FALSE(details_of(*prepared)["efficiency"].empty());
}

TEST_F(ParallelCase, OneDeviceHasNothingToBeComparedWithAndTwoQueuesOfItNoEfficiency) {
  const auto details_in = [&](const char* mode) {
    const auto prepared = prepare(key_of(mode, 1, 1));
    prepared->verify();
    prepared->run(1, steady_clock());
    prepared->verify_last();
    return details_of(*prepared);
  };
  EXPECT_TRUE(details_in("throughput").empty());
  EXPECT_TRUE(details_in("strong").empty());
  const auto queues = details_in("two-queues");
  EXPECT_TRUE(queues.contains("speed_up"));
  EXPECT_FALSE(queues.contains("efficiency"));
  EXPECT_FALSE(queues.contains("cause"));
}

TEST_F(ParallelCase, ADeviceThatIsMissingIsTheReason) {
  DeferredBackend two{2};
  Session session{two, 1};
  for (const char* mode : {"throughput", "strong"}) try {
      parallel().prepare(key_of(mode, 3, 3), session);
      FAIL();
    } catch (const Unsupported& unsupported) {
      EXPECT_EQ(unsupported.reason, "2 devices");
    }
}

std::vector<std::size_t> counts_on(std::size_t devices) {
  Selection selection;
  selection.devices = devices;
  selection.modes = {"throughput"};
  selection.sizes = {{64, 64, 64}};
  std::vector<std::size_t> counts;
  for (const Key& key : parallel().keys(selection)) counts.push_back(key.devices);
  return counts;
}

TEST_F(ParallelCase, AsksForEveryCountUpToEightThenForPowersOfTwoAndAll) {
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(counts_on(1), (Counts{1, 2}));
  EXPECT_EQ(counts_on(2), (Counts{1, 2}));
  EXPECT_EQ(counts_on(6), (Counts{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(counts_on(8), (Counts{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(counts_on(9), (Counts{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(counts_on(40), (Counts{1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 40}));
}

TEST_F(ParallelCase, ManySmallTakesTheCountsThatTheUserGaveAndTheOthersNone) {
  Selection selection;
  selection.devices = 2;
  selection.modes = {"throughput", "many-small"};
  selection.sizes = {{64, 64, 64}};
  selection.counts = {3, 5};
  std::vector<std::string> names;
  for (const Key& key : parallel().keys(selection)) names.push_back(name_of(key));
  const std::string both = "/devices:2/feeders:2", one = "/:0/f32/throughput/n:64";
  const std::string three = "/:0/f32/many-small/n:64/count:3",
                    five = "/:0/f32/many-small/n:64/count:5";
  EXPECT_EQ(names, (std::vector<std::string>{one, one + both, three, five, three + "/devices:2",
                                             five + "/devices:2", three + both, five + both}));
}

}  // namespace
}  // namespace breakeven
