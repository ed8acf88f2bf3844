// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/reports/synthetic_report.hpp"

#include <cmath>
#include <random>

#include "reports/reader/row_rules.hpp"
#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

void describe(Row& row, const SyntheticRun& run) {
  row.set(Column::run_id, run.run_id);
  row.set(Column::utc, "2026-01-02T03:04:05Z");
  row.set(Column::machine, run.machine);
  row.set(Column::cpu_model, "Example Processor 9000 at 3.0 GHz");
  row.set(Column::cpu_sockets, 1);
  row.set(Column::cpu_cores, 2);
  row.set(Column::cpu_threads, 4);
  row.set(Column::vector_extensions, "avx512f avx2");
  row.set(Column::memory_bytes, std::int64_t{16} << 30);
  row.set(Column::cpuset, "0-3");
  row.set(Column::os, "Example Linux 12");
  row.set(Column::kernel, "6.1.0");
  row.set(Column::machine_facts, format_pairs(Pairs{{"l1_bytes", "49152"},
                                                    {"l2_bytes", "1048576"},
                                                    {"l3_bytes", "33554432"},
                                                    {"container", "none"},
                                                    {"huge_pages", "madvise"}}));
  row.set(Column::environment, format_pairs(Pairs{{"OMP_PROC_BIND", "close"}}));
  row.set(Column::compiler, "gcc 12.2.0");
  row.set(Column::compiler_flags, "-O3 -DNDEBUG");
  row.set(Column::build_type, "Release");
  row.set(Column::libraries, format_pairs(Pairs{{"google_benchmark", "1.7.1"}, {"boost", "1.74"}}));
  row.set(Column::suite_version, "0.1.0");
  row.set(Column::suite_commit, "0123456789abcdef");
  row.set(Column::command, "breakeven run --case matmul --rounds 5 --out report.csv");
  row.set(Column::seed, run.seed);
}

void set_key(Row& row, const SyntheticRun& run, std::size_t size) {
  row.set(Column::name, "matmul/" + run.backend + ":0/f32/resident/n:" + std::to_string(size));
  row.set(Column::case_name, "matmul");
  row.set(Column::backend, run.backend);
  row.set(Column::backend_version, "0.1.0");
  row.set(Column::device, run.backend + ":0");
  row.set(Column::type, "f32");
  row.set(Column::math, "native");
  row.set(Column::mode, "resident");
  for (const auto column : {Column::m, Column::n, Column::k}) {
    row.set(column, size);
  }
  row.set(Column::cache, "hot");
  row.set(Column::devices, 1);
  row.set(Column::feeders, 1);
}

// Moves the samples so that the median of their visits is `ns`.
void centre(Visits& visits, double ns) {
  std::vector<double> medians;
  for (const auto& visit : visits) {
    medians.push_back(median(visit));
  }
  const double factor = ns / median(medians);
  for (auto& visit : visits) {
    for (auto& sample : visit) {
      sample *= factor;
    }
  }
}

// The name is that of the key, and the other times move with the median, as in a real row.
void follow_change(Row& row, double old_ns) {
  row.set(Column::name,
          name_of_key([&](Column column) { return std::string_view(row.text(column)); }));
  const auto ns = row.real(Column::median_ns);
  if (!ns || *ns == old_ns) {
    return;
  }
  for (const auto column : {Column::median_low_ns, Column::median_high_ns, Column::min_ns,
                            Column::p25_ns, Column::p75_ns}) {
    if (const auto time = row.real(column)) {
      row.set(column, *time * *ns / old_ns);
    }
  }
  if (const auto flops = row.real(Column::flops)) {
    row.set(Column::flops_per_s, *flops / *ns * 1e9);
  }
  row.set(Column::samples_ns, unknown);
}

}  // namespace

std::vector<Row> synthetic_rows(const SyntheticRun& run) {
  std::mt19937_64 random(run.seed);
  std::normal_distribution<double> normal;
  std::vector<Row> rows;
  for (std::size_t round = 1; round <= run.rounds; ++round) {
    for (const auto size : run.sizes) {
      const double flops = 2 * std::pow(static_cast<double>(size), 3);
      const double ns = (run.overhead_ns + flops / run.flops_per_ns) * run.slowdown *
                        std::exp(run.noise * normal(random));
      Visits visits(10);
      for (auto& visit : visits) {
        for (std::size_t i = 0; i < run.samples_in_a_visit; ++i) {
          visit.push_back(ns * std::exp(0.002 * normal(random)));
        }
      }
      centre(visits, ns);
      Row row;
      describe(row, run);
      set_key(row, run, size);
      row.set(Column::round, round);
      row.set(Column::status, Status::ok);
      row.set(Column::median_ns, ns);
      row.set(Column::median_low_ns, ns * 0.997);
      row.set(Column::median_high_ns, ns * 1.003);
      row.set(Column::min_ns, ns * 0.99);
      row.set(Column::p25_ns, ns * 0.998);
      row.set(Column::p75_ns, ns * 1.002);
      row.set(Column::enqueue_median_ns, ns * 0.98);
      row.set(Column::flops, flops);
      row.set(Column::flops_per_s, flops / ns * 1e9);
      row.set(Column::ceiling, run.flops_per_ns * 1e9);
      row.set(Column::ceiling_unit, "flop/s");
      row.set(Column::ceiling_source, "largest product");
      row.set(Column::ceiling_share, flops / ns / run.flops_per_ns);
      row.set(Column::n_visits, 10);
      row.set(Column::n_samples, 10 * run.samples_in_a_visit);
      row.set(Column::batch_repetitions, 1);
      row.set(Column::stop_reason, "precision");
      row.set(Column::disturbed, 0);
      row.set(Column::verify_method, "exact+elementwise+freivalds");
      row.set(Column::verify_error, 0.125);
      row.set(Column::verify_tolerance, 1);
      row.set(Column::resumed, 0);
      row.set(Column::samples_ns, format_samples(visits));
      run.change(row);
      follow_change(row, ns);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string csv(const std::vector<Row>& rows) {
  auto text = header_line();
  for (const auto& row : rows) {
    text += csv_line(row);
  }
  return text;
}

}  // namespace breakeven
