// SPDX-License-Identifier: Apache-2.0
// The question: what does reading a result back in every step cost, against keeping a log on the
// device and moving it once? `count` products of n×n matrices of U[0,1), all different, and the
// Frobenius norm of each.
//
// Inside the clock: handing over and waiting, copies of norms to pageable host memory included.
// Outside: the matrices, which lie on the device, memory, preparation, first use.
//   log-each   product, norm, copy of the norm, wait; in every step
//   log-once   product and norm into a log on the device in every step; one copy, one wait
//   batched    one batched product, one batched norm, one copy, one wait
//   sequence   the steps of log-once recorded once and launched as one
// One repetition is all `count` steps.
//
// Work: count (2 n^3 + 2 n^2) flops; bytes: each matrix once, the product twice. The expected norm
// of such a product: E |AB|^2 = n^4/16 (1 + 7/(9n)), from the first two moments of U[0,1).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/gemm_reference.hpp"
#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 4> norm_log_modes{"log-each", "log-once", "batched",
                                                         "sequence"};

struct StepSizes {
  explicit StepSizes(const Key& key)
      : matrix(key.n * key.n * bytes_of(key.type)),
        matrices(matrix * key.count),
        products(key.mode == "batched" ? matrices : matrix),
        norm(bytes_of(norm_type(key.type))),
        log(norm * key.count) {}
  std::size_t matrix, matrices, products, norm, log;
};

class NormLog final : public AuditedCase {
 public:
  NormLog(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        sizes_(key),
        setup_(device_of(session, key.device), session.making),
        clock_(setup_.queue()),
        a_(setup_.allocate(sizes_.matrices, Memory::device, sizes_.matrix)),
        b_(setup_.allocate(sizes_.matrices, Memory::device, sizes_.matrix)),
        c_(setup_.allocate(sizes_.products, Memory::device, sizes_.matrix)),
        log_(setup_.allocate(sizes_.log, Memory::device, sizes_.norm)),
        host_log_(setup_.allocate(sizes_.log, Memory::pageable)) {
    routine_.queues = {&setup_.queue()};
    std::vector<Task*>& tasks = routine_.tasks;
    if (key.mode == "batched") {
      tasks = {&product(0, key.count), &norm(0, key.count)};
    } else {
      for (std::size_t i = 0; i < key.count; ++i) {
        tasks.push_back(&product(i, 1));
        tasks.push_back(&norm(i, 1));
        if (key.mode == "log-each") tasks.push_back(&read_back(i, 1));
      }
    }
    if (key.mode == "log-each") {
      routine_.wait_every = 3;
      return;
    }
    tasks.push_back(&read_back(0, key.count));
    if (key.mode == "sequence") tasks = {&setup_.sequence(tasks)};
  }

  Work work() const override {
    const auto n = static_cast<double>(key_.n), count = static_cast<double>(key_.count);
    Work work;
    work.flops = count * (2 * n * n * n + 2 * n * n);
    work.operands = static_cast<double>(2 * sizes_.matrices + sizes_.products);
    work.copied = {.d2h = static_cast<double>(sizes_.log),
                   .waits = key_.mode == "log-each" ? count : 1};
    work.bytes =
        static_cast<double>(2 * sizes_.matrices + 2 * key_.count * sizes_.matrix + sizes_.log);
    return work;
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    a_now_.resize(sizes_.matrices);
    b_now_.resize(sizes_.matrices);
    fill(key_.type, Values::unit, random_bits(seed_, 30), a_now_);
    fill(key_.type, Values::unit, random_bits(seed_, 31), b_now_);
    setup_.upload(a_now_, a_);
    setup_.upload(b_now_, b_);
    expect();
    poison_results();
    run_once(routine_);
    Verification found = check();
    poison_results();
    return found;
  }

  Verification verify_last() override { return check(); }

 private:
  static Slice part(const Slice& whole, std::size_t first, std::size_t count, std::size_t bytes) {
    return {whole.buffer, whole.offset + first * bytes, count * bytes};
  }

  Task& product(std::size_t first, std::size_t count) {
    Gemm gemm{.type = key_.type, .m = key_.n, .n = key_.n, .k = key_.n, .batch = count};
    gemm.a = part(a_, first, count, sizes_.matrix);
    gemm.b = part(b_, first, count, sizes_.matrix);
    gemm.c = part(c_, 0, count, sizes_.matrix);
    return setup_.prepare(gemm);
  }

  Task& norm(std::size_t first, std::size_t count) {
    return setup_.prepare(Norm{key_.type, key_.n * key_.n, count, part(c_, 0, count, sizes_.matrix),
                               part(log_, first, count, sizes_.norm)});
  }

  Task& read_back(std::size_t first, std::size_t count) {
    return setup_.prepare(
        Copy{part(host_log_, first, count, sizes_.norm), part(log_, first, count, sizes_.norm)});
  }

  double sum_of_squares(std::span<const RowOfBatch> rows) const {
    const Gemm gemm{.type = key_.type, .m = key_.n, .n = key_.n, .k = key_.n, .batch = key_.count};
    double sum = 0;
    for (const double value : reference_rows(gemm, {a_now_, b_now_, {}, {}}, rows).values)
      sum += value * value;
    return sum;
  }

  // Squared norms in float64.
  void expect() {
    std::vector<RowOfBatch> rows(key_.n);
    expected_.clear();
    for (std::size_t i = 0; i < key_.count; ++i) {
      for (std::size_t row = 0; row < key_.n; ++row) rows[row] = {i, row};
      expected_.push_back(sum_of_squares(rows));
    }
  }

  // A row of every left operand: one row of each product is another.
  void renew_inputs() override {
    const std::size_t bytes = key_.n * bytes_of(key_.type);
    for (std::size_t i = 0; i < key_.count; ++i) {
      const RowOfBatch row{i, setup_.random() % key_.n};
      const std::size_t offset = i * sizes_.matrix + row.row * bytes;
      const auto data = std::span(a_now_).subspan(offset, bytes);
      const double before = sum_of_squares({&row, 1});
      fill(key_.type, Values::unit, setup_.random(), data);
      expected_[i] += sum_of_squares({&row, 1}) - before;
      setup_.write(data, {a_.buffer, a_.offset + offset, bytes});
    }
  }

  Verification check() {
    const Type type = norm_type(key_.type);
    const std::vector<std::byte> log = setup_.download(host_log_);
    const auto n = static_cast<double>(key_.n);
    const Roundoffs u = roundoffs(key_.type, key_.math);
    const double share = 8 * (std::sqrt(n + 2) + n) * u.accumulator + 2 * u.output;
    const double mean = n * n / 4 * std::sqrt(1 + 7 / (9 * n)), deviation = 0.204 * n;
    constexpr std::size_t least_for_statistics = 32;

    Findings findings("norms");
    for (std::size_t i = 0; i < key_.count; ++i) {
      const double computed = element(type, log, i), expected = std::sqrt(expected_[i]);
      if (findings.note(std::abs(computed - expected), share * expected))
        findings.explain(fmt::format("norm {} is {}, expected {}", i, computed, expected));
      if (key_.n >= least_for_statistics && findings.note(std::abs(computed - mean), 6 * deviation))
        findings.explain(fmt::format("norm {} is {}, norms of such products are {} +- {}", i,
                                     computed, mean, deviation));
    }
    return std::move(findings).result();
  }

  std::vector<Result> results() override {
    return {{&setup_, c_}, {&setup_, log_}, {&setup_, host_log_}};
  }

  Key key_;
  std::uint64_t seed_;
  StepSizes sizes_;
  DeviceSetup setup_;
  DeviceClock clock_;
  Slice a_, b_, c_, log_, host_log_;
  std::vector<std::byte> a_now_, b_now_;  // what lies there
  std::vector<double> expected_;          // squared norms
  Routine routine_;
};

// The original has 1000 steps; 128 MiB of matrices are enough.
std::size_t steps(std::size_t n, Preset preset) {
  const std::size_t fitting = (std::size_t{128} << 20) / (2 * n * n * sizeof(float));
  return std::clamp<std::size_t>(fitting, 1, preset == Preset::quick ? 100 : 1000);
}

class NormLogCase final : public Case {
 public:
  std::string_view name() const override { return "norm-log"; }
  std::string_view question() const override {
    return "What does reading back a result in every step cost, against a log on the device?";
  }
  std::span<const std::string_view> modes() const override { return norm_log_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [&](std::string_view, const Shape& shape) {
      Key key;
      key.m = key.n = key.k = shape.n;
      key.count = steps(shape.n, selection.preset);
      return with_counts(key, selection);
    };
    const std::vector<std::string_view> every(norm_log_modes.begin(), norm_log_modes.end());
    std::vector<Sweep> preset{{every, {f32}, squares({100})}};
    if (selection.preset == Preset::full)
      preset = {{every, {f32, f64}, squares({10, 30, 100, 300, 1000})}};
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    const StepSizes sizes(key);
    return 5 * sizes.matrices + sizes.products + 2 * sizes.log;
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<NormLog>(key, session);
  }

  std::string_view course_question(const Key&) const override { return "Q3"; }
};

}  // namespace

const Case& norm_log_case() {
  static const NormLogCase instance;
  return instance;
}

}  // namespace breakeven
