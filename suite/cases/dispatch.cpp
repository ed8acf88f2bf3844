// SPDX-License-Identifier: Apache-2.0
// The question: what does asking cost, and are many small operations worse than a big one?
//
// Inside the clock: handing over and waiting. Outside: memory, preparation, recording.
//   empty          one operation that does nothing, waited for
//   queued         `count` of them, waited for once
//   wait-each      `count` of them, a wait after each
//   sequence       `count` of them recorded once and launched as one
//   whole          out = a b + c for n elements in one operation
//   pieces         the same in `count` operations, waited for once
//   pieces-logged  the same, with one number of each piece copied to the host and waited for
// One repetition is all `count` operations.
//
// Work: 2 n flops and each operand's bytes once; none for empty operations.
#include <algorithm>
#include <array>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 7> dispatch_modes{
    "empty", "queued", "wait-each", "sequence", "whole", "pieces", "pieces-logged"};
constexpr std::size_t step_count = 1000;

bool computes(std::string_view mode) {
  return mode == "whole" || mode.starts_with("pieces");
}

class EmptyDispatch final : public PreparedCase {
 public:
  EmptyDispatch(const Key& key, Session& session)
      : setup_(device_of(session, key.device), session.making), clock_(setup_.queue()) {
    launches_ =
        key.mode == "sequence" ? 1 : static_cast<double>(std::max<std::size_t>(key.count, 1));
    routine_.queues = {&setup_.queue()};
    routine_.tasks.assign(std::max<std::size_t>(key.count, 1), &setup_.prepare(Nothing{}));
    if (key.mode == "wait-each") routine_.wait_every = 1;
    if (key.mode == "sequence") routine_.tasks = {&setup_.sequence(routine_.tasks)};
  }

  Work work() const override { return {0, 0, launches_}; }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  // There is no result; that it runs is all that can be checked.
  Verification verify() override {
    run_once(routine_);
    return verify_last();
  }
  Verification verify_last() override { return {true, "no-result", 0, 1, ""}; }

 private:
  DeviceSetup setup_;
  DeviceClock clock_;
  Routine routine_;
  double launches_ = 1;
};

class Pieces final : public AuditedCase {
 public:
  Pieces(const Key& key, Session& session)
      : key_(key),
        setup_(device_of(session, key.device), session.making),
        clock_(setup_.queue()),
        out_(setup_.allocate(bytes())) {
    for (std::size_t i = 0; i < 3; ++i)
      inputs_.emplace_back(setup_.allocate(bytes()), random_bits(session.seed, 70 + i), key.type);
    const std::size_t count = std::max<std::size_t>(key.count, 1), n = key.n / count;
    const bool is_logged = key.mode == "pieces-logged";
    if (is_logged) log_ = setup_.allocate(count * bytes_of(key.type), Memory::pageable);

    routine_ = {{}, {&setup_.queue()}, is_logged ? std::size_t{2} : 0};
    for (std::size_t i = 0; i < count; ++i) {
      const auto piece = [&](const Slice& whole) {
        const std::size_t piece_bytes = n * bytes_of(key.type);
        return Slice{whole.buffer, i * piece_bytes, piece_bytes};
      };
      const Slice out = piece(out_);
      routine_.tasks.push_back(
          &setup_.prepare(MultiplyAdd{key.type, n, piece(inputs_[0].where()),
                                      piece(inputs_[1].where()), piece(inputs_[2].where()), out}));
      if (!is_logged) continue;
      const std::size_t number = bytes_of(key.type);
      routine_.tasks.push_back(&setup_.prepare(
          Copy{{log_.buffer, i * number, number}, {out.buffer, out.offset, number}}));
    }
  }

  Work work() const override {
    Work work;
    work.flops = 2 * static_cast<double>(key_.n);
    work.copied.d2h = static_cast<double>(log_.bytes);
    if (log_.bytes > 0) work.copied.waits = static_cast<double>(key_.count);
    work.bytes_read = 3 * static_cast<double>(bytes());
    work.bytes = work.bytes_read + static_cast<double>(bytes()) + work.copied.d2h;
    return work;
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    for (const RandomInput& input : inputs_) input.place(setup_);
    poison_results();
    run_once(routine_);
    Verification found = verify_last();
    poison_results();
    return found;
  }

  Verification verify_last() override {
    std::vector<std::byte> first_of_each;
    const std::size_t number = bytes_of(key_.type);
    const std::size_t piece_bytes = bytes() / std::max<std::size_t>(key_.count, 1);
    Verification found = check_in_pieces(
        inputs_, out_, setup_,
        [&](std::span<const std::vector<std::byte>> inputs, std::span<const std::byte> out,
            std::size_t first) {
          for (std::size_t at = (piece_bytes - first % piece_bytes) % piece_bytes; at < out.size();
               at += piece_bytes)
            first_of_each.insert(first_of_each.end(), &out[at], &out[at] + number);
          return check_multiply_add(key_.type, inputs[0], inputs[1], inputs[2], out);
        });
    if (log_.bytes == 0) return found;
    return both(std::move(found), check_copy(first_of_each, setup_.download(log_)));
  }

 private:
  std::size_t bytes() const { return key_.n * bytes_of(key_.type); }

  std::vector<Result> results() override {
    if (log_.bytes == 0) return {{&setup_, out_}};
    return {{&setup_, out_}, {&setup_, log_}};
  }
  void renew_inputs() override {
    for (RandomInput& input : inputs_) input.renew(setup_);
  }

  Key key_;
  DeviceSetup setup_;
  DeviceClock clock_;
  std::vector<RandomInput> inputs_;
  Slice out_, log_;
  Routine routine_;
};

class DispatchCase final : public Case {
 public:
  std::string_view name() const override { return "dispatch"; }
  std::string_view question() const override {
    return "What does asking cost, and are many small operations worse than a big one?";
  }
  std::span<const std::string_view> modes() const override { return dispatch_modes; }

  // A size is how many numbers there are to compute; it says nothing to empty operations.
  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      if (computes(mode)) key.n = shape.n;
      if (mode != "empty" && mode != "whole") key.count = step_count;
      std::vector<Key> keys;
      for (const Key& counted : with_counts(key, selection))
        if (!computes(mode) || counted.n % std::max<std::size_t>(counted.count, 1) == 0)
          keys.push_back(counted);
      return keys;
    };
    const std::vector<std::string_view> every(dispatch_modes.begin(), dispatch_modes.end());
    std::vector<Sweep> preset{{every, {f32}, squares({1'000'000})}};
    if (selection.preset == Preset::quick)
      preset = {{{"empty", "queued", "wait-each", "sequence", "whole", "pieces"},
                 {f32},
                 squares({1'000'000})}};
    if (selection.preset == Preset::full)
      preset = {{every, {f32}, squares({10'000, 100'000, 1'000'000, 10'000'000})}};
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override { return 5 * key.n * bytes_of(key.type); }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    if (computes(key.mode)) return std::make_unique<Pieces>(key, session);
    return std::make_unique<EmptyDispatch>(key, session);
  }

  std::string_view course_question(const Key&) const override { return "Q13"; }
};

}  // namespace

const Case& dispatch_case() {
  static const DispatchCase instance;
  return instance;
}

}  // namespace breakeven
