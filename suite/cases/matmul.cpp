// SPDX-License-Identifier: Apache-2.0
// The question: how long does C = A B take, once and many times, with and without the copies?
//
// Inside the clock: handing over and waiting. Outside: memory, preparation, first use.
//   resident        one product of operands that lie on the device, waited for
//   amortised       `count` products handed over one after the other, waited for once
//   sequence        the same recorded once and launched as one (CUDA graph)
//   offload-once    A and B copied in, `count` products, C copied out, waited for once
//   offload-always  A and B copied in, one product, C copied out, waited for
// `memory` is where the host's copies lie. One repetition is all `count` products.
//
// Work: 2 m n k flops per product (Golub and Van Loan, Matrix Computations, section 1.1.11); bytes:
// each matrix once per product, and what is copied in and out.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "suite/cases/routine.hpp"
#include "suite/cases/stages.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/cases/workbench.hpp"
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

class Matmul final : public Workload {
 public:
  Matmul(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        sizes_(key),
        bench_(device_of(session, key.device), session.making),
        clock_(bench_.queue()) {
    gemm_ = {
        .type = key.type, .math = key.math, .m = key.m, .n = key.n, .k = key.k, .batch = key.batch};
    gemm_.a = bench_.allocate(sizes_.a, Memory::device, granule(key, key.m, key.k));
    gemm_.b = bench_.allocate(sizes_.b, Memory::device, granule(key, key.k, key.n));
    gemm_.c = bench_.allocate(sizes_.c, Memory::device, granule(key, key.m, key.n));
    from_a_ = gemm_.a;
    from_b_ = gemm_.b;
    to_c_ = gemm_.c;

    const std::vector<Task*> compute(products(key), &bench_.prepare(gemm_));
    if (is_offload(key)) {
      const Memory memory = memory_named(key.memory);
      from_a_ = bench_.allocate(sizes_.a, memory);
      from_b_ = bench_.allocate(sizes_.b, memory);
      to_c_ = bench_.allocate(sizes_.c, memory);
      stages_.add("upload", {&bench_.prepare(Copy{gemm_.a, from_a_}),
                             &bench_.prepare(Copy{gemm_.b, from_b_})});
      stages_.add("compute", compute);
      stages_.add("download", {&bench_.prepare(Copy{to_c_, gemm_.c})});
    } else if (key.mode == "sequence") {
      stages_.add("compute", {&bench_.sequence(compute)});
    } else {
      stages_.add("compute", compute);
    }
    routine_ = stages_.all(bench_.queue());
  }

  Work work() const override {
    const auto count = static_cast<double>(products(key_));
    const double flops = 2.0 * static_cast<double>(key_.m) * static_cast<double>(key_.n) *
                         static_cast<double>(key_.k) * static_cast<double>(key_.batch);
    const auto bytes = static_cast<double>(sizes_.all());
    const auto read = static_cast<double>(sizes_.a + sizes_.b);
    if (is_offload(key_))
      return {flops * count,
              bytes * count + bytes,
              1,
              0,
              2 * bytes,
              {.h2d = read, .d2h = static_cast<double>(sizes_.c)}};
    return {flops * count, bytes * count, 1, read * count, bytes};
  }

  void before_visit() override {
    for (const Slice& slice : written()) bench_.poison_end(slice);
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    Inputs inputs(sizes_);
    fill_exact(gemm_, seed_, inputs.a, inputs.b);
    Verification found = computed(inputs, check_exact);
    if (found.passed) {
      fill_precision_probe(gemm_, seed_, inputs.a, inputs.b);
      found = both(std::move(found), computed(inputs, check_precision));
    }
    fill_reals(inputs);
    if (found.passed) found = both(std::move(found), computed(inputs, check_reals));
    place(inputs);
    return found;
  }

  Verification verify_last() override {
    Inputs inputs(sizes_);
    fill_reals(inputs);
    Verification found = check(inputs, check_reals);
    if (is_offload(key_)) stages_.measure_shares(bench_.queue());  // runs the work again
    return found;
  }

  std::vector<std::pair<std::string, std::string>> details() const override {
    return stages_.shares();
  }

 private:
  struct Inputs {
    explicit Inputs(const Sizes& sizes) : a(sizes.a), b(sizes.b) {}
    std::vector<std::byte> a, b;
  };
  using Check = Verification (*)(const Gemm&, const GemmOperands&, std::uint64_t);

  static Verification check_reals(const Gemm& gemm, const GemmOperands& operands,
                                  std::uint64_t seed) {
    Verification rows = check_elementwise(gemm, operands, seed);
    return both(std::move(rows), check_freivalds(gemm, operands, seed));
  }

  void fill_reals(Inputs& inputs) const {
    fill(key_.type, Values::signed_unit, random_bits(seed_, 20), inputs.a);
    fill(key_.type, Values::signed_unit, random_bits(seed_, 21), inputs.b);
  }

  // Puts the inputs where the routine reads them, and poison everywhere else.
  void place(const Inputs& inputs) {
    bench_.upload(inputs.a, from_a_);
    bench_.upload(inputs.b, from_b_);
    for (const Slice& slice : written()) bench_.poison(slice);
  }

  std::vector<Slice> written() const {
    if (!is_offload(key_)) return {gemm_.c};
    return {gemm_.a, gemm_.b, gemm_.c, to_c_};
  }

  Verification check(const Inputs& inputs, Check with) {
    const std::vector<std::byte> c = bench_.download(to_c_);
    return with(gemm_, {inputs.a, inputs.b, {}, c}, seed_);
  }

  Verification computed(const Inputs& inputs, Check with) {
    place(inputs);
    run_once(routine_);
    return check(inputs, with);
  }

  Key key_;
  std::uint64_t seed_;
  Sizes sizes_;
  Workbench bench_;
  DeviceClock clock_;
  Gemm gemm_;
  Slice from_a_, from_b_, to_c_;  // where inputs are put and the result is taken from
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
    const std::size_t bytes = Sizes(key).all();
    return 2 * bytes + (is_offload(key) ? bytes : 0);  // one more set while it is verified
  }

  std::unique_ptr<Workload> prepare(const Key& key, Session& session) const override {
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
