// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/schema.hpp"

#include <charconv>
#include <cmath>

#include "reports/schema/formula.hpp"

namespace breakeven {
namespace {

using enum ColumnKind;
constexpr bool key = true;
constexpr bool no_key = false;

constexpr std::array<ColumnInfo, column_count> table{{
    {Column::schema_version, "schema_version", integer, no_key, "version of these columns: 2"},
    {Column::run_id, "run_id", text, no_key, "names the run; the same in all its rows"},
    {Column::round, "round", integer, no_key,
     "counted from 1: a round is one fresh process per backend"},
    {Column::utc, "utc", text, no_key, "when the row was written, ISO 8601, UTC"},
    {Column::machine, "machine", text, no_key, "host name, or what --machine said"},
    {Column::name, "name", text, no_key, "full name of the case, made from its key"},
    {Column::status, "status", text, no_key,
     "ok, wrong, failed, unsupported, unavailable, out-of-memory, over-budget, crashed, hung, "
     "abandoned or implausible; only ok has times"},
    {Column::reason, "reason", text, no_key, "why it is not ok, in one line"},

    {Column::median_ns, "median_ns", real, no_key,
     "wall clock of one repetition: the median of the medians of the visits"},
    {Column::median_low_ns, "median_low_ns", real, no_key,
     "lower end of the 95 % rank interval of median_ns over the visits of this process, widened by "
     "how much successive visits resemble one another, at most to the least and the greatest "
     "visit"},
    {Column::median_high_ns, "median_high_ns", real, no_key, "upper end of that interval"},
    {Column::min_ns, "min_ns", real, no_key, "smallest sample"},
    {Column::p25_ns, "p25_ns", real, no_key, "25th percentile of the samples"},
    {Column::p75_ns, "p75_ns", real, no_key, "75th percentile of the samples"},
    {Column::p95_ns, "p95_ns", real, no_key, "95th percentile of the samples, from 20 samples on"},
    {Column::enqueue_median_ns, "enqueue_median_ns", real, no_key,
     "time to hand one repetition over, without waiting; median as in median_ns"},
    {Column::device_median_ns, "device_median_ns", real, no_key,
     "one repetition on the device's own clock; median as in median_ns"},
    {Column::flops_per_s, "flops_per_s", real, no_key, "flops / median_ns"},
    {Column::bytes_per_s, "bytes_per_s", real, no_key, "work_bytes / median_ns"},
    {Column::ceiling, "ceiling", real, no_key,
     "what the machine was seen to do in this run, at the time of the case where it can be, of "
     "what bounds it; in ceiling_unit"},
    {Column::ceiling_unit, "ceiling_unit", text, no_key,
     "flop/s, byte/s, or ns where the ceiling is a latency"},
    {Column::ceiling_source, "ceiling_source", text, no_key,
     "what the ceiling was measured with: `*2` two of them together, `/2` half of it, `+` one "
     "after the other, `triad_core_l3~memory` what lies between the two"},
    {Column::ceiling_share, "ceiling_share", real, no_key,
     "rate / ceiling, or ceiling / time for a latency: 1 is the ceiling"},
    {Column::base, "base", text, no_key,
     "name of the row that the ratios in details are taken to, such as one device alone"},
    {Column::details, "details", pairs, no_key, "what the mode adds: efficiency=0.93"},
    {Column::question, "question", text, no_key, "the experiment that the row answers: Q1 to Q13"},

    {Column::case_name, "case", text, key, "what is asked: matmul, transfer, norm-log, ..."},
    {Column::backend, "backend", text, key, "the plugin"},
    {Column::device, "device", text, key, "backend:index, the first one of several"},
    {Column::type, "type", text, key, "what is stored: f32, f64, f16, bf16"},
    {Column::math, "math", text, key, "how f32 products are formed: native, tf32"},
    {Column::mode, "mode", text, key, "which variant of the case; find: a probe of a search"},
    {Column::m, "m", integer, key, "rows of the result, in elements"},
    {Column::n, "n", integer, key, "columns of the result, or the only size, in elements"},
    {Column::k, "k", integer, key, "length of the sum, in elements"},
    {Column::batch, "batch", integer, key, "how many of them are one operation"},
    {Column::count, "count", integer, key, "repetitions of a step that belong to the question"},
    {Column::bytes, "bytes", integer, key, "of one transfer"},
    {Column::memory, "memory", text, key, "pageable, pinned, device: the host's side of a copy"},
    {Column::direction, "direction", text, key, "h2d, d2h, d2d, peer, both"},
    {Column::cache, "cache", text, key, "hot, or cold: flushed before each sample"},
    {Column::devices, "devices", integer, key, "used at once"},
    {Column::feeders, "feeders", integer, key, "threads that hand work over"},

    {Column::flops, "flops", real, no_key, "floating-point operations of one repetition"},
    {Column::work_bytes, "work_bytes", real, no_key,
     "bytes that one repetition has to read and write"},
    {Column::seed, "seed", integer, no_key, "of the inputs and of the order of the visits"},
    {Column::n_samples, "n_samples", integer, no_key, "samples of the wall clock"},
    {Column::n_visits, "n_visits", integer, no_key, "blocks of samples, scattered over the run"},
    {Column::batch_repetitions, "batch_repetitions", integer, no_key,
     "repetitions between two readings of the clock; a sample is their time divided by this"},
    {Column::made_by, "made_by", text, no_key,
     "who wrote what computes: library, plugin, or library+plugin"},
    {Column::routines, "routines", text, no_key, "what computes, as its backend calls it"},
    {Column::compute_threads, "compute_threads", integer, no_key, "of the host that compute"},
    {Column::exchanged_bytes, "exchanged_bytes", real, no_key,
     "between the memories that one device is made of, of each task once"},
    {Column::creation, "creation", pairs, no_key,
     "nanoseconds to load the plugin, to probe, to create its backend, and of that its stages"},
    {Column::stop_reason, "stop_reason", text, no_key,
     "why sampling ended: precision (of a search: a winner), budget, visits"},
    {Column::disturbed, "disturbed", integer, no_key,
     "visits during which the machine was busy with something else; 0 is quiet; a search does not "
     "watch"},
    {Column::disturbances, "disturbances", text, no_key, "what disturbed them"},
    {Column::verify_method, "verify_method", text, no_key, "how the result was checked"},
    {Column::verify_error, "verify_error", real, no_key,
     "largest error found, as a share of its bound"},
    {Column::verify_tolerance, "verify_tolerance", real, no_key, "largest share that passes"},
    {Column::energy_j, "energy_j", real, no_key,
     "joules of one repetition, by the device's counter in two seconds of their own"},
    {Column::readings_before, "readings_before", pairs, no_key,
     "what the device, the host and the timer said before the first visit: clocks, temperatures, "
     "counters"},
    {Column::readings_after, "readings_after", pairs, no_key, "the same after the last visit"},
    {Column::resumed, "resumed", integer, no_key,
     "0: written by the first part of the run; i: after resuming it i times"},
    {Column::line_up, "line_up", text, no_key,
     "what was measured side by side: visits of two rows with the same line_up and the same number "
     "in sweeps are a pair"},
    {Column::search, "search", text, no_key,
     "of a probe of `find`: device/mode of one side, a bar, and of the other"},
    {Column::side, "side", text, no_key, "of a probe: from or to"},
    {Column::searched_mode, "searched_mode", text, no_key,
     "of a probe: the mode that was measured"},
    {Column::faster, "faster", text, no_key,
     "of a probe: what this visit alone found: from, to, neither or undecided"},
    {Column::error_output, "stderr", text, no_key, "the end of what the worker printed"},

    {Column::labels, "labels", pairs, no_key, "what --label said"},
    {Column::device_requested, "device_requested", text, no_key,
     "what --device said; device is what was used"},
    {Column::device_name, "device_name", text, no_key, "as its maker calls it"},
    {Column::device_kind, "device_kind", text, no_key, "cpu, gpu, accelerator or node"},
    {Column::hardware, "hardware", text, no_key,
     "what the device is made of, words separated by spaces; devices with a word in common are "
     "one"},
    {Column::device_memory_bytes, "device_memory_bytes", integer, no_key, "of the device"},
    {Column::device_facts, "device_facts", pairs, no_key, "what else the device says of itself"},
    {Column::backend_version, "backend_version", text, no_key, "of the plugin"},
    {Column::backend_compiler, "backend_compiler", text, no_key, "that built the plugin"},
    {Column::backend_flags, "backend_flags", text, no_key, "CMake's flags for that compiler"},
    {Column::backend_facts, "backend_facts", pairs, no_key,
     "of the plugin: its libraries, driver, versions, variants and threads chosen"},
    {Column::cpu_model, "cpu_model", text, no_key, "as the processor calls itself"},
    {Column::cpu_sockets, "cpu_sockets", integer, no_key, "packages"},
    {Column::cpu_cores, "cpu_cores", integer, no_key, "cores that the run may use"},
    {Column::cpu_threads, "cpu_threads", integer, no_key, "hardware threads that it may use"},
    {Column::vector_extensions, "vector_extensions", text, no_key, "widest first: avx512f avx2"},
    {Column::memory_bytes, "memory_bytes", integer, no_key, "of the host"},
    {Column::governor, "governor", text, no_key, "of the processor's clock"},
    {Column::cpuset, "cpuset", text, no_key, "hardware threads that the run may use: 0-3,8"},
    {Column::cpu_quota, "cpu_quota", real, no_key,
     "processors that the control group grants; NA where there is no limit"},
    {Column::os, "os", text, no_key, "distribution and version"},
    {Column::kernel, "kernel", text, no_key, "release of the kernel"},
    {Column::machine_facts, "machine_facts", pairs, no_key,
     "what else is known: caches, NUMA nodes, microcode, container, huge pages"},
    {Column::environment, "environment", pairs, no_key,
     "variables that the worker was given or inherited and that matter: OMP_*, CUDA_*, ..."},
    {Column::compiler, "compiler", text, no_key, "that built the suite"},
    {Column::compiler_flags, "compiler_flags", text, no_key, "that built the suite"},
    {Column::build_type, "build_type", text, no_key, "Release, Debug, ..."},
    {Column::libraries, "libraries", pairs, no_key, "of the suite, and their versions"},
    {Column::suite_version, "suite_version", text, no_key, "of Breakeven"},
    {Column::suite_commit, "suite_commit", text, no_key, "that was built; +dirty if changed"},
    {Column::command, "command", text, no_key, "the command line of the run"},
    {Column::options, "options", pairs, no_key, "of the plugin, given or by default"},
    {Column::run_options, "run_options", pairs, no_key,
     "what the run was asked that changes its rows: a resumed run must be asked the same"},

    {Column::sweeps, "sweeps", text, no_key,
     "number of the sweep that each visit belonged to, in order; a space between visits of one "
     "process, a bar where the next process begins"},
    {Column::samples_ns, "samples_ns", samples, no_key,
     "every sample of the wall clock, in order; after --samples none the median of each visit"},
    {Column::enqueue_samples_ns, "enqueue_samples_ns", samples, no_key, "of handing over"},
    {Column::device_samples_ns, "device_samples_ns", samples, no_key, "of the device's clock"},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].column != static_cast<Column>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(is_in_order(), "the table and the enumeration list the columns in the same order");

// Length of the UTF-8 character at the front of `text`, 0 where it is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
  if (length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool too_long = (length == 3 && byte(0) == 0xE0 && byte(1) < 0xA0) ||
                        (length == 4 && byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = length == 3 && byte(0) == 0xED && byte(1) >= 0xA0;
  const bool too_large = length == 4 && byte(0) == 0xF4 && byte(1) >= 0x90;
  return too_long || surrogate || too_large ? 0 : length;
}

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

}  // namespace

const std::array<ColumnInfo, column_count>& columns() {
  return table;
}

std::optional<Column> column_named(std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) {
      return entry.column;
    }
  }
  return std::nullopt;
}

std::optional<Status> status_named(std::string_view name) {
  for (std::size_t i = 0; i < status_names.size(); ++i) {
    if (status_names[i] == name) {
      return static_cast<Status>(i);
    }
  }
  return std::nullopt;
}

Row::Row() {
  fields_.fill(std::string(unknown));
  set(Column::schema_version, current_schema);
}

void Row::set(Column column, std::string_view text) {
  fields_[static_cast<std::size_t>(column)] = text.empty() ? std::string(unknown) : printable(text);
}

void Row::set(Column column, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  set(column, std::isfinite(value)
                  ? std::string_view(digits, static_cast<std::size_t>(end - digits))
                  : unknown);
}

std::optional<double> Row::real(Column column) const {
  const auto value = parse<double>(text(column));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> Row::integer(Column column) const {
  return parse<std::int64_t>(text(column));
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if ((length == 1 && (static_cast<unsigned char>(text[0]) < ' ' || text[0] == 127)) ||
               (length == 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0)) {
      result += ' ';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

void append_csv_field(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    line += c;
    if (c == '"') {
      line += '"';
    }
  }
  line += '"';
}

std::string header_line() {
  std::string line;
  for (const auto& entry : table) {
    line += line.empty() ? "" : ",";
    line += entry.name;
  }
  return line + '\n';
}

std::string csv_line(const Row& row) {
  std::string line;
  for (const auto& entry : table) {
    line += line.empty() ? "" : ",";
    const auto& value = row.text(entry.column);
    const bool is_words = entry.kind == text || entry.kind == pairs;
    append_csv_field(line, is_words ? without_formula(value) : value);
  }
  return line + '\n';
}

}  // namespace breakeven
