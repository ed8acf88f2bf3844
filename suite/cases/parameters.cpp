// SPDX-License-Identifier: Apache-2.0
// The question: what does it cost to read or write the parameters of a small model on a device?
// Models: linear, m inputs and n outputs (3→1); a network m→k→k→n (1→20→20→400).
//
// Inside the clock: copies between pageable host memory and the device, waited for. Outside: memory
// and preparation.
//   read-each, write-each   every tensor (weights and biases: `count`) alone, a wait after each
//   read-flat, write-flat   all of them in one transfer
//   scalar-update           one number is written in place
//
// Work: the bytes that arrive.
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

constexpr std::array<std::string_view, 5> parameters_modes{"read-each", "write-each", "read-flat",
                                                           "write-flat", "scalar-update"};

// Elements of each tensor.
std::vector<std::size_t> tensors_of(std::size_t inputs, std::size_t outputs, std::size_t hidden) {
  if (hidden == 0) return {inputs * outputs, outputs};
  return {inputs * hidden, hidden, hidden * hidden, hidden, hidden * outputs, outputs};
}

std::size_t bytes_of_model(const Key& key) {
  std::size_t elements = 0;
  for (const std::size_t tensor : tensors_of(key.m, key.n, key.k)) elements += tensor;
  return elements * bytes_of(key.type);
}

class Parameters final : public AuditedCase {
 public:
  Parameters(const Key& key, Session& session)
      : key_(key), setup_(device_of(session, key.device), session.making), clock_(setup_.queue()) {
    const bool is_read = key.mode.starts_with("read");
    from_ = setup_.allocate(bytes_of_model(key), is_read ? Memory::device : Memory::pageable);
    to_ = setup_.allocate(bytes_of_model(key), is_read ? Memory::pageable : Memory::device);
    input_.emplace(from_, random_bits(session.seed, 60), fill_bytes);

    routine_.queues = {&setup_.queue()};
    if (key.mode == "scalar-update") {
      moved_ = bytes_of(key.type);
      add_copy(0, moved_);
    } else if (key.mode.ends_with("flat")) {
      moved_ = from_.bytes;
      add_copy(0, moved_);
    } else {
      routine_.wait_every = 1;
      for (const std::size_t elements : tensors_of(key.m, key.n, key.k)) {
        add_copy(moved_, elements * bytes_of(key.type));
        moved_ += elements * bytes_of(key.type);
      }
    }
  }

  Work work() const override {
    Work work;
    work.bytes = static_cast<double>(moved_);
    (key_.mode.starts_with("read") ? work.copied.d2h : work.copied.h2d) = work.bytes;
    work.copied.waits = static_cast<double>(routine_.tasks.size());
    return work;
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    input_->place(setup_);
    setup_.poison(to_);
    run_once(routine_);
    Verification found = verify_last();
    setup_.poison(to_);
    return found;
  }

  // What was to be moved has arrived, and nothing else was written.
  Verification verify_last() override {
    const std::vector<std::byte> sent = input_->content();
    std::vector<std::byte> expected(to_.bytes, std::byte{0xff});
    std::copy_n(sent.begin(), moved_, expected.begin());
    return check_copy(expected, setup_.download(to_));
  }

 private:
  void add_copy(std::size_t offset, std::size_t bytes) {
    routine_.tasks.push_back(
        &setup_.prepare(Copy{{to_.buffer, offset, bytes}, {from_.buffer, offset, bytes}}));
  }

  std::vector<Result> results() override { return {{&setup_, {to_.buffer, 0, moved_}}}; }
  void renew_inputs() override { input_->renew(setup_); }

  Key key_;
  DeviceSetup setup_;
  DeviceClock clock_;
  Slice from_, to_;
  std::optional<RandomInput> input_;
  std::size_t moved_ = 0;  // bytes of one repetition
  Routine routine_;
};

class ParametersCase final : public Case {
 public:
  std::string_view name() const override { return "parameters"; }
  std::string_view question() const override {
    return "What does reading or writing the parameters of a small model cost?";
  }
  std::span<const std::string_view> modes() const override { return parameters_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [](std::string_view mode, const Shape& shape) {
      Key key;
      key.m = shape.m;
      key.n = shape.n;
      key.k = shape.k;
      if (mode.ends_with("each")) key.count = tensors_of(key.m, key.n, key.k).size();
      return std::vector{key};
    };
    const std::vector<std::string_view> every(parameters_modes.begin(), parameters_modes.end());
    const Shape linear{3, 1, 0}, network{1, 400, 20};
    std::vector<Sweep> preset{{every, {f32}, {linear, network}}};
    if (selection.preset == Preset::quick)
      preset = {{{"read-each", "read-flat", "scalar-update"}, {f32}, {network}}};
    if (selection.preset == Preset::full)
      preset = {{every, {f32}, {linear, network, {100, 10, 1000}, {1000, 1000, 4000}}}};
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override { return 5 * bytes_of_model(key); }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Parameters>(key, session);
  }

  std::string_view course_question(const Key&) const override { return "Q2"; }
};

}  // namespace

const Case& parameters_case() {
  static const ParametersCase instance;
  return instance;
}

}  // namespace breakeven
