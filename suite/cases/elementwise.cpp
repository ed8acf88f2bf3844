// SPDX-License-Identifier: Apache-2.0
// The question: how fast are operations that only move numbers past an arithmetic unit?
//
// Inside the clock: one pass over n elements on the device, handed over and waited for. Outside:
// memory, preparation and the random numbers.
//   multiply-add   out = a b + c
//   tanh           out = tanh(a)
//   tanh-gradient  out = b (1 - a a)
//   norm           out = sqrt(sum of a a), one number
//
// Work: 2 n flops, none counted for tanh (its polynomial is the backend's), 3 n, 2 n; each
// operand's bytes once. Streaming bandwidth as in McCalpin's STREAM, without counting reads for
// ownership.
#include <array>

#include <fmt/format.h>

#include "suite/cases/routine.hpp"
#include "suite/cases/selection.hpp"
#include "suite/cases/workbench.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 4> all_modes{"multiply-add", "tanh", "tanh-gradient",
                                                    "norm"};

// 100×1000×1000, a thousand times, and what is left of it on a small machine.
constexpr std::size_t original = 100'000'000, scaled = 10'000'000;

std::size_t inputs_of(const Key& key) {
  return key.mode == "multiply-add" ? 3 : key.mode == "tanh-gradient" ? 2 : 1;
}

double flops_of(const Key& key) {
  const auto n = static_cast<double>(key.n);
  return key.mode == "tanh" ? 0 : key.mode == "tanh-gradient" ? 3 * n : 2 * n;
}

class Elementwise final : public Workload {
 public:
  Elementwise(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        bench_(device_of(session, key.device)),
        clock_(bench_.queue()) {
    const std::size_t granule = bytes_of(key.type);
    for (std::size_t i = 0; i < inputs_of(key); ++i)
      inputs_.push_back(bench_.allocate(bytes(), Memory::device, granule));
    const std::size_t out_granule = is_norm() ? bytes_of(norm_type(key.type)) : granule;
    out_ = bench_.allocate(is_norm() ? out_granule : bytes(), Memory::device, out_granule);
    routine_ = {{&bench_.prepare(operation())}, {&bench_.queue()}, 0};
  }

  Work work() const override {
    const auto read = static_cast<double>(bytes() * inputs_.size());
    return {flops_of(key_), read + static_cast<double>(out_.bytes), 1, read};
  }

  void before_visit() override { bench_.poison_end(out_); }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    for (std::size_t i = 0; i < inputs_.size(); ++i) bench_.upload(input(i), inputs_[i]);
    bench_.poison(out_);
    run_once(routine_);
    Verification found = verify_last();
    bench_.poison(out_);
    return found;
  }

  Verification verify_last() override {
    const std::vector<std::byte> out = bench_.download(out_);
    if (key_.mode == "tanh") return check_tanh(key_.type, input(0), out);
    if (key_.mode == "tanh-gradient")
      return check_tanh_gradient(key_.type, input(0), input(1), out);
    if (is_norm()) return check_norm(key_.type, key_.n, input(0), out);
    return check_multiply_add(key_.type, input(0), input(1), input(2), out);
  }

  std::vector<std::pair<std::string, std::string>> details() const override {
    if (key_.n != scaled || key_.mode != "multiply-add") return {};
    return {{"scaled", fmt::format("{}_of_{}_elements,one_pass_of_1000", scaled, original)}};
  }

 private:
  bool is_norm() const { return key_.mode == "norm"; }

  std::size_t bytes() const { return key_.n * bytes_of(key_.type); }

  Operation operation() const {
    if (is_norm()) return Norm{key_.type, key_.n, 1, inputs_[0], out_};
    if (key_.mode == "tanh") return Tanh{key_.type, key_.n, inputs_[0], out_};
    if (key_.mode == "tanh-gradient")
      return TanhGradient{key_.type, key_.n, inputs_[0], inputs_[1], out_};
    return MultiplyAdd{key_.type, key_.n, inputs_[0], inputs_[1], inputs_[2], out_};
  }

  std::vector<std::byte> input(std::size_t i) const {
    std::vector<std::byte> data(bytes());
    fill(key_.type, Values::signed_unit, random_bits(seed_, 50 + i), data);
    return data;
  }

  Key key_;
  std::uint64_t seed_;
  Workbench bench_;
  DeviceClock clock_;
  std::vector<Slice> inputs_;
  Slice out_;
  Routine routine_;
};

class ElementwiseCase final : public Case {
 public:
  std::string_view name() const override { return "elementwise"; }
  std::string_view question() const override {
    return "How fast are operations that do little with each number?";
  }
  std::span<const std::string_view> modes() const override { return all_modes; }

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
    return key.n * bytes_of(key.type) * (2 * inputs_of(key) + 3);
  }

  std::unique_ptr<Workload> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Elementwise>(key, session);
  }

  std::string_view course_question(const Key& key) const override {
    return key.mode == "multiply-add" ? "Q7" : "";
  }

 private:
  static std::vector<Sweep> preset(Preset which) {
    const std::vector<std::string_view> every(all_modes.begin(), all_modes.end());
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
