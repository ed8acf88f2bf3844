// SPDX-License-Identifier: Apache-2.0
// The suite's engine beside Google Benchmark and beside a plain loop, on the same calls of the
// serial plugin, in one process:
//
//   measure_against_google_benchmark time        total time to the median of n = 32 … 512 to ±1 %,
//                                                against min_time 0.5 and 9 repetitions
//   measure_against_google_benchmark agreement   the suite's median over that of a plain loop
//   measure_against_google_benchmark coverage [RUNS]
//                                                how often an interval holds the long-run median,
//                                                50 runs by default; Google Benchmark with min_time
//                                                0.05, so that it ends
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/visit_interval.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/measure/noise.hpp"
#include "suite/measure/rounds.hpp"
#include "suite/measure/sampler.hpp"
#include "suite/measure/stop_rule.hpp"
#include "suite/model/case.hpp"
#include "suite/registry/loader.hpp"

namespace {

using namespace breakeven;
using Seconds = std::chrono::duration<double>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

Key key_of(std::size_t n) {
  Key key;
  key.case_name = "matmul";
  key.mode = "resident";
  key.m = key.n = key.k = n;
  key.batch = 1;
  return key;
}

const Case& matmul() {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(),
                        [](const Case* one) { return one->name() == "matmul"; });
}

// The product that the plain loop and Google Benchmark run: nothing of the suite in between.
class Product {
 public:
  Product(Device& device, std::size_t n) : queue_(device.queue()) {
    const std::size_t bytes = n * n * sizeof(float);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> real(-1, 1);
    for (auto* buffer : {&a_, &b_, &c_}) {
      *buffer = device.allocate(bytes, Memory::device);
      std::generate_n(static_cast<float*>((*buffer)->data()), n * n, [&] { return real(random); });
    }
    Gemm gemm{.m = n, .n = n, .k = n};
    gemm.a = {a_.get(), 0, bytes};
    gemm.b = {b_.get(), 0, bytes};
    gemm.c = {c_.get(), 0, bytes};
    task_ = queue_->prepare(gemm);
  }
  void run() {
    task_->enqueue();
    queue_->synchronize();
  }

 private:
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> a_, b_, c_;
  std::unique_ptr<Task> task_;
};

// One case as a worker holds it.
struct Measured {
  Measured(Backend& backend, std::size_t size, const Timer& timer)
      : n(size), session{backend, 1}, work(matmul().prepare(key_of(size), session)) {
    if (!work->verify().passed) throw std::runtime_error("the product is wrong");
    sampler = std::make_unique<Sampler>(*work, steady_clock(), timer);
    sampler->calibrate();
  }

  void visit() {
    sampler->begin_visit();
    std::vector<double> samples(sampler->calibration().samples);
    for (double& sample : samples) sample = sampler->take().wall;
    visits.push_back(median(samples));
    for (const double sample : samples) {
      spent_ns += sample * static_cast<double>(sampler->calibration().repetitions);
    }
  }

  std::size_t n;
  Session session;
  std::unique_ptr<PreparedCase> work;
  std::unique_ptr<Sampler> sampler;
  std::vector<double> visits;
  double spent_ns = 0;
  std::optional<StopReason> reason;
};

// As the parent does it: shuffled sweeps with the noise watch after every visit.
std::vector<Measured> measure_by_suite(Backend& backend, const std::vector<std::size_t>& sizes,
                                       unsigned seed) {
  const Timer timer = measure_timer(steady_clock());
  std::vector<Measured> group;
  for (const std::size_t n : sizes) group.emplace_back(backend, n, timer);
  NoiseWatch watch(steady_clock());
  std::mt19937 random(seed);
  const StopRule rule{.budget_ns = 3e9};
  for (std::size_t sweep = 0;; ++sweep) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<Measured*> active;
    for (Measured& one : group) {
      if (!one.reason) active.push_back(&one);
    }
    if (active.empty()) return group;
    std::shuffle(active.begin(), active.end(), random);
    for (Measured* one : active) {
      one->visit();
      watch.read();
      one->reason = stop(rule, one->visits, one->spent_ns);
    }
    const Seconds shortest(shortest_sweep_ns(rule, sweep) * 1e-9);
    if (std::any_of(active.begin(), active.end(), [](Measured* one) { return !one->reason; })) {
      std::this_thread::sleep_for(shortest - Seconds(seconds_since(start)));
    }
  }
}

// Nanoseconds of every repetition, by name.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration)
        times[run.run_name.function_name].push_back(run.GetAdjustedRealTime());
    }
  }
  std::map<std::string, std::vector<double>> times;
};

std::map<std::string, std::vector<double>> measure_by_google_benchmark(
    Device& device, const std::vector<std::size_t>& sizes, double min_time) {
  std::vector<std::unique_ptr<Product>> products;
  for (const std::size_t n : sizes) {
    products.push_back(std::make_unique<Product>(device, n));
    Product& product = *products.back();
    benchmark::RegisterBenchmark(std::to_string(n).c_str(),
                                 [&product](benchmark::State& state) {
                                   for ([[maybe_unused]] auto iteration : state) product.run();
                                 })
        ->UseRealTime()
        ->MinTime(min_time)
        ->Repetitions(9);
  }
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();
  return collector.times;
}

struct MeanDeviation {
  double mean = 0, deviation = 0;
};

MeanDeviation mean_deviation(const std::vector<double>& values) {
  MeanDeviation result;
  for (const double value : values) result.mean += value / static_cast<double>(values.size());
  for (const double value : values) result.deviation += std::pow(value - result.mean, 2);
  result.deviation = std::sqrt(result.deviation / static_cast<double>(values.size() - 1));
  return result;
}

int compare_time(Backend& backend) {
  const std::vector<std::size_t> sizes{32, 64, 128, 256, 512};
  auto start = std::chrono::steady_clock::now();
  const auto suite = measure_by_suite(backend, sizes, 1);
  const double suite_seconds = seconds_since(start);
  start = std::chrono::steady_clock::now();
  auto google = measure_by_google_benchmark(*backend.devices()[0], sizes, 0.5);
  const double google_seconds = seconds_since(start);

  fmt::print("{:>5} {:>12} {:>8} {:>7} {:>10} | {:>12} {:>10} {:>11}\n", "n", "suite ns", "+-",
             "visits", "stopped by", "google ns", "deviation", "google mean");
  for (const Measured& one : suite) {
    const auto interval = visit_interval(one.visits);
    const auto& repetitions = google.at(std::to_string(one.n));
    const auto [mean, deviation] = mean_deviation(repetitions);
    fmt::print("{:>5} {:>12.1f} {:>6.2f} % {:>7} {:>10} | {:>12.1f} {:>8.2f} % {:>11.1f}\n", one.n,
               interval->median, 50 * (interval->high - interval->low) / interval->median,
               one.visits.size(), name_of(*one.reason), median(repetitions), 100 * deviation / mean,
               mean);
  }
  fmt::print(
      "total: suite {:.1f} s (verification and warm-up included), Google Benchmark {:.1f} s: "
      "{:.1f} times as long\n",
      suite_seconds, google_seconds, google_seconds / suite_seconds);
  return 0;
}

// What one would write by hand: so many products between two readings of the clock, so many times,
// and the median.
double plain_loop_ns(Product& product, std::size_t repetitions, std::size_t samples) {
  std::vector<double> times;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < repetitions; ++i) product.run();
    times.push_back(seconds_since(start) * 1e9 / static_cast<double>(repetitions));
  }
  return median(times);
}

// In turns, because the machine moves by more than what is asked.
int compare_agreement(Backend& backend) {
  constexpr int turns = 100;
  const Timer timer = measure_timer(steady_clock());
  fmt::print("{:>5} {:>12} {:>12} {:>24}\n", "n", "suite ns", "loop ns", "suite / loop");
  for (const std::size_t n : {32, 64, 128, 256, 512}) {
    Measured suite(backend, n, timer);
    Product product(*backend.devices()[0], n);
    const Calibration& plan = suite.sampler->calibration();
    // Enough products between two readings that these do not count.
    const std::size_t times = 1 + static_cast<std::size_t>(2e4 / plan.sample_ns);
    const std::size_t samples = std::max<std::size_t>(1, plan.samples / times);
    std::vector<double> loops, ratios;
    for (int turn = 0; turn < turns; ++turn) {
      suite.visit();
      plain_loop_ns(product, plan.repetitions, plan.samples / 4 + 1);
      loops.push_back(plain_loop_ns(product, times * plan.repetitions, samples));
      ratios.push_back(suite.visits.back() / loops.back());
    }
    const auto ratio = median_interval(ratios);
    fmt::print("{:>5} {:>12.1f} {:>12.1f} {:>8.4f} [{:.4f}, {:.4f}]\n", n, median(suite.visits),
               median(loops), ratio->median, ratio->low, ratio->high);
  }
  return 0;
}

int compare_coverage(Backend& backend, int runs) {
  const std::vector<std::size_t> sizes{32, 128, 512};
  struct Claim {
    double low = 0, high = 0;
  };
  std::map<std::size_t, std::vector<Claim>> suite, rounds, google;
  std::map<std::size_t, std::vector<double>> visits, repetitions, medians;
  std::map<std::size_t, std::vector<std::vector<double>>> five;
  for (int run = 0; run < runs; ++run) {
    for (const Measured& one : measure_by_suite(backend, sizes, static_cast<unsigned>(run))) {
      const auto interval = visit_interval(one.visits);
      suite[one.n].push_back({interval->low, interval->high});
      // The same number of every run, so that none weighs more.
      const std::size_t taken = std::min<std::size_t>(10, one.visits.size());
      visits[one.n].insert(visits[one.n].end(), one.visits.begin(),
                           one.visits.begin() + static_cast<std::ptrdiff_t>(taken));
      medians[one.n].push_back(interval->median);
      five[one.n].push_back(one.visits);
      if (five[one.n].size() == 5) {
        const MergedRounds merged = merge_rounds(five[one.n]);
        rounds[one.n].push_back({merged.low_ns, merged.high_ns});
        five[one.n].clear();
      }
    }
    const auto times = measure_by_google_benchmark(*backend.devices()[0], sizes, 0.05);
    for (const std::size_t n : sizes) {
      const auto [mean, deviation] = mean_deviation(times.at(std::to_string(n)));
      google[n].push_back({mean - deviation, mean + deviation});
      const auto& all = times.at(std::to_string(n));
      repetitions[n].insert(repetitions[n].end(), all.begin(), all.end());
    }
  }
  const auto covered = [&](const std::vector<Claim>& claims, double truth) {
    if (claims.empty()) return std::nan("");
    return 100.0 *
           static_cast<double>(std::count_if(
               claims.begin(), claims.end(),
               [&](const Claim& claim) { return claim.low <= truth && truth <= claim.high; })) /
           static_cast<double>(claims.size());
  };
  const auto width = [](const std::vector<Claim>& claims) {
    if (claims.empty()) return std::nan("");
    std::vector<double> widths;
    for (const Claim& claim : claims) widths.push_back(50 * (claim.high / claim.low - 1));
    return median(widths);
  };
  fmt::print(
      "{} runs; every interval against the long-run median of its own kind; five runs are "
      "merged as rounds are\n",
      runs);
  fmt::print("{:>5} {:>11} {:>9} {:>8} {:>8} | {:>9} {:>8} | {:>11} {:>9} {:>8}\n", "n", "suite ns",
             "moves by", "covered", "+-", "of five", "+-", "google ns", "covered", "+-");
  for (const std::size_t n : sizes) {
    const double truth = median(visits[n]), google_truth = median(repetitions[n]);
    const auto [mean, deviation] = mean_deviation(medians[n]);
    fmt::print(
        "{:>5} {:>11.1f} {:>7.2f} % {:>6.0f} % {:>6.2f} % | {:>7.0f} % {:>6.2f} % | "
        "{:>11.1f} {:>7.0f} % {:>6.2f} %\n",
        n, truth, 100 * deviation / mean, covered(suite[n], truth), width(suite[n]),
        covered(rounds[n], truth), width(rounds[n]), google_truth, covered(google[n], google_truth),
        width(google[n]));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  int no_arguments = 1;
  benchmark::Initialize(&no_arguments, argv);
  const auto backend = create_backend(load_plugin(SERIAL_PLUGIN), {});
  backend->devices()[0]->bind_thread();
  if (what == "time") return compare_time(*backend);
  if (what == "agreement") return compare_agreement(*backend);
  if (what == "coverage") return compare_coverage(*backend, argc > 2 ? std::atoi(argv[2]) : 50);
  fmt::print(stderr, "usage: {} time | agreement | coverage [RUNS]\n", argv[0]);
  return 2;
}
