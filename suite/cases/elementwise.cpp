// SPDX-License-Identifier: Apache-2.0
// The question: how fast are operations that only move numbers past an arithmetic unit?
//
// Inside the clock: one pass over n elements on the device, handed over and waited for. Outside:
// memory, preparation and the random numbers.
// The modes are the operations of suite/verify/vector_operations.cpp; those that reduce make one
// number of all elements.
//
// Work: the flops of that list, none counted for tanh (its polynomial is the backend's); each
// operand's bytes once. Streaming bandwidth as in McCalpin's STREAM, without counting reads for
// ownership.
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_operations.hpp"

namespace breakeven {

namespace {

const std::vector<std::string_view>& elementwise_modes() {
  static const std::vector<std::string_view> modes = [] {
    std::vector<std::string_view> names;
    for (const VectorOperation& operation : vector_operations()) names.push_back(operation.name);
    return names;
  }();
  return modes;
}

const VectorOperation& operation_of(const Key& key) {
  const auto all = vector_operations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const VectorOperation& operation) {
    return operation.name == key.mode;
  });
  if (found == all.end()) throw std::invalid_argument("unknown mode " + key.mode);
  return *found;
}

// 100×1000×1000, a thousand times, and what is left of it on a small machine.
constexpr std::size_t original = 100'000'000, scaled = 10'000'000;

class Elementwise final : public AuditedCase {
 public:
  Elementwise(const Key& key, Session& session)
      : key_(key),
        operation_(operation_of(key)),
        setup_(device_of(session, key.device), session.making),
        clock_(setup_.queue()) {
    const std::size_t granule = bytes_of(key.type);
    for (std::size_t i = 0; i < operation_.inputs; ++i)
      inputs_.emplace_back(setup_.allocate(bytes(), Memory::device, granule),
                           random_bits(session.seed, 50 + i), key.type);
    const std::size_t result = bytes_of(operation_.type_of_result(key.type));
    out_ = setup_.allocate(operation_.reduces ? result : bytes(), Memory::device, result);
    std::vector<Slice> slices;
    for (const RandomInput& input : inputs_) slices.push_back(input.where());
    const AnyOperation operation = operation_.make(key.type, key.n, 1, slices, out_);
    routine_ = {{&setup_.prepare(operation)}, {&setup_.queue()}, 0};
  }

  Work work() const override {
    const auto read = static_cast<double>(bytes() * inputs_.size());
    return {operation_.flops * static_cast<double>(key_.n), read + static_cast<double>(out_.bytes),
            1, read};
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
    const auto check = [&](std::span<const std::vector<std::byte>> inputs,
                           std::span<const std::byte> out) {
      return operation_.check(key_.type, inputs[0].size() / bytes_of(key_.type), inputs, out);
    };
    if (operation_.reduces) {
      const std::vector<std::vector<std::byte>> inputs{inputs_[0].content()};
      return check(inputs, setup_.download(out_));
    }
    return check_in_pieces(
        inputs_, out_, setup_,
        [&](const auto& inputs, const auto& out, std::size_t) { return check(inputs, out); });
  }

  std::vector<std::pair<std::string, std::string>> details() const override {
    if (key_.n != scaled || key_.mode != "multiply-add") return {};
    return {{"scaled", fmt::format("{}_of_{}_elements,one_pass_of_1000", scaled, original)}};
  }

 private:
  std::size_t bytes() const { return key_.n * bytes_of(key_.type); }

  std::vector<Result> results() override { return {{&setup_, out_}}; }
  void renew_inputs() override {
    for (RandomInput& input : inputs_) input.renew(setup_);
  }

  Key key_;
  const VectorOperation& operation_;
  DeviceSetup setup_;
  DeviceClock clock_;
  std::vector<RandomInput> inputs_;
  Slice out_;
  Routine routine_;
};

class ElementwiseCase final : public Case {
 public:
  std::string_view name() const override { return "elementwise"; }
  std::string_view question() const override {
    return "How fast are operations that do little with each number?";
  }
  std::span<const std::string_view> modes() const override { return elementwise_modes(); }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64, f16, bf16};
    const auto make = [](std::string_view, const Shape& shape) {
      Key key;
      key.n = shape.n;
      return std::vector{key};
    };
    return keys_of(*this, selection, types, preset(selection.preset), make,
                   [](const Key&) { return true; });
  }

  std::size_t footprint(const Key& key) const override {
    return key.n * bytes_of(key.type) * (operation_of(key).inputs + 2);
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Elementwise>(key, session);
  }

  std::string_view course_question(const Key& key) const override {
    return key.mode == "multiply-add" ? "Q7" : "";
  }

 private:
  static std::vector<Sweep> preset(Preset which) {
    const std::vector<std::string_view>& every = elementwise_modes();
    switch (which) {
      case Preset::quick:
        return {{{"multiply-add"}, {f32}, squares({1000, 4'000'000})},
                {{"tanh"}, {f32}, squares({100'000})}};
      case Preset::course:
        return {{{"multiply-add"}, {f32}, squares({scaled})}};
      case Preset::full:
        return {
            {every, {f32, f64}, squares({100, 1000, 10'000, 100'000, 1'000'000, scaled, original})},
            {every, {f16, bf16}, squares({1000, 1'000'000, original})}};
    }
    return {};
  }
};

}  // namespace

const Case& elementwise_case() {
  static const ElementwiseCase instance;
  return instance;
}

}  // namespace breakeven
