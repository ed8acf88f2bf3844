// SPDX-License-Identifier: Apache-2.0
// The question: why is the Jacobian of a small network slower on a fast device, and from which
// batch size is it not? The network is 1→20→20→400 with tanh; its Jacobian has batch × 400 numbers.
// Asking for each output on its own, as frameworks do, takes batch × 400 backward passes.
//
// One backward pass for output o, of the whole batch: d3 = one column of ones (batch×400);
// d2 = (d3 W3) (1 - h2^2); d1 = (d2 W2) (1 - h1^2), both batch×20; dx = d1 W1, batch×1: five
// operations. The batched pass does all 400 outputs at once, in five operations too: d3 W3 is then
// W3's row o for every sample.
//
// Inside the clock: the pass, handed over and waited for. Outside: the forward pass, whose
// activations lie on the device, memory, preparation.
//   per-pass   one pass, waited for
//   queued     `count` passes, waited for once
//   sequence   the same recorded once and launched as one
//   batched    the whole Jacobian
// `launch_share`: the time of as many empty operations, as a share of the time of the mode.
//
// Work: 2 m n k flops per product, 3 per element of a gradient of tanh.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/small_network.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 4> mlp_jacobian_modes{"per-pass", "queued", "sequence",
                                                             "batched"};
constexpr std::size_t hidden = SmallNetwork::hidden, outputs = SmallNetwork::outputs;
constexpr std::size_t timed_output = 137;  // any: each takes the same

class MlpJacobian final : public AuditedCase {
 public:
  MlpJacobian(const Key& key, Session& session)
      : key_(key),
        rows_(key.batch * (key.mode == "batched" ? outputs : 1)),
        network_(key.type, key.batch, session.seed),
        setup_(device_of(session, key.device), session.making),
        clock_(setup_.queue()),
        w1_(numbers(hidden)),
        w2_(numbers(hidden * hidden)),
        w3_(numbers(outputs * hidden)),
        h1_(numbers(rows_ * hidden)),
        h2_(numbers(rows_ * hidden)),
        d1_(numbers(rows_ * hidden)),
        d2_(numbers(rows_ * hidden)),
        d3_(numbers(is_batched() ? rows_ : rows_ * outputs)),
        dx_(numbers(rows_)) {
    const std::vector<Task*> pass{&setup_.prepare(into_d2()), &setup_.prepare(gradient(h2_, d2_)),
                                  &setup_.prepare(product(d2_, w2_, d1_, hidden)),
                                  &setup_.prepare(gradient(h1_, d1_)),
                                  &setup_.prepare(product(d1_, w1_, dx_, 1))};
    routine_.queues = {&setup_.queue()};
    for (std::size_t i = 0; i < std::max<std::size_t>(key.count, 1); ++i)
      routine_.tasks.insert(routine_.tasks.end(), pass.begin(), pass.end());
    launches_ = routine_.tasks.size();
    if (key.mode == "sequence") routine_.tasks = {&setup_.sequence(routine_.tasks)};
  }

  Work work() const override {
    const auto rows = static_cast<double>(rows_), k = static_cast<double>(hidden);
    const auto depth = static_cast<double>(is_batched() ? 1 : outputs);
    const double pass = rows * (2 * depth * k + 2 * k * k + 2 * k + 2 * 3 * k);
    return {pass * static_cast<double>(std::max<std::size_t>(key_.count, 1)), 0};
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    place(w1_, network_.w1());
    place(w2_, network_.w2());
    place(w3_, network_.w3());
    place(h1_, repeated(network_.h1()));
    place(h2_, repeated(network_.h2()));
    if (is_batched()) return computed(0);
    Verification found{true, "finite-differences", 0, 1, ""};
    for (const std::size_t output : {std::size_t{0}, outputs - 1, timed_output})
      found = both(std::move(found), computed(output));
    return found;
  }

  Verification verify_last() override {
    Verification found = check(timed_output);
    measure_launch_share();  // runs the work again
    return found;
  }

  Verification verify_audited() override { return check(timed_output); }

  std::vector<std::pair<std::string, std::string>> details() const override {
    std::vector<std::pair<std::string, std::string>> details{
        {"passes_one_by_one", fmt::format("{}", key_.batch * outputs)}};
    if (launch_share_) details.emplace_back("launch_share", fmt::format("{:.3f}", *launch_share_));
    return details;
  }

 private:
  bool is_batched() const { return key_.mode == "batched"; }

  Slice numbers(std::size_t count) {
    return setup_.allocate(count * bytes_of(key_.type), Memory::device, bytes_of(key_.type));
  }

  void place(const Slice& slice, const std::vector<double>& values) {
    std::vector<std::byte> stored(slice.bytes);
    narrow(key_.type, values, stored);
    setup_.upload(stored, slice);
  }

  // Once for every output that is computed at the same time.
  std::vector<double> repeated(const std::vector<double>& activations) const {
    std::vector<double> all;
    while (all.size() < rows_ * hidden)
      all.insert(all.end(), activations.begin(), activations.end());
    return all;
  }

  Gemm into_d2() const {
    if (!is_batched()) {
      Gemm gemm = product(d3_, w3_, d2_, hidden);
      gemm.k = outputs;
      return gemm;
    }
    return {.type = key_.type,
            .m = key_.batch,
            .n = hidden,
            .k = 1,
            .batch = outputs,
            .a = d3_,
            .b = w3_,
            .c = d2_};
  }

  // Rows of 20 times a matrix 20×columns.
  Gemm product(const Slice& a, const Slice& b, const Slice& c, std::size_t columns) const {
    return {.type = key_.type, .m = rows_, .n = columns, .k = hidden, .a = a, .b = b, .c = c};
  }

  TanhGradient gradient(const Slice& h, const Slice& d) const {
    return {key_.type, rows_ * hidden, h, d, d};
  }

  std::vector<Result> results() override {
    return {{&setup_, d1_}, {&setup_, d2_}, {&setup_, dx_}};
  }
  // The pass is linear in what goes into it.
  void renew_inputs() override {
    into_ = rounded_to(key_.type, 1 + static_cast<double>(setup_.random() >> 11) * 0x1p-53);
    place_d3(timed_output);
  }

  void place_d3(std::size_t output) {
    std::vector<double> d3(is_batched() ? rows_ : rows_ * outputs, is_batched() ? into_ : 0);
    if (!is_batched())
      for (std::size_t i = 0; i < rows_; ++i) d3[i * outputs + output] = into_;
    place(d3_, d3);
  }

  Verification computed(std::size_t output) {
    place_d3(output);
    poison_results();
    run_once(routine_);
    Verification found = check(output);
    poison_results();
    return found;
  }

  Verification check(std::size_t output) {
    const std::vector<std::byte> dx = setup_.download(dx_);
    const double share = 128 * unit_roundoff(key_.type) + SmallNetwork::difference_error;
    Findings findings("finite-differences");
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t o = is_batched() ? row / key_.batch : output, sample = row % key_.batch;
      const double computed = element(key_.type, dx, row);
      const double expected = into_ * network_.slope(sample, o);
      if (findings.note(std::abs(computed - expected),
                        share * into_ * network_.magnitude(sample, o)))
        findings.explain(
            fmt::format("dy[{}]/dx[{}] is {}, expected {}", o, sample, computed, expected));
    }
    return std::move(findings).result();
  }

  void measure_launch_share() {
    const auto empty = setup_.queue().prepare_any(Nothing{});
    if (!empty) return;
    const Routine launches{std::vector<Task*>(launches_, empty.get()), {&setup_.queue()}, 0};
    const auto fastest = [](const Routine& routine) {
      double least = time(routine, 1, steady_clock()).wall;
      for (int i = 0; i < 9; ++i) least = std::min(least, time(routine, 1, steady_clock()).wall);
      return least;
    };
    launch_share_ = std::min(1.0, fastest(launches) / fastest(routine_));
  }

  Key key_;
  std::size_t rows_;  // samples, times 400 in the batched pass
  SmallNetwork network_;
  DeviceSetup setup_;
  DeviceClock clock_;
  Slice w1_, w2_, w3_, h1_, h2_, d1_, d2_, d3_, dx_;
  double into_ = 1;  // what every backward pass begins with
  Routine routine_;
  std::size_t launches_ = 0;
  std::optional<double> launch_share_;
};

class MlpJacobianCase final : public Case {
 public:
  std::string_view name() const override { return "mlp-jacobian"; }
  std::string_view question() const override {
    return "Why is a small network slower on a fast device, and from which batch size is it not?";
  }
  std::span<const std::string_view> modes() const override { return mlp_jacobian_modes; }

  // A size is the batch.
  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      key.batch = shape.n;
      if (mode == "queued" || mode == "sequence") key.count = 100;
      return with_counts(key, selection);
    };
    const std::vector<std::string_view> every(mlp_jacobian_modes.begin(), mlp_jacobian_modes.end());
    std::vector<Sweep> preset{{every, {f32}, squares({1, 10, 100, 1000})}};
    if (selection.preset == Preset::quick)
      preset = {{{"per-pass", "batched"}, {f32}, squares({100})}};
    if (selection.preset == Preset::full)
      preset = {{every, {f32, f64}, squares({1, 3, 10, 30, 100, 300, 1000})}};
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    const bool is_batched = key.mode == "batched";
    const std::size_t rows = key.batch * (is_batched ? outputs : 1);
    const std::size_t weights = hidden + hidden * hidden + outputs * hidden;
    const std::size_t d3 = is_batched ? rows : rows * outputs;
    const std::size_t staging = std::max({outputs * hidden, d3, rows * hidden});
    const std::size_t expected = 2 * key.batch * (outputs + hidden) * sizeof(double);
    return (weights + rows * (4 * hidden + 1) + d3 + staging) * bytes_of(key.type) + expected;
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<MlpJacobian>(key, session);
  }

  std::string_view course_question(const Key&) const override { return "Q12"; }
};

}  // namespace

const Case& mlp_jacobian_case() {
  static const MlpJacobianCase instance;
  return instance;
}

}  // namespace breakeven
