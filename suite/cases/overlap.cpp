// SPDX-License-Identifier: Apache-2.0
// The question: does copying results back cost time while the device computes?
//
// `count` products of n×n, each result copied to the host. Inside the clock: handing over and
// waiting for all. Outside: memory, preparation. `memory` is where the host's results lie.
//   compute     the products alone
//   copy        the copies alone
//   in-order    product, copy, product, copy … on one queue
//   overlapped  products on one queue, copies on another; the device has two results, and events
//               keep a copy behind its product and a product behind the copy of what it overwrites
//
// `overlap` of the overlapped mode is the share of the possible: (in-order - overlapped) /
// (in-order - max(compute, copy)), of the medians of interleaved turns, one before each visit. It
// is negative where overlapping costs time. `NA`, with the reason in `overlap_unknown`, where
//   nothing-to-gain  the shorter part is under 2 % of in-order, or in-order takes no longer than
//                    the longer part
//   noise            the 95 % interval of what was gained is wider than half of what could be
//
// Work: 2 n^3 flops per product; bytes: each matrix once per product, each copy read and written.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "reports/statistics/order_statistics.hpp"
#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/overlap_share.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/cases/turns.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/gemm_check.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

// What is asked for, and what a CPU does of it.
constexpr std::size_t original_rows = 4000, scaled_rows = 1024;  // rows
constexpr std::size_t many = 50, few = 8;                        // products

constexpr std::array<std::string_view, 4> overlap_modes{"compute", "copy", "in-order",
                                                        "overlapped"};

class Overlap final : public AuditedCase {
 public:
  Overlap(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        setup_(device_of(session, key.device), session.making),
        copies_(setup_.add_queue()) {
    gemm_ = {.type = key.type, .m = key.n, .n = key.n, .k = key.n};
    const std::size_t row = key.n * bytes_of(key.type);
    gemm_.a = setup_.allocate(key.n * row, Memory::device, row);
    gemm_.b = setup_.allocate(key.n * row, Memory::device, row);
    reals_ = {{gemm_.a, random_bits(seed_, 20), key.type},
              {gemm_.b, random_bits(seed_, 21), key.type}};
    for (std::size_t i = 0; i < slots; ++i) {
      on_device_[i] = setup_.allocate(key.n * row, Memory::device, row);
      on_host_[i] = setup_.allocate(key.n * row, memory_named(key.memory), row);
      gemm_.c = on_device_[i];
      products_[i] = &setup_.prepare(gemm_);
      copies_in_order_[i] = &setup_.prepare(Copy{on_host_[i], on_device_[i]});
      copies_apart_[i] = &setup_.prepare(Copy{on_host_[i], on_device_[i]}, copies_);
      computed_[i] = setup_.queue().event();
      copied_[i] = copies_.event();
      if (!computed_[i] || !copied_[i]) throw Unsupported{"order between queues"};
    }
  }

  // Events and queues outlive what is queued on them.
  ~Overlap() override {
    try {
      synchronize();
    } catch (const std::exception&) {
      // The failure was thrown where the work was waited for.
    }
  }

  Work work() const override {
    const auto n = static_cast<double>(key_.n), count = static_cast<double>(key_.count);
    const double matrix = n * n * static_cast<double>(bytes_of(key_.type));
    const auto held = static_cast<double>(std::min(slots, key_.count));
    Work work;
    if (key_.mode != "copy") work = {2 * n * n * n * count, 3 * matrix * count};
    if (key_.mode != "compute") work.copied.d2h = matrix * count;
    work.bytes += work.copied.d2h;
    if (key_.mode != "copy") work.operands += 2 * matrix;
    work.operands += (key_.mode == "compute" ? 1 : 2) * matrix * held;
    return work;
  }

  void before_visit() override {
    if (key_.mode == "overlapped" && turns_.wanted()) take_turn();
    AuditedCase::before_visit();
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return run_mode(key_.mode, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }

  Verification verify() override {
    a_.assign(gemm_.a.bytes, {});
    b_.assign(gemm_.b.bytes, {});
    fill_exact(gemm_, seed_, a_, b_);
    setup_.upload(a_, gemm_.a);
    setup_.upload(b_, gemm_.b);
    Verification found = computed(check_exact);
    for (const RandomInput& input : reals_) input.place(setup_);
    a_ = reals_[0].content();
    b_ = reals_[1].content();
    found = both(std::move(found), computed(check_elementwise));
    poison_results();
    return found;
  }

  // What the timed runs left behind, before more turns are taken where there were too few visits.
  Verification verify_last() override {
    Verification found = check(check_freivalds);
    if (found.passed && key_.mode == "overlapped")
      while (turns_.wants_more()) take_turn();
    return found;
  }

  Verification verify_audited() override { return check(check_freivalds); }

  std::vector<std::pair<std::string, std::string>> details() const override {
    std::vector<std::pair<std::string, std::string>> details;
    if (key_.n == scaled_rows && key_.count == few)
      details.emplace_back("scaled", fmt::format("{}_of_{}_products,{}_of_{}_rows", few, many,
                                                 scaled_rows, original_rows));
    if (key_.mode != "overlapped" || seen_.compute.empty()) return details;
    for (const auto& [name, times] :
         {std::pair("compute_ns", &seen_.compute), std::pair("copy_ns", &seen_.copy),
          std::pair("in_order_ns", &seen_.in_order), std::pair("overlapped_ns", &seen_.overlapped)})
      details.emplace_back(name, fmt::format("{:.0f}", median(*times)));
    const OverlapShare found = overlap_share(seen_);
    details.emplace_back("overlap", found.share ? fmt::format("{:.3f}", *found.share) : "NA");
    if (!found.share) details.emplace_back("overlap_unknown", found.unknown);
    return details;
  }

 private:
  static constexpr std::size_t slots = 2;

  Sample run_mode(std::string_view mode, std::size_t repetitions, Clock& clock) {
    const std::size_t count = key_.count * repetitions;
    const std::int64_t start = clock.now();
    if (mode == "compute") {
      for (std::size_t i = 0; i < count; ++i) products_[i % slots]->enqueue();
    } else if (mode == "copy") {
      for (std::size_t i = 0; i < count; ++i) copies_apart_[i % slots]->enqueue();
    } else if (mode == "in-order") {
      for (std::size_t i = 0; i < count; ++i) {
        products_[i % slots]->enqueue();
        copies_in_order_[i % slots]->enqueue();
      }
    } else {
      enqueue_overlapped(count);
    }
    const std::int64_t handed_over = clock.now();
    synchronize();
    const std::int64_t done = clock.now();
    return {static_cast<double>(done - start), static_cast<double>(handed_over - start)};
  }

  // The first products find events of an earlier run, which has been waited for, or none.
  void enqueue_overlapped(std::size_t count) {
    Queue& compute = setup_.queue();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = i % slots;
      compute.wait(*copied_[slot]);
      products_[slot]->enqueue();
      compute.record(*computed_[slot]);
      copies_.wait(*computed_[slot]);
      copies_apart_[slot]->enqueue();
      copies_.record(*copied_[slot]);
    }
  }

  void synchronize() {
    setup_.queue().synchronize();
    copies_.synchronize();
  }

  template <typename Check>
  Verification computed(Check with) {
    for (const Slice& slice : {on_device_[0], on_device_[1], on_host_[0], on_host_[1]})
      setup_.poison(slice);
    if (key_.mode == "copy") run_mode("compute", 1, steady_clock());
    run_mode(key_.mode, 1, steady_clock());
    return check(with);
  }

  std::vector<Result> results() override {
    std::vector<Result> all;
    for (std::size_t i = 0; i < std::min(slots, key_.count); ++i) {
      if (key_.mode != "copy") all.push_back({&setup_, on_device_[i]});
      if (key_.mode != "compute") all.push_back({&setup_, on_host_[i]});
    }
    return all;
  }

  // Copies alone move what was computed before them.
  void renew_inputs() override {
    for (RandomInput& input : reals_) input.renew(setup_);
    a_ = reals_[0].content();
    b_ = reals_[1].content();
    if (key_.mode == "copy") run_mode("compute", 1, steady_clock());
  }

  // Where the last results lie that this mode made: on the host, unless it copies nothing.
  template <typename Check>
  Verification check(Check with) {
    Verification found;
    for (std::size_t i = 0; i < std::min(slots, key_.count); ++i) {
      const std::vector<std::byte> c =
          setup_.download(key_.mode == "compute" ? on_device_[i] : on_host_[i]);
      const Verification one = with(gemm_, GemmOperands{a_, b_, {}, c}, seed_);
      found = i == 0 ? one : both(std::move(found), one);
    }
    return found;
  }

  void take_turn() {
    const std::int64_t start = steady_clock().now();
    const auto run_one = [this](std::string_view mode, std::vector<double>& seen) {
      seen.push_back(run_mode(mode, 1, steady_clock()).wall);
    };
    // Something else has just run; work of many milliseconds is not moved by that.
    if (seen_.in_order.empty() || seen_.in_order.back() < 1e7)
      run_mode("overlapped", 1, steady_clock());
    run_one("compute", seen_.compute);
    run_one("copy", seen_.copy);
    run_one("in-order", seen_.in_order);
    run_one("overlapped", seen_.overlapped);
    poison_results();
    turns_.add(static_cast<double>(steady_clock().now() - start));
  }

  Key key_;
  std::uint64_t seed_;
  DeviceSetup setup_;
  Queue& copies_;
  Gemm gemm_;
  std::vector<RandomInput> reals_;  // a and b
  std::vector<std::byte> a_, b_;    // what lies there
  std::array<Slice, slots> on_device_, on_host_;
  std::array<Task*, slots> products_{}, copies_in_order_{}, copies_apart_{};
  std::array<std::unique_ptr<Event>, slots> computed_, copied_;
  OverlapTimes seen_;
  Turns turns_{6};  // fewer give no interval
};

class OverlapCase final : public Case {
 public:
  std::string_view name() const override { return "overlap"; }
  std::string_view question() const override {
    return "Does copying results back cost time while the device computes?";
  }
  std::span<const std::string_view> modes() const override { return overlap_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      key.m = key.n = key.k = shape.n;
      key.batch = 1;
      key.count = selection.kind == Kind::gpu && selection.preset != Preset::quick ? many : few;
      std::vector<Key> keys;
      for (const std::string_view memory : {"pageable", "pinned"}) {
        key.memory = memory;
        keys.push_back(key);
        if (mode == "compute") break;  // copies nothing
      }
      return keys;
    };
    return keys_of(*this, selection, types, preset(selection), make,
                   [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    return 8 * key.n * key.n * bytes_of(key.type);
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Overlap>(key, session);
  }

  std::string_view course_question(const Key&) const override { return "Q6"; }

 private:
  // A GPU gets the experiment as it was; a CPU what it can do in the same time.
  static std::vector<Sweep> preset(const Selection& selection) {
    const std::vector<std::string_view> modes(overlap_modes.begin(), overlap_modes.end());
    const bool gpu = selection.kind == Kind::gpu;
    switch (selection.preset) {
      case Preset::quick:
        return {{modes, {f32}, squares({gpu ? 1024u : 256u})}};
      case Preset::course:
        return {{modes, {f32}, squares({gpu ? original_rows : scaled_rows})}};
      case Preset::full:
        return {{modes, {f32, f64}, squares({256, scaled_rows, original_rows})}};
    }
    return {};
  }
};

}  // namespace

const Case& overlap_case() {
  static const OverlapCase instance;
  return instance;
}

}  // namespace breakeven
