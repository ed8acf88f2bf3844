// SPDX-License-Identifier: Apache-2.0
// Audits of work whose time depends on what was written before it. The waits are real ones, so
// bounds are what no busy machine turns round.
#include "suite/protocol/case_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "suite/measure/timer.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

enum class Written { nothing, same, anew };

// What one run takes after what was written, microseconds.
struct Pace {
  double untouched, touched, anew;
  int notices_for = 1;         // so many runs what is new takes
  double rested = 0;           // at least, when the last run was milliseconds ago
  bool is_late = false;        // what is new is computed in the run after
  bool can_be_touched = true;  // by the host
  bool writes = true;          // its result, in every run
};

class Paced final : public PreparedCase {
 public:
  explicit Paced(const Pace& pace) : pace_(pace) {}
  Work work() const override { return {.bytes = 1e4}; }
  bool renew() override {
    wait(pace_.rested > 0 ? 8e3 : 0);
    written_ = Written::anew;
    return true;
  }
  bool poison_unseen() override {
    is_poisoned_ = true;
    return pace_.can_be_touched;
  }
  bool is_poison_gone() override { return !is_poisoned_; }
  bool touch() override {
    written_ = Written::same;
    return pace_.can_be_touched;
  }
  Sample run(std::size_t repetitions, Clock& clock) override {
    const std::array<double, 3> us{pace_.untouched, pace_.touched, pace_.anew};
    is_right_ = !pace_.is_late || written_ != Written::anew;
    if (pace_.writes) is_poisoned_ = false;
    if (written_ == Written::anew) left_ = pace_.notices_for;
    double first = us.at(static_cast<std::size_t>(std::exchange(written_, Written::nothing)));
    if (left_-- > 0) first = pace_.anew;
    if (steady_clock().now() - ended_ > 4'000'000) first = std::max(first, pace_.rested);
    const std::int64_t start = clock.now();
    wait(first + pace_.untouched * static_cast<double>(repetitions - 1));
    ended_ = clock.now();
    return {static_cast<double>(ended_ - start), 0};
  }
  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }
  Verification verify() override { return {true, "paced", 0, 1, ""}; }
  Verification verify_last() override { return {is_right_, "paced", 0, 1, "late"}; }

 private:
  static void wait(double us) {
    const std::int64_t start = steady_clock().now();
    while (static_cast<double>(steady_clock().now() - start) < us * 1e3) {
    }
  }

  Pace pace_;
  Written written_ = Written::nothing;
  std::int64_t ended_ = steady_clock().now();
  int left_ = 0;
  bool is_right_ = true, is_poisoned_ = false;
};

class PacedWork final : public Case {
 public:
  explicit PacedWork(const Pace& pace) : pace_(pace) {}
  std::string_view name() const override { return "paced"; }
  std::string_view question() const override { return "How long?"; }
  std::span<const std::string_view> modes() const override { return {}; }
  std::vector<Key> keys(const Selection&) const override { return {}; }
  std::size_t footprint(const Key&) const override { return 0; }
  std::unique_ptr<PreparedCase> prepare(const Key&, Session&) const override {
    return std::make_unique<Paced>(pace_);
  }

 private:
  Pace pace_;
};

struct Fixture {
  explicit Fixture(const Pace& pace) : work(pace) { subject.calibrate(); }
  DeferredBackend backend;
  Session session{backend, 42};
  PacedWork work;
  CaseFixture subject{work, Key{}, session, Timer{2, 0}};
};

bool is_slow(const Pace& pace) {
  return is_slow(Fixture(pace).subject.audit(nullptr), pace.untouched * 1e3);
}

// Other work on the machine may hide it from one audit.
bool is_found_slow(const Pace& pace) {
  for (int i = 0; i < 3; ++i)
    if (is_slow(pace)) return true;
  return false;
}

TEST(CaseFixture, WorkThatTakesLongerOnNewInputsIsSlow) {
  EXPECT_TRUE(is_found_slow({.untouched = 20, .touched = 20, .anew = 2000}));
}

TEST(CaseFixture, WorkThatTakesLongerForSomeRunsOnNewInputsIsSlow) {
  for (const int runs : {2, 10, 50, 500})
    EXPECT_TRUE(is_found_slow({.untouched = 20, .touched = 20, .anew = 200, .notices_for = runs}))
        << runs;
}

// Who had the processors meanwhile is asked from the first slow repetition on.
TEST(CaseFixture, AnAuditIsWatchedWhereItIsSlow) {
  Fixture slower({.untouched = 20, .touched = 20, .anew = 2000});
  slower.subject.visit(0);
  const Audit audit = slower.subject.audit(nullptr);
  EXPECT_GT(audit.watched_ns, 0);
  EXPECT_LT(audit.watched_ns, audit.took_ns);

  // Other work on the machine may make one audit look slow.
  double watched_ns = 1;
  for (int i = 0; i < 3 && watched_ns != 0; ++i) {
    Fixture alike({.untouched = 200, .touched = 200, .anew = 200});
    alike.subject.visit(0);
    watched_ns = alike.subject.audit(nullptr).watched_ns;
  }
  EXPECT_EQ(watched_ns, 0);
}

// Another core wrote the operands.
TEST(CaseFixture, WorkThatTakesLongerOnWhateverWasJustWrittenIsNot) {
  EXPECT_FALSE(is_slow({.untouched = 150, .touched = 500, .anew = 500}));
}

// Its results are written past caches that have them: then it takes longer than any visit, from
// which the next audit learns whether that needs something new.
TEST(CaseFixture, WhatTakesMillisecondsLongerOnWhateverWasWrittenIsNotFromTheSecondAuditOn) {
  const auto second = [](const Pace& pace) {
    Fixture fixture(pace);
    fixture.subject.visit(0);
    EXPECT_TRUE(is_slow(fixture.subject.audit(nullptr), pace.untouched * 1e3));
    return is_slow(fixture.subject.audit(nullptr), pace.untouched * 1e3);
  };
  bool slow = true;  // once in a while on a busy machine
  for (int i = 0; i < 3 && slow; ++i)
    slow = second({.untouched = 1300, .touched = 5000, .anew = 5000});
  EXPECT_FALSE(slow);
  EXPECT_TRUE(second({.untouched = 1300, .touched = 1300, .anew = 5000, .notices_for = 50}));
}

// On a busy machine others have the processors of threads that were not needed for a while.
TEST(CaseFixture, WorkThatTakesLongerAfterAsLongARestIsNot) {
  EXPECT_FALSE(is_slow({.untouched = 50, .touched = 50, .anew = 50, .rested = 900}));
}

// What knows that its operands were written cannot be told from caches there.
TEST(CaseFixture, WorkThatTakesLongerOnMemoryThatTheHostCannotTouchIsSlow) {
  EXPECT_TRUE(
      is_found_slow({.untouched = 20, .touched = 500, .anew = 500, .can_be_touched = false}));
}

TEST(CaseFixture, WhatAnAuditedRepetitionComputesIsCheckedBeforeTheNext) {
  EXPECT_THROW(is_slow({.untouched = 20, .touched = 20, .anew = 20, .is_late = true}),
               CaseFixture::Wrong);
}

// It takes the place of the pair.
TEST(CaseFixture, OneAuditedRepetitionAsFastAsTheVisitsIsEnough) {
  Fixture alike({.untouched = 200, .touched = 200, .anew = 200});
  EXPECT_GE(alike.subject.audit(nullptr).repetitions, 3U);
  alike.subject.visit(0);
  EXPECT_EQ(alike.subject.audit(nullptr).repetitions, 1U);

  Fixture slower({.untouched = 20, .touched = 20, .anew = 2000});
  slower.subject.visit(0);
  EXPECT_GT(slower.subject.audit(nullptr).repetitions, 3U);
}

// It may work where it has rested, as it has in audits.
TEST(CaseFixture, ARepetitionBehindOthersHasToWriteItsResult) {
  Fixture sound({.untouched = 20, .touched = 20, .anew = 20});
  EXPECT_FALSE(sound.subject.visit(0).wall.empty());
  Fixture idle({.untouched = 20, .touched = 20, .anew = 20, .writes = false});
  EXPECT_THROW(idle.subject.visit(0), CaseFixture::Wrong);
  Fixture unseen(
      {.untouched = 20, .touched = 20, .anew = 20, .can_be_touched = false, .writes = false});
  EXPECT_FALSE(unseen.subject.visit(0).wall.empty());
}

}  // namespace
}  // namespace breakeven
