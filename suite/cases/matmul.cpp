// SPDX-License-Identifier: Apache-2.0
// The question: how long does C = A B take, once and many times, with and without the copies?
//
// Inside the clock: handing over and waiting. Outside: memory, preparation, first use.
//   resident        one product of operands that lie on the device, waited for
//   amortised       `count` products handed over one after the other, waited for once
//   sequence        the same recorded once and launched as one (CUDA graph)
//   offload-once    A and B copied in, `count` products, C copied out, waited for once
//   offload-always  A and B copied in, one product, C copied out, waited for
// `memory` is where the host's copies lie. One repetition is all `count` products, each with an A
// and a C of its own (of those that are copied in, a C) as far as 128 MiB go; short products that
// are waited for take turns on up to 16 of them.
//
// Work: 2 m n k flops per product (Golub and Van Loan, Matrix Computations, section 1.1.11); bytes:
// each matrix once per product, and what is copied in and out.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/stages.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/gemm_check.hpp"
#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 5> matmul_modes{"resident", "amortised", "sequence",
                                                       "offload-once", "offload-always"};

bool is_offload(const Key& key) {
  return key.mode.starts_with("offload");
}

std::size_t products(const Key& key) {
  return std::max<std::size_t>(key.count, 1);
}

struct Sizes {
  explicit Sizes(const Key& key)
      : a(key.batch * key.m * key.k * bytes_of(key.type)),
        b(key.batch * key.k * key.n * bytes_of(key.type)),
        c(key.batch * key.m * key.n * bytes_of(key.type)) {}
  std::size_t all() const { return a + b + c; }
  std::size_t a, b, c;
};

// A spread buffer may be cut between rows, in a batch between matrices.
std::size_t granule(const Key& key, std::size_t rows, std::size_t columns) {
  return (key.batch > 1 ? rows * columns : columns) * bytes_of(key.type);
}

// Of products that are done in turn each has its own A and C, so that none is another's. Short ones
// that are waited for take turns in what the first cache holds.
std::size_t slots_of(const Key& key) {
  constexpr std::size_t cached = 24 << 10, most_in_turn = 16, affordable = std::size_t{1} << 27;
  const Sizes sizes(key);
  const std::size_t fitting = [&](std::size_t bytes) {
    return bytes / std::max<std::size_t>(sizes.a + sizes.c, 1);
  }(key.mode == "resident" ? cached : affordable);
  if (key.mode == "resident")
    return key.cache == "cold" ? 1 : std::clamp<std::size_t>(fitting, 1, most_in_turn);
  return std::min(products(key), std::max<std::size_t>(2, fitting));
}

class Matmul final : public AuditedCase {
 public:
  Matmul(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        sizes_(key),
        setup_(device_of(session, key.device), session.making),
        clock_(setup_.queue()) {
    gemm_ = {
        .type = key.type, .math = key.math, .m = key.m, .n = key.n, .k = key.k, .batch = key.batch};
    gemm_.b = setup_.allocate(sizes_.b, Memory::device, granule(key, key.k, key.n));
    std::vector<Task*> tasks;
    for (std::size_t i = 0; i < slots_of(key); ++i) {
      // What is copied in is there once.
      if (i == 0 || !is_offload(key))
        gemm_.a = setup_.allocate(sizes_.a, Memory::device, granule(key, key.m, key.k));
      gemm_.c = setup_.allocate(sizes_.c, Memory::device, granule(key, key.m, key.n));
      slots_.push_back({gemm_.a, gemm_.c});
      tasks.push_back(&setup_.prepare(gemm_));
    }
    std::vector<Task*> compute;
    for (std::size_t i = 0; i < products(key); ++i) compute.push_back(tasks[i % tasks.size()]);
    Slice from_a = gemm_.a, from_b = gemm_.b;
    const Slice& last = slots_[(products(key) - 1) % slots_.size()].c;
    if (is_offload(key)) {
      const Memory memory = memory_named(key.memory);
      from_a = setup_.allocate(sizes_.a, memory, granule(key, key.m, key.k));
      from_b = setup_.allocate(sizes_.b, memory, granule(key, key.k, key.n));
      to_c_ = setup_.allocate(sizes_.c, memory, granule(key, key.m, key.n));
      stages_.add("upload",
                  {&setup_.prepare(Copy{gemm_.a, from_a}), &setup_.prepare(Copy{gemm_.b, from_b})});
      stages_.add("compute", compute);
      stages_.add("download", {&setup_.prepare(Copy{to_c_, last})});
    } else if (key.mode == "sequence") {
      stages_.add("compute", {&setup_.sequence(compute)});
    } else {
      stages_.add("compute", key.mode == "resident" ? tasks : compute);
    }
    routine_ = stages_.all(setup_.queue());
    routine_.is_ring = key.mode == "resident";
    b_.emplace(from_b, random_bits(seed_, 21), key.type);
    for (std::size_t i = 0; i < (is_offload(key) ? 1 : slots_.size()); ++i)
      a_.emplace_back(is_offload(key) ? from_a : slots_[i].a, random_bits(slot_seed(i), 20),
                      key.type);
  }

  Work work() const override {
    const auto count = static_cast<double>(products(key_));
    const double flops = 2.0 * static_cast<double>(key_.m) * static_cast<double>(key_.n) *
                         static_cast<double>(key_.k) * static_cast<double>(key_.batch);
    const auto bytes = static_cast<double>(sizes_.all());
    const auto read = static_cast<double>(sizes_.a + sizes_.b);
    const auto operands =
        static_cast<double>(sizes_.b + a_.size() * sizes_.a + slots_.size() * sizes_.c);
    if (is_offload(key_))
      return {flops * count,
              bytes * count + bytes,
              1,
              0,
              operands + bytes,
              {.h2d = read, .d2h = static_cast<double>(sizes_.c)}};
    return {flops * count, bytes * count, 1, read * count, operands};
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  std::size_t ring() const override { return routine_.is_ring ? slots_.size() : 1; }

  Verification verify() override {
    Verification found = computed(fill_exact, check_exact);
    if (found.passed)
      found = both(std::move(found), computed(fill_precision_probe, check_precision));
    place_reals();
    if (found.passed) {
      run_once(routine_);
      found = both(std::move(found), check_timed());
    }
    poison_results();
    return found;
  }

  Verification verify_last() override {
    Verification found = check_timed();
    if (is_offload(key_)) stages_.measure_shares(setup_.queue());  // runs the work again
    return found;
  }

  Verification verify_audited() override { return check_timed(); }

  std::vector<std::pair<std::string, std::string>> details() const override {
    return stages_.shares();
  }

 private:
  struct Slot {
    Slice a, c;
  };
  using Check = Verification (*)(const Gemm&, const GemmOperands&, std::uint64_t);
  using Fill = void (*)(const Gemm&, std::uint64_t, std::span<std::byte>, std::span<std::byte>);

  static Verification check_reals(const Gemm& gemm, const GemmOperands& operands,
                                  std::uint64_t seed) {
    Verification rows = check_elementwise(gemm, operands, seed);
    return both(std::move(rows), check_freivalds(gemm, operands, seed));
  }

  std::uint64_t slot_seed(std::size_t slot) const {
    return slot == 0 ? seed_ : random_bits(seed_, 1000 + slot);
  }

  std::vector<Result> results() override {
    std::vector<Result> all;
    if (is_offload(key_)) all = {{&setup_, to_c_}, {&setup_, gemm_.a}, {&setup_, gemm_.b}};
    for (const Slot& slot : slots_) all.push_back({&setup_, slot.c});
    return all;
  }

  void renew_inputs() override {
    for (RandomInput& a : a_) a.renew(setup_);
    b_->renew(setup_);
  }

  void place_reals() {
    for (const RandomInput& a : a_) a.place(setup_);
    b_->place(setup_);
    poison_results();
  }

  // Any of the results may be looked at: the last one, and one by chance.
  template <typename InputA>
  Verification check(InputA a_of_slot, std::span<const std::byte> b, Check with) {
    const std::size_t last = (products(key_) - 1) % slots_.size();
    const auto check_one = [&](std::size_t slot, const Slice& result) {
      const auto& a = a_of_slot(is_offload(key_) ? 0 : slot);
      return with(gemm_, {a, b, {}, setup_.download(result)}, seed_);
    };
    Verification found = check_one(last, is_offload(key_) ? to_c_ : slots_[last].c);
    const std::size_t any = setup_.random() % slots_.size();
    if (any == last) return found;
    return both(std::move(found), check_one(any, slots_[any].c));
  }

  Verification check_timed() {
    return check([this](std::size_t i) { return a_[i].content(); }, b_->content(), check_reals);
  }

  // All slots have the same operands here.
  Verification computed(Fill fill_both, Check with) {
    std::vector<std::byte> a(sizes_.a), b(sizes_.b);
    fill_both(gemm_, seed_, a, b);
    for (const RandomInput& slot : a_) setup_.upload(a, slot.where());
    setup_.upload(b, b_->where());
    poison_results();
    run_once(routine_);
    const auto a_of_slot = [&a](std::size_t) { return std::span<const std::byte>(a); };
    return check(a_of_slot, b, with);
  }

  Key key_;
  std::uint64_t seed_;
  Sizes sizes_;
  DeviceSetup setup_;
  DeviceClock clock_;
  Gemm gemm_;
  std::vector<Slot> slots_;
  std::vector<RandomInput> a_;
  std::optional<RandomInput> b_;
  Slice to_c_;  // on the host, where results are copied out
  Stages stages_;
  Routine routine_;
};

// Many where one is short.
std::size_t products_in(std::string_view mode, const Shape& shape) {
  if (mode == "resident" || mode == "offload-always") return 0;
  if (mode == "offload-once") return 10;
  const double flops =
      2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k * shape.batch);
  return flops < 1e8 ? 100 : flops < 1e10 ? 10 : 2;
}

class MatmulCase final : public Case {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view question() const override {
    return "From which size on does a product pay off, with and without its copies?";
  }
  std::span<const std::string_view> modes() const override { return matmul_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64, tf32, f16, bf16};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      key.m = shape.m;
      key.n = shape.n;
      key.k = shape.k;
      key.batch = shape.batch;
      key.count = products_in(mode, shape);
      if (!mode.starts_with("offload")) return with_counts(key, selection);
      std::vector<Key> keys;
      for (const std::string_view memory : {"pageable", "pinned"}) {
        if (memory == "pinned" && selection.preset != Preset::full) continue;
        key.memory = memory;
        for (const Key& counted : with_counts(key, selection)) keys.push_back(counted);
      }
      return keys;
    };
    return keys_of(*this, selection, types, preset(selection.preset), make,
                   [](const Key& key) { return key.count == 0; });
  }

  std::size_t footprint(const Key& key) const override {
    const Sizes sizes(key);
    const std::size_t more = (slots_of(key) - 1) * (sizes.c + (is_offload(key) ? 0 : sizes.a));
    // One more set while it is verified.
    return (is_offload(key) ? 3 : 2) * sizes.all() + more;
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Matmul>(key, session);
  }

  std::string_view course_question(const Key& key) const override {
    return key.n >= 1000 ? "Q1" : "Q1b";
  }

 private:
  static std::vector<Sweep> preset(Preset which) {
    const std::vector<std::string_view> offload{"offload-once", "offload-always"};
    switch (which) {
      case Preset::quick:
        return {{{"resident"}, {f32}, squares({1, 16, 100, 256, 1024})},
                {{"resident"}, {f64}, squares({512})},
                {{"amortised", "sequence"}, {f32}, squares({16})},
                {offload, {f32}, squares({512})}};
      case Preset::course:
        return {{{"resident"}, {f32}, squares({1, 2, 4, 8, 16, 32, 64, 100, 1000, 5000})},
                {{"amortised", "sequence"}, {f32}, squares({1, 10, 100})},
                {offload, {f32}, squares({100, 1000})},
                {{"offload-always"}, {f32}, squares({5000})},
                {{"resident"}, {f64, tf32, f16, bf16}, squares({1000})}};
      case Preset::full:
        return {{{"resident"},
                 {f32, f64},
                 squares({1,   2,   4,   8,   16,   32,   48,   64,   96,   100,  128,  192,
                          256, 384, 512, 768, 1000, 1024, 1536, 2048, 3072, 4096, 6144, 8192})},
                {{"resident"}, {tf32, f16, bf16}, squares({64, 256, 1024, 2048, 4096, 8192})},
                {{"resident"},
                 {f32, f64},
                 {{4096, 4096, 64},
                  {4096, 64, 4096},
                  {1, 4096, 4096},
                  {4096, 1, 4096},
                  {100, 100, 100, 1000}}},
                {{"amortised", "sequence"}, {f32, f64}, squares({1, 4, 16, 32, 64, 100, 128, 256})},
                {offload, {f32, f64}, squares({16, 64, 100, 256, 512, 1024, 2048, 4096, 8192})}};
    }
    return {};
  }
};

}  // namespace

const Case& matmul_case() {
  static const MatmulCase instance;
  return instance;
}

}  // namespace breakeven
