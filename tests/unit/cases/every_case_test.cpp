// SPDX-License-Identifier: Apache-2.0
// What holds for every case with one device: right results pass, wrong ones never do, and the clock
// encloses the promised work and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "suite/cases/all_cases.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/model/case.hpp"
#include "tests/unit/cases/counted_new.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

// A new case is held to this from its first day. The exception has no result and a test of its own.
std::vector<std::string> names() {
  std::vector<std::string> with_results;
  for (const Case* definition : all_cases())
    if (definition->name() != "two-devices") with_results.emplace_back(definition->name());
  return with_results;
}

class CountingClock final : public Clock {
 public:
  std::int64_t now() noexcept override { return 1000 * ++readings; }
  std::int64_t readings = 0;
};

class EveryCase : public testing::TestWithParam<std::string> {
 protected:
  // One key of every mode, type, memory and direction, as small as there is.
  static std::vector<Key> small_keys(const Case& definition) {
    constexpr std::array<std::size_t, 4> numbers{3, 4, 1000, 4096};
    std::vector<Key> keys;
    for (const std::size_t n : numbers)
      for (const std::string_view mode : definition.modes()) {
        Selection selection;
        selection.preset = Preset::full;
        selection.sizes = {{n, n, n}};
        selection.modes = {std::string(mode)};
        selection.devices = 2;
        selection.types = {{Type::f32}, {Type::f64}, {Type::f16}, {Type::bf16}};
        for (Key& key : definition.keys(selection)) {
          key.case_name = definition.name();
          key.backend = "deferred";
          if (std::none_of(keys.begin(), keys.end(), [&](const Key& k) { return alike(k, key); }))
            keys.push_back(key);
        }
      }
    for (Key& key : keys) key.count = std::min<std::size_t>(key.count, key.n == 1000 ? 1000 : 64);
    return keys;
  }

  static bool alike(const Key& a, const Key& b) {
    return a.mode == b.mode && a.type == b.type && a.memory == b.memory &&
           a.direction == b.direction;
  }

  // False where nothing is computed or moved that could go wrong.
  static bool has_result(const Key& key) {
    if (key.case_name == "dispatch") return key.n > 0;
    if (key.case_name == "transfer") return key.mode != "same-place";
    if (key.case_name == "first-use") return key.n > 0;
    return true;
  }

  const Case& definition_ = *case_named(GetParam());
  DeferredBackend backend_;
  Session session_{backend_, 42};
  CountingClock clock_;
};
INSTANTIATE_TEST_SUITE_P(Cases, EveryCase, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryCase, PassesOnAnHonestBackend) {
  for (const Key& key : small_keys(definition_)) {
    const auto prepared = definition_.prepare(key, session_);
    const Verification before = prepared->verify();
    EXPECT_TRUE(before.passed) << name_of(key) << ": " << before.message;
    EXPECT_LE(before.error, 1) << name_of(key);
    prepared->run(prepared->ring(), clock_);
    const Verification after = prepared->verify_last();
    EXPECT_TRUE(after.passed) << name_of(key) << ": " << after.message;
  }
}

TEST_P(EveryCase, HasAllModesOfItsList) {
  const std::vector<Key> keys = small_keys(definition_);
  for (const std::string_view mode : definition_.modes())
    EXPECT_TRUE(std::any_of(keys.begin(), keys.end(), [&](auto& k) { return k.mode == mode; }))
        << mode;
}

TEST_P(EveryCase, RunWaitsForEverythingAndAllocatesNothing) {
  for (const Key& key : small_keys(definition_)) {
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    const std::size_t before = allocations();
    clock_.readings = 0;
    const Sample sample = prepared->run(prepared->repeatable() ? 3 : 1, clock_);
    EXPECT_EQ(backend_.behaviour.pending, 0U) << name_of(key);
    if (!prepared->repeatable()) continue;  // there, allocating may be the question
    EXPECT_EQ(allocations(), before) << name_of(key);
    EXPECT_EQ(clock_.readings, 3) << name_of(key);
    EXPECT_EQ(sample.wall, 2000) << name_of(key);
  }
}

TEST_P(EveryCase, WorkSkippedWhileTimedFails) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key)) continue;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    backend_.behaviour.skips = [](const AnyOperation& operation) {
      return !operation.as<Copy>() || operation.as<Copy>()->to.buffer->memory() == Memory::device;
    };
    const bool is_download =
        key.mode.starts_with("read") || key.mode == "copy" || key.direction == "d2h";
    if (is_download) backend_.behaviour.skips = [](const AnyOperation&) { return true; };
    prepared->run(1, clock_);
    backend_.behaviour.skips = [](const AnyOperation&) { return false; };
    EXPECT_FALSE(prepared->verify_last().passed) << name_of(key);
  }
}

// What an earlier visit computed must not pass for what a later one should have.
TEST_P(EveryCase, ABackendThatStopsBetweenVisitsFails) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    prepared->before_visit();
    prepared->run(2 * prepared->ring(), clock_);
    EXPECT_TRUE(prepared->verify_last().passed) << name_of(key);
    prepared->before_visit();
    backend_.behaviour.skips = [](const AnyOperation&) { return true; };
    prepared->run(2, clock_);
    backend_.behaviour.skips = [](const AnyOperation&) { return false; };
    EXPECT_FALSE(prepared->verify_last().passed) << name_of(key);
  }
}

// New inputs are verified as the first ones were, and what is not written is seen at once.
TEST_P(EveryCase, AnAuditTellsWhatIsComputedFromWhatWasKept) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    for (int audit = 0; audit < 2; ++audit) {
      ASSERT_TRUE(prepared->renew()) << name_of(key);
      EXPECT_FALSE(prepared->read_results()) << name_of(key);
      prepared->run(prepared->ring(), clock_);
      EXPECT_TRUE(prepared->read_results()) << name_of(key);
      for (int look = 0; look < 2; ++look)  // the first leaves everything as it was
        EXPECT_TRUE(prepared->verify_audited().passed) << name_of(key);
    }
    prepared->touch();
    const Verification found = prepared->verify_last();
    EXPECT_TRUE(found.passed) << name_of(key) << ": " << found.message;
  }
}

// The backend has had no more to do before an audited repetition than before the one beside it:
// else whose caches hold what is a difference between the two.
TEST_P(EveryCase, ARenewalDoesWithoutTheBackendWhatTheHostCanDo) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    std::size_t between_host_memory = 0;
    backend_.behaviour.afterwards = [&](const AnyOperation& operation) {
      const Copy* const copy = operation.as<Copy>();
      const auto on_host = [](const Slice& slice) {
        return slice.buffer->memory() != Memory::device;
      };
      if (copy && on_host(copy->from) && on_host(copy->to)) ++between_host_memory;
    };
    prepared->renew();
    backend_.behaviour.afterwards = [](const AnyOperation&) {};
    EXPECT_EQ(between_host_memory, 0U) << name_of(key);
  }
}

// Also where the host can touch some of the results and not the others.
TEST_P(EveryCase, PoisonPutBetweenTwoRunsGoesWithTheNextThatComputes) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    const bool is_poisoned = prepared->poison_unseen();
    EXPECT_EQ(prepared->is_poison_gone(), !is_poisoned) << name_of(key);
    prepared->poison_unseen();
    prepared->run(prepared->ring(), clock_);
    EXPECT_TRUE(prepared->is_poison_gone()) << name_of(key);
    if (!is_poisoned) continue;
    prepared->poison_unseen();
    backend_.behaviour.skips = [](const AnyOperation&) { return true; };
    prepared->run(prepared->ring(), clock_);
    backend_.behaviour.skips = [](const AnyOperation&) { return false; };
    EXPECT_FALSE(prepared->is_poison_gone()) << name_of(key);
  }
}

TEST_P(EveryCase, OneWrongByteInEveryOutputFails) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    const auto prepared = definition_.prepare(key, session_);
    EXPECT_TRUE(prepared->verify().passed);
    backend_.behaviour.afterwards = [](const AnyOperation& operation) {
      const auto spoil = [](const Slice& slice) {
        // A large number, also where a spoilt one is copied and spoilt again.
        if (slice.bytes > 0) bytes_at(slice).back() = std::byte{0x6f};
      };
      dispatch(operation, [&](const auto& what) {
        if constexpr (requires { what.out; }) spoil(what.out);
        if constexpr (requires { what.to; }) spoil(what.to);
        if constexpr (requires { what.k; }) spoil(what.c);
        return std::unique_ptr<Task>();
      });
    };
    prepared->run(1, clock_);
    backend_.behaviour.afterwards = [](const AnyOperation&) {};
    EXPECT_FALSE(prepared->verify_last().passed) << name_of(key);
  }
}

TEST_P(EveryCase, AKernelThatNeverRanFailsBeforeAnyTime) {
  for (const Key& key : small_keys(definition_)) {
    if (!has_result(key) || definition_.needs_fresh_worker()) continue;
    if (key.case_name == "transfer" || key.case_name == "parameters")
      continue;  // nothing but copies
    backend_.behaviour.skips = [](const AnyOperation& operation) { return !operation.as<Copy>(); };
    EXPECT_FALSE(definition_.prepare(key, session_)->verify().passed) << name_of(key);
  }
}

TEST_P(EveryCase, DeviceClockCountsTheRepetitionsOrIsSilent) {
  for (const Key& key : small_keys(definition_)) {
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    const auto once = prepared->run_on_device_clock(1);
    const auto thrice = prepared->run_on_device_clock(3);
    ASSERT_EQ(once.has_value(), thrice.has_value()) << name_of(key);
    if (!once) continue;
    EXPECT_GE(*once, 999) << name_of(key);
    EXPECT_NEAR(*thrice, 3 * *once, 1) << name_of(key);
  }
}

TEST_P(EveryCase, WithoutEventsThereIsNoDeviceClock) {
  backend_.behaviour.has_events = false;
  for (const Key& key : small_keys(definition_)) {
    if (key.case_name == "overlap") continue;  // without them it has no order, and says so
    EXPECT_FALSE(definition_.prepare(key, session_)->run_on_device_clock(1)) << name_of(key);
  }
}

TEST_P(EveryCase, WhatABackendLacksIsNamed) {
  backend_.behaviour.has_pinned = false;
  backend_.behaviour.has_sequences = false;
  for (const Key& key : small_keys(definition_)) {
    if (definition_.needs_fresh_worker()) continue;
    const bool is_lacking = key.memory == "pinned" || key.mode == "sequence";
    try {
      definition_.prepare(key, session_);
      EXPECT_FALSE(is_lacking) << name_of(key);
    } catch (const Unsupported& unsupported) {
      EXPECT_TRUE(is_lacking) << name_of(key);
      EXPECT_EQ(unsupported.reason,
                key.memory == "pinned" ? "no pinned memory" : "a recorded sequence of tasks");
    }
  }
}

TEST_P(EveryCase, FootprintCoversTheMostThatIsEverAllocated) {
  for (const Key& key : small_keys(definition_)) {
    backend_.behaviour.most_allocated = 0;
    const auto prepared = definition_.prepare(key, session_);
    prepared->verify();
    prepared->run(1, clock_);
    prepared->verify_last();
    const std::size_t most = backend_.behaviour.most_allocated;
    const std::size_t pieces = 2 * (key.devices + 1);  // of each device, and of a peer
    EXPECT_GE(definition_.footprint(key) + pieces * DeviceSetup::piece_bytes, most) << name_of(key);
    EXPECT_LE(definition_.footprint(key), 8 * most) << name_of(key);
  }
}

}  // namespace
}  // namespace breakeven
