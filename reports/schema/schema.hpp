// SPDX-License-Identifier: Apache-2.0
// The report: one CSV, one row per case and round, every column always present. This is all that
// the suite and the readers share. A name never changes its meaning within a schema version.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace breakeven {

inline constexpr int current_schema = 2;  // 1 is read as well
inline constexpr std::string_view unknown = "NA";

// In the order of the file. Named as in the file, except `case_name` (`case`) and `error_output`
// (`stderr`), which C++ keeps for itself.
enum class Column : std::uint8_t {
  schema_version,
  run_id,
  round,
  utc,
  machine,
  name,
  status,
  reason,
  // The summary.
  median_ns,
  median_low_ns,
  median_high_ns,
  min_ns,
  p25_ns,
  p75_ns,
  p95_ns,
  enqueue_median_ns,
  device_median_ns,
  flops_per_s,
  bytes_per_s,
  ceiling,
  ceiling_unit,
  ceiling_source,
  ceiling_share,
  base,
  details,
  question,
  // The key.
  case_name,
  backend,
  device,
  type,
  math,
  mode,
  m,
  n,
  k,
  batch,
  count,
  bytes,
  memory,
  direction,
  cache,
  devices,
  feeders,
  // How it was measured.
  flops,
  work_bytes,
  seed,
  n_samples,
  n_visits,
  batch_repetitions,
  made_by,
  routines,
  compute_threads,
  exchanged_bytes,
  creation,
  stop_reason,
  disturbed,
  disturbances,
  verify_method,
  verify_error,
  verify_tolerance,
  energy_j,
  readings_before,
  readings_after,
  resumed,
  line_up,
  search,
  side,
  searched_mode,
  faster,
  error_output,
  // Where it was measured.
  labels,
  device_requested,
  device_name,
  device_kind,
  hardware,
  device_memory_bytes,
  device_facts,
  backend_version,
  backend_compiler,
  backend_flags,
  backend_facts,
  cpu_model,
  cpu_sockets,
  cpu_cores,
  cpu_threads,
  vector_extensions,
  memory_bytes,
  governor,
  cpuset,
  cpu_quota,
  os,
  kernel,
  machine_facts,
  environment,
  compiler,
  compiler_flags,
  build_type,
  libraries,
  suite_version,
  suite_commit,
  command,
  options,
  run_options,
  // Last, because they are long.
  sweeps,
  samples_ns,
  enqueue_samples_ns,
  device_samples_ns,
};

inline constexpr std::size_t column_count = static_cast<std::size_t>(Column::device_samples_ns) + 1;

// text; integer; real; samples (format_samples); pairs (format_pairs)
enum class ColumnKind : std::uint8_t { text, integer, real, samples, pairs };

struct ColumnInfo {
  Column column;
  std::string_view name;
  ColumnKind kind;
  bool is_key;  // part of what identifies a case: numbers are compared only where all are equal
  std::string_view meaning;
};

const std::array<ColumnInfo, column_count>& columns();

inline const ColumnInfo& info(Column column) {
  return columns()[static_cast<std::size_t>(column)];
}
std::optional<Column> column_named(std::string_view name);

// How a case ended.
enum class Status : std::uint8_t {
  ok,
  wrong,          // the result failed its check, or the time that of audits: no time
  failed,         // a call failed; the reason names it
  unsupported,    // the backend cannot do this
  unavailable,    // the backend or the device is not usable here
  out_of_memory,  // `out-of-memory`
  over_budget,    // `over-budget`: its time was not enough for a sample, or for a verdict on one
  crashed,        // the worker died
  hung,           // the worker was ended at the time limit
  abandoned,      // the run ended, or the backend was set aside, before its turn
  implausible,    // faster than the hardware was ever seen to be: no time
};

inline constexpr std::array<std::string_view, 11> status_names{
    "ok",          "wrong",   "failed", "unsupported", "unavailable", "out-of-memory",
    "over-budget", "crashed", "hung",   "abandoned",   "implausible"};

constexpr std::string_view name(Status status) {
  return status_names[static_cast<std::size_t>(status)];
}
std::optional<Status> status_named(std::string_view name);

// One line of a report. Starts as schema_version and `NA` everywhere else.
class Row {
 public:
  Row();

  // An empty text is `NA`. The text becomes `printable`, so that a row is always one line.
  void set(Column column, std::string_view text);
  void set(Column column, const char* text) { set(column, std::string_view(text)); }
  void set(Column column, Status status) { set(column, breakeven::name(status)); }
  // Shortest text that reads back as the same number; `NA` where not finite.
  void set(Column column, double value);
  template <std::integral Integer>
  void set(Column column, Integer value) {
    set(column, std::string_view(std::to_string(value)));
  }

  const std::string& text(Column column) const { return fields_[static_cast<std::size_t>(column)]; }
  bool is_known(Column column) const { return text(column) != unknown; }
  std::optional<double> real(Column column) const;  // none where `NA` or not a number
  std::optional<std::int64_t> integer(Column column) const;
  std::optional<Status> status() const { return status_named(text(Column::status)); }

 private:
  std::array<std::string, column_count> fields_;
};

// Both end with a line end, so that a line is one write and a torn one shows.
std::string header_line();
std::string csv_line(const Row& row);

// Control characters and line ends as spaces, what is not UTF-8 as U+FFFD: safe for a terminal.
std::string printable(std::string_view text);
bool is_utf8(std::string_view text);

// RFC 4180: quoted only where needed.
void append_csv_field(std::string& line, std::string_view text);

}  // namespace breakeven
