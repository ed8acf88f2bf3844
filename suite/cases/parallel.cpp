// SPDX-License-Identifier: Apache-2.0
// The question: do several devices give several times the throughput, and if not, why not?
//
// Inside the clock: handing over on all devices at once, from one thread (`feeders` 1) or from one
// thread per device, put where it feeds that device best, until the last device is done. Outside:
// waking the threads, memory, preparation.
//   throughput  one product per device, of operands of its own
//   many-small  `count` small products per device; one thread hands over one for each in turn
//   many-small-in-order  the same, but one thread hands over all of a device's before the next's:
//               a queue takes about a thousand, so the next device waits for the first to be done
//   strong      one product, its rows dealt out: the other devices copy their rows of A and all of
//               B from the first device, and their rows of C back
//   two-queues  two products on two queues of one device, which should gain nothing
// On every number of devices from one to eight, then on powers of two, and on all.
//
// `speed_up` is the time of all this work on the best single device, prepared and warmed the same
// way, over the time together; efficiency is speed_up / devices; interference is the time together
// over that of the slowest device alone. They are medians of interleaved turns, one before each
// visit. One device alone has nothing to be compared with, and two queues of one have no
// efficiency.
//
// Work: 2 n^3 flops per product; bytes: each matrix once per product, and for strong what is
// copied.
#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "suite/cases/device_setup.hpp"
#include "suite/cases/lanes.hpp"
#include "suite/cases/product.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/cases/turns.hpp"
#include "suite/model/case.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 5> parallel_modes{
    "throughput", "many-small", "many-small-in-order", "strong", "two-queues"};

std::size_t lanes_of(const Key& key) {
  return key.mode == "two-queues" ? 2 : key.devices;
}

// The last of the key's devices must exist; else the backend says how many it has.
void require_devices(const Key& key, Session& session) {
  device_of(session, key.device + key.devices - 1);
}

// What both kinds have in common: lanes, and what they are compared with.
class SeveralQueues : public AuditedCase {
 public:
  explicit SeveralQueues(const Key& key) : key_(key) {}

  void before_visit() final {
    if (is_compared() && turns_.wanted()) take_turn();
    AuditedCase::before_visit();
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return lanes_->run(repetitions, clock);
  }

  // What the timed runs left behind, before more turns are taken where there were too few visits.
  Verification verify_last() final {
    Verification found = check_timed();
    if (!found.passed) return found;
    if (!is_compared()) return found;
    while (turns_.wants_more()) take_turn();
    times_ = lanes_->times();
    return found;
  }

  Verification verify_audited() final { return check_timed(); }

  // Queues of different devices have no clock in common.
  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }

  std::vector<std::pair<std::string, std::string>> details() const override {
    std::vector<std::pair<std::string, std::string>> details;
    const auto add = [&](std::string_view name, std::string_view format, double value) {
      details.emplace_back(name, fmt::format(fmt::runtime(format), value));
    };
    if (times_.alone.empty()) return details;
    const double speed_up = times_.best_single() / times_.together;
    for (std::size_t i = 0; i < times_.alone.size(); ++i)
      add(fmt::format("alone_{}_ns", i), "{:.0f}", times_.alone[i]);
    add("best_single_ns", "{:.0f}", times_.best_single());
    details.emplace_back("best_single_device", std::to_string(times_.best_device()));
    add("together_ns", "{:.0f}", times_.together);
    add("together_enqueue_ns", "{:.0f}", times_.together_enqueue);
    for (std::size_t i = 0; i < times_.copies_alone.size(); ++i)
      add(fmt::format("copies_alone_{}_ns", i), "{:.0f}", times_.copies_alone[i]);
    if (!times_.copies_alone.empty()) add("copies_together_ns", "{:.0f}", times_.copies_together);
    add("speed_up", "{:.3f}", speed_up);
    if (key_.devices > 1) add("efficiency", "{:.3f}", speed_up / static_cast<double>(key_.devices));
    add("interference", "{:.3f}", times_.together / times_.slowest_alone());
    if (key_.devices == 1) return details;
    details.emplace_back("cause", cause_of(times_, key_.feeders, kind_));
    return details;
  }

  std::string base() const override {
    return times_.alone.empty() || key_.devices == 1 ? "" : name_of(base_key());
  }

 protected:
  void start(std::vector<Lane> lanes, std::vector<Lane> singles) {
    kind_ = lanes.front().device->info().kind;
    lanes_.emplace(std::move(lanes), std::move(singles), key_.feeders,
                   key_.mode == "many-small-in-order" ? Feeding::lane_by_lane : Feeding::in_turn);
  }
  void run_once_together() { lanes_->run(1, steady_clock()); }

  virtual Verification check_timed() = 0;
  // Places what the turns need and the timed runs may spoil.
  virtual void prepare_turn() {}
  Key key_;

 private:
  bool is_compared() const { return lanes_of(key_) > 1; }

  void take_turn() {
    const std::int64_t start = steady_clock().now();
    prepare_turn();
    lanes_->take_turn(steady_clock());
    poison_results();
    turns_.add(static_cast<double>(steady_clock().now() - start));
  }

  Key base_key() const {
    Key base = key_;
    base.devices = 1;
    base.feeders = 1;
    if (base.mode == "many-small-in-order") base.mode = "many-small";  // the same on one
    return base;
  }

  Kind kind_ = Kind::cpu;
  std::optional<Lanes> lanes_;
  Turns turns_{3};
  LaneTimes times_;
};

double flops_of_product(const Key& key) {
  const auto n = static_cast<double>(key.n);
  return 2 * n * n * n;
}

double matrix_bytes(const Key& key) {
  return static_cast<double>(key.n * key.n * bytes_of(key.type));
}

// The same products on every lane, each with operands of its own.
class Independent final : public SeveralQueues {
 public:
  Independent(const Key& key, Session& session) : SeveralQueues(key) {
    require_devices(key, session);
    const std::size_t count = std::max<std::size_t>(key.count, 1);
    std::vector<Lane> lanes, singles;
    for (std::size_t i = 0; i < lanes_of(key); ++i) {
      Device& device = device_of(session, key.mode == "two-queues" ? key.device : key.device + i);
      DeviceSetup& setup = setups_.emplace_back(device, session.making);
      Product& product = products_.emplace_back(setup, key.type, key.n, session.seed, i);
      Task& task = setup.prepare(product.gemm());
      lanes.push_back({&device, {std::vector<Task*>(count, &task), {&setup.queue()}, 0}});
      singles.push_back(
          {&device, {std::vector<Task*>(count * lanes_of(key), &task), {&setup.queue()}, 0}});
    }
    start(std::move(lanes), std::move(singles));
  }

  Work work() const override {
    const auto all = static_cast<double>(std::max<std::size_t>(key_.count, 1) * lanes_of(key_));
    return {flops_of_product(key_) * all, 3 * matrix_bytes(key_) * all, 1, 0,
            3 * matrix_bytes(key_) * static_cast<double>(lanes_of(key_))};
  }

  Verification verify() override {
    for (Product& product : products_) product.place_exact();
    run_once_together();
    Verification found = all_of(&Product::check_exact);
    for (Product& product : products_) product.place_reals();
    run_once_together();
    found = both(std::move(found), all_of(&Product::check_reals));
    poison_results();
    return found;
  }

 private:
  Verification check_timed() override { return all_of(&Product::check_reals); }
  std::vector<Result> results() override {
    std::vector<Result> all;
    for (std::size_t i = 0; i < products_.size(); ++i)
      all.push_back({&setups_[i], products_[i].gemm().c});
    return all;
  }
  void renew_inputs() override {
    for (Product& product : products_) product.renew();
  }

  Verification all_of(Verification (Product::*check)() const) const {
    Verification found = (products_.front().*check)();
    for (std::size_t i = 1; i < products_.size(); ++i)
      found = both(std::move(found), (products_[i].*check)());
    return found;
  }

  std::deque<DeviceSetup> setups_;
  std::deque<Product> products_;
};

// One product, its rows dealt out. Operands lie on the first device.
class Strong final : public SeveralQueues {
 public:
  Strong(const Key& key, Session& session) : SeveralQueues(key) {
    require_devices(key, session);
    std::vector<Lane> lanes, singles;
    const std::size_t row = key.n * bytes_of(key.type);
    for (std::size_t i = 0; i < key.devices; ++i) {
      Device& device = device_of(session, key.device + i);
      DeviceSetup& setup = setups_.emplace_back(device, session.making);
      const Product& own = products_.emplace_back(setup, key.type, key.n, session.seed, 0);
      singles.push_back({&device, {{&setup.prepare(own.gemm())}, {&setup.queue()}, 0}});

      const std::size_t first = key.n * i / key.devices, last = key.n * (i + 1) / key.devices;
      const auto rows = [&](const Slice& all) {
        return Slice{all.buffer, all.offset + first * row, (last - first) * row};
      };
      Gemm part = own.gemm();
      part.m = last - first;
      part.a = rows(part.a);
      part.c = rows(part.c);
      Lane lane{&device, {{}, {&setup.queue()}, 0}};
      if (part.m > 0 && i > 0) {
        const Gemm& source = products_.front().gemm();
        Task &a = setup.prepare(Copy{part.a, rows(source.a)}),
             &b = setup.prepare(Copy{part.b, source.b}),
             &c = setup.prepare(Copy{rows(source.c), part.c});
        lane.routine.tasks = {&a, &b, &setup.prepare(part), &c};
        lane.copies = {{&a, &b, &c}, {&setup.queue()}, 0};
        for (const Slice& slice : {part.a, part.b, part.c}) results_.push_back({&setup, slice});
        fill_.push_back({{&setup.prepare(Copy{own.gemm().a, source.a}), &b}, {&setup.queue()}, 0});
      } else if (part.m > 0) {
        lane.routine.tasks = {&setup.prepare(part)};
      }
      lanes.push_back(std::move(lane));
    }
    results_.push_back({&setups_.front(), products_.front().gemm().c});
    start(std::move(lanes), std::move(singles));
  }

  Work work() const override {
    const auto others = static_cast<double>(key_.devices - 1);
    const double part = 2 / static_cast<double>(key_.devices);  // rows of a and c
    return {flops_of_product(key_), matrix_bytes(key_) * (3 + 2 * others * (1 + part))};
  }

  Verification verify() override {
    products_.front().place_exact();
    poison_results();
    run_once_together();
    Verification found = products_.front().check_exact();
    products_.front().place_reals();
    poison_results();
    run_once_together();
    found = both(std::move(found), products_.front().check_reals());
    poison_results();
    return found;
  }

 private:
  Verification check_timed() override { return products_.front().check_reals(); }

  // Any device alone needs all rows.
  void prepare_turn() override {
    for (const Routine& fill : fill_) run_once(fill);
  }

  std::vector<Result> results() override { return results_; }
  void renew_inputs() override { products_.front().renew(); }

  std::deque<DeviceSetup> setups_;
  std::deque<Product> products_;
  std::vector<Routine> fill_;
  std::vector<Result> results_;  // what the other devices must be given and compute, and the whole
};

class ParallelCase final : public Case {
 public:
  std::string_view name() const override { return "parallel"; }
  std::string_view question() const override {
    return "Do several devices give several times the throughput, and if not, why not?";
  }
  std::span<const std::string_view> modes() const override { return parallel_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      key.n = key.m = key.k = shape.n;
      key.batch = 1;
      if (mode.starts_with("many-small")) key.count = products_in(selection);
      if (mode == "two-queues") return std::vector{key};
      std::vector<Key> keys;
      const auto add = [&] {
        for (Key& counted : with_counts(key, selection)) keys.push_back(std::move(counted));
      };
      for (const std::size_t devices : device_counts(selection)) {
        key.devices = devices;
        const bool in_order = mode == "many-small-in-order";
        key.feeders = 1;
        if (in_order ? devices > 1 : devices == 1 || mode == "many-small") add();
        key.feeders = devices;
        if (devices > 1 && !in_order) add();
      }
      return keys;
    };
    return keys_of(*this, selection, types, preset(selection), make,
                   [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    return 4 * lanes_of(key) * key.n * key.n * bytes_of(key.type);
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    if (key.mode == "strong") return std::make_unique<Strong>(key, session);
    return std::make_unique<Independent>(key, session);
  }

  std::string_view course_question(const Key& key) const override {
    return key.mode == "throughput" ? "Q4" : key.mode == "many-small" ? "Q5" : "";
  }

 private:
  // A backend with one device is asked for two, to say that it has one.
  static std::vector<std::size_t> device_counts(const Selection& selection) {
    std::vector<std::size_t> counts;
    const std::size_t all = std::max<std::size_t>(selection.devices, 2);
    for (std::size_t count = 1; count < all; count = count < 8 ? count + 1 : 2 * count)
      counts.push_back(count);
    counts.push_back(all);
    return counts;
  }

  static std::size_t products_in(const Selection& selection) {
    return selection.preset == Preset::quick ? 1000 : 20000;
  }

  static std::vector<Sweep> preset(const Selection& selection) {
    switch (selection.preset) {
      case Preset::quick:
        return {{{"throughput", "strong", "two-queues"}, {f32}, squares({512})},
                {{"many-small"}, {f32}, squares({100})}};
      case Preset::course:
        return {{{"throughput", "strong", "two-queues"}, {f32}, squares({1000})},
                {{"many-small", "many-small-in-order"}, {f32}, squares({100})}};
      case Preset::full:
        return {{{"throughput", "strong", "two-queues"},
                 {f32, f64},
                 squares({256, 512, 1024, 2048, 4096, 8192})},
                {{"many-small", "many-small-in-order"}, {f32, f64}, squares({32, 100, 256})}};
    }
    return {};
  }
};

}  // namespace

const Case& parallel_case() {
  static const ParallelCase instance;
  return instance;
}

}  // namespace breakeven
