// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "reports/break_even/finding_formats.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/schema/schema.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/find_view.hpp"
#include "suite/command_line/invocation.hpp"
#include "suite/command_line/progress.hpp"
#include "suite/command_line/search_options.hpp"
#include "suite/find/measured_pairs.hpp"
#include "suite/find/resumed_pairs.hpp"
#include "suite/find/searched_case.hpp"
#include "suite/measure/ceilings.hpp"
#include "suite/model/clock.hpp"
#include "suite/protocol/worker_process.hpp"
#include "suite/run/report_file.hpp"
#include "suite/run/resume.hpp"
#include "suite/run/text.hpp"

namespace breakeven {
namespace {

struct FindCommand {
  breakeven::Search plugins;
  SearchedCaseOptions searched;
  Invocation invocation;
  double budget = 25;  // seconds
  std::optional<std::uint64_t> seed;
  std::string out, from_report, format, export_to, export_as;
  bool resume = false, resume_anyway = false, type_said = false;
};

constexpr const char* find_examples = R"(
Examples:
  breakeven find --from serial --to blas   from which n does the second pay off?
  breakeven find --from serial --to blas --mode offload-always --range 8:4096
  breakeven find --case mlp-jacobian --mode batched --from serial --to blas
  breakeven find --case transfer --direction h2d --from serial \
      --from-memory pageable --to-memory pinned
  breakeven find --case norm-log --axis count --size 100 --range 1:1000 \
      --from serial --from-mode log-each --to-mode log-once
  breakeven find --from-report run.csv --from serial --to blas
                                           what a stored sweep says
  breakeven find --from serial --to blas --export blas.env
                                           BREAKEVEN_MATMUL_F32_N=100
  breakeven find --case mlp-jacobian --mode batched --from serial --to cublas \
      --export offload.h --export-as MIN_BATCH   a C header; FILE.json for JSON

Exit status: 0; 1 it could not be measured; 2 usage.)";

// The first number of `8:8192` and the second.
std::pair<std::size_t, std::size_t> parse_range(const std::string& text) {
  try {
    if (const std::size_t colon = text.find(':'); colon != text.npos) {
      return {parse_bytes(text.substr(0, colon)), parse_bytes(text.substr(colon + 1))};
    }
  } catch (const UsageError&) {
  }
  throw UsageError(fmt::format("--range '{}' is not LOW:HIGH, as 8:8192 or 1K:64M", text));
}

void print_finding(std::FILE* stream, const StoredSweep& sweep) {
  const auto& [finding, names] = std::tie(sweep.finding, sweep.names);
  const bool colour = shows_colour(stream);
  const Lines lines(stream);
  fmt::print(stream, "{}\n", probe_table(finding, names, colour, terminal_columns(stream)));
  Colour first = Colour::bold;
  for (const std::string& line : describe(finding, names))
    fmt::print(stream, "{}\n",
               coloured(lines.wrapped(line, 0), std::exchange(first, Colour::none), colour));
  if (const std::string why = explain(finding, names, sweep.from, sweep.to); !why.empty())
    print_line(stream, fmt::format("Why: {}.", why));
  for (const auto& [times, name] :
       {std::pair(&sweep.from, &names.from), std::pair(&sweep.to, &names.to)})
    if (const auto model = fit_time_model(*times))
      fmt::print(stream, "{}\n", lines.wrapped(describe(*model, *name, names.axis), 2));
}

// What lies between the worker and a side that is another node: latency and rate of messages, small
// and large, without handing over.
void print_networks(std::FILE* stream, const SearchedCase& searched, Workers& workers) {
  std::set<std::string> told;
  for (const Side& side : {searched.from, searched.to}) {
    const std::size_t device = side.key.device;
    if (side.plugin->devices.at(device).kind != Kind::node ||
        !told.insert(device_name(side.key)).second)
      continue;
    const auto reply =
        workers.running(side.plugin).ask(MeasureCeilings{device, {"network"}, 0}, Seconds(60));
    const auto value = [&](std::string_view name) {
      const Ceiling* const ceiling = find(reply.value.ceilings, name);
      return ceiling ? *ceiling : Ceiling();
    };
    const Ceiling eager = value("network_eager"), rendezvous = value("network_rendezvous");
    if (!reply.ok() || eager.value == 0) continue;
    const std::string text =
        fmt::format("the network to {}: {} and {} up to {}, {} and {} above", device_name(side.key),
                    time_text(value("network_eager_latency").value), rate_text(eager.value, "B/s"),
                    bytes_text(eager.bytes), time_text(value("network_rendezvous_latency").value),
                    rate_text(rendezvous.value, "B/s"));
    fmt::print(stream, "{}\n", Lines(stream).wrapped(text, 2));
  }
}

// What the search measured, with the work that its rows tell.
class Observations {
 public:
  Observations(const SearchedCase& searched, Column axis) : searched_(searched), axis_(axis) {}

  void keep(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      keep(row);
    }
  }
  void keep(const Report& report) {
    for (std::size_t i = 0; i < report.size(); ++i) {
      keep(report.row(i));
    }
  }

  std::vector<Observation> of(const Finding& finding, double Probe::*nanoseconds) const {
    std::vector<Observation> observations;
    for (const Probe& probe : finding.probes) {
      const auto known = work_.find(probe.size);
      if (probe.*nanoseconds > 0 && known != work_.end()) {
        observations.push_back(
            {probe.size, probe.*nanoseconds, known->second.bytes, known->second.flops});
      }
    }
    return observations;
  }

 private:
  template <typename AnyRow>
  void keep(const AnyRow& row) {
    const auto size = row.integer(axis_);
    if (size && row.text(Column::case_name) == searched_.definition->name()) {
      work_[static_cast<std::size_t>(*size)] = {row.real(Column::flops).value_or(0),
                                                row.real(Column::work_bytes).value_or(0)};
    }
  }

  const SearchedCase& searched_;
  const Column axis_;
  std::map<std::size_t, Work> work_;
};

FindingFormat format_of(const FindCommand& options) {
  const auto ends = [&](const char* text) { return options.export_to.ends_with(text); };
  if (options.format == "json" || (options.format.empty() && ends(".json"))) {
    return FindingFormat::json;
  }
  if (options.format == "header" || (options.format.empty() && (ends(".h") || ends(".hpp")))) {
    return FindingFormat::header;
  }
  return FindingFormat::env;
}

// Whether standard output is for a program.
bool exports_to_output(const FindCommand& options) {
  return options.export_to == "-" || (options.export_to.empty() && !options.format.empty());
}

void export_findings(const FindCommand& options, std::span<const StoredSweep> sweeps) {
  if (options.export_to.empty() && options.format.empty()) {
    return;
  }
  const std::string text = findings_text(format_of(options), sweeps, options.export_as);
  if (sweeps.size() == 1 && !pays_off_from(sweeps[0].finding)) {
    print_line(
        stderr,
        fmt::format("nothing to set: there is no size from which on {} is known to be faster",
                    sweeps[0].names.to));
  }
  if (exports_to_output(options)) {
    std::cout << text;
    return flush_standard_output();
  }
  write_whole_file(options.export_to, text);
}

// What cannot be exported is told before anything is measured.
void require_exportable(const FindCommand& options) {
  const bool wanted = !options.export_to.empty() || !options.format.empty();
  if (!options.export_as.empty()) {
    if (!wanted) {
      throw UsageError("--export-as needs --export FILE or --format");
    }
    require_setting_name(options.export_as);
  }
  if (exports_to_output(options) && options.out == "-") {
    throw UsageError("--out - and --export - both want standard output; give one of them a file");
  }
  if (!options.export_to.empty() && !exports_to_output(options)) {
    require_not_an_input(options.export_to, std::array{options.out, options.from_report});
  }
}

int find_in_report(const FindCommand& options) {
  SweepQuery query;
  query.case_name = options.searched.case_name;
  const SideOptions &from = options.searched.from, &to = options.searched.to;
  query.from = {from.device, from.mode, from.memory};
  query.to = {to.device, to.mode, to.memory};
  query.axis = options.searched.axis;
  const std::string over = query.axis.empty() ? "" : fmt::format(" over {}", query.axis);
  query.type = options.type_said ? stored_name(options.searched.type.type) : "";
  const Report report = std::move(read_all({options.from_report}).front());
  const std::vector<StoredSweep> sweeps = stored_sweeps(report, query);
  if (sweeps.empty()) {
    throw Unusable(
        fmt::format("{} holds no two sides of {}{} that share two sizes and match --from and --to",
                    options.from_report, query.case_name, over));
  }
  std::FILE* const talk = exports_to_output(options) ? stderr : stdout;
  for (const StoredSweep& sweep : sweeps) {
    print_line(talk,
               fmt::format("{} {}{}: {} against {}{}{}{}", sweep.case_name, sweep.type,
                           sweep.mode == sweep.to_mode ? fmt::format(" {}", sweep.mode) : "",
                           sweep.names.from, sweep.names.to,
                           report.machines().size() > 1 ? fmt::format(" on {}", sweep.machine) : "",
                           sweep.is_search ? ", searched" : "",
                           sweep.common.empty() ? "" : fmt::format(" ({})", sweep.common)));
    print_finding(talk, sweep);
    fmt::print(talk, "\n");
  }
  export_findings(options, sweeps);
  return 0;
}

// How many rows of each name the report holds.
std::map<std::string, unsigned> count_rounds(const EarlierPart& earlier) {
  std::map<std::string, unsigned> rounds;
  for (const auto& [name, round] : earlier.complete) {
    rounds[name] = std::max(rounds[name], round);
  }
  return rounds;
}

int find_live(FindCommand& options) {
  Row context = row_context(options.invocation);
  const Registry registry = Registry::find(options.plugins);
  registry.require_known(options.plugins.settings);
  const SearchedCase searched = make_searched_case(options.searched, registry);
  const std::array sides{searched.from.plugin->name, searched.to.plugin->name};
  require_used(options.plugins.settings, sides, "is neither side; leave it out");
  const Column axis = column_named(searched.axis).value();

  if ((options.resume || options.resume_anyway) && (options.out.empty() || options.out == "-")) {
    throw UsageError("--resume needs --out with the name of the report to continue");
  }
  if (options.out.empty()) {
    options.out = fmt::format("breakeven-find-{}-{}.csv", context.text(Column::machine),
                              utc_now("%Y%m%d-%H%M%S"));
  }
  const bool resume = options.resume || options.resume_anyway;
  ReportFile file(options.out, resume ? ReportFile::Open::resume : ReportFile::Open::create);
  EarlierPart earlier;
  RecordedVisits recorded;
  Observations observations(searched, axis);
  if (resume) {
    earlier = read_earlier_part(options.out, context, options.resume_anyway);
    const Report report = Report::read(options.out);
    recorded = recorded_visits(report, options.searched.case_name, searched.type(),
                               search_name(searched), axis);
    observations.keep(report);
  }
  const bool is_first = earlier.complete.empty();
  const std::uint64_t seed =
      options.seed.value_or(is_first ? std::random_device{}() : earlier.seed);
  context.set(Column::run_id, is_first ? fresh_run_id() : earlier.run_id);
  context.set(Column::seed, seed);
  context.set(Column::resumed, is_first ? 0 : earlier.resumed + 1);

  const Names names{searched.name(searched.from), searched.name(searched.to), searched.axis};
  std::FILE* const talk = options.out == "-" || exports_to_output(options) ? stderr : stdout;
  warn_where_busy(stderr);
  print_line(talk, searched.title() + '\n');
  std::fflush(talk);

  LineUpRules rules;
  rules.seed = seed;
  // A size is decided by eight pairs of blocks and more, in a quarter of what is left.
  rules.sample_limit_ns = options.budget / 64 * 1e9;
  rules.time_limit = Seconds(60 + 4 * options.budget);
  SearchSettings settings;
  settings.budget = options.budget;
  Interrupt interrupt;
  Workers workers(worker_processes(options.plugins.settings, interrupt));
  MeasuredPairs live(searched, workers, interrupt, rules, context, count_rounds(earlier),
                     [&](const std::vector<Row>& rows) {
                       file.append(rows);
                       observations.keep(rows);
                     });
  ResumedPairs source(live, std::move(recorded));
  Finding finding;
  try {
    FindView view(stderr, names, searched.sizes);
    finding = search(source, searched.sizes, settings,
                     [&](const Finding& so_far, const Probe& current, bool over) {
                       view.look(so_far, current, over, source.spent());
                     });
  } catch (const Interrupted& interrupted) {
    print_line(stderr,
               fmt::format("{}; continue with --resume --out {}", interrupted.what(), file.path()));
    throw;
  }
  StoredSweep found;
  found.names = names;
  found.machine = context.text(Column::machine);
  found.case_name = options.searched.case_name;
  found.type = searched.type();
  found.mode = searched.from.key.mode, found.to_mode = searched.to.key.mode;
  found.is_search = true;
  found.finding = std::move(finding);
  found.from = observations.of(found.finding, &Probe::from_ns);
  found.to = observations.of(found.finding, &Probe::to_ns);
  print_finding(talk, found);
  try {
    print_networks(talk, searched, workers);
  } catch (const WorkerEnded&) {  // what was found stands without
  } catch (const Workers::NotUsable&) {
  }
  fmt::print(talk, "\n");
  print_line(talk, fmt::format("{} sizes in {:.1f} s; the report is {}",
                               found.finding.probes.size(), source.spent(), file.path()));
  export_findings(options, std::array{std::move(found)});
  return live.any_failed() ? 1 : 0;
}

}  // namespace

void add_find(CLI::App& program, int& status) {
  const auto options = std::make_shared<FindCommand>();
  SearchedCaseOptions& searched = options->searched;
  CLI::App* const command = program.add_subcommand(
      "find", "Find the size from which one backend, device or mode beats another, and why");

  command->add_option("--case", searched.case_name, "One case (default: matmul)")
      ->default_str("matmul");
  searched.case_name = "matmul";
  command->add_option("--from", searched.from.device, "What is used now: serial, or serial:1");
  command->add_option("--to", searched.to.device, "What it is compared with (default: as --from)");
  command->add_option_function<std::string>(
      "--mode", [&](const std::string& text) { searched.from.mode = searched.to.mode = text; },
      "Mode of both sides (default: the case's first)");
  command->add_option("--from-mode", searched.from.mode, "Mode of the first side");
  command->add_option("--to-mode", searched.to.mode, "Mode of the second side");
  command->add_option("--from-memory", searched.from.memory,
                      "pageable or pinned, on the first side");
  command->add_option("--to-memory", searched.to.memory, "pageable or pinned, on the second side");
  command->add_option("--direction", searched.direction,
                      "Of a transfer: h2d, d2h, d2d, peer, both");
  command->add_option_function<std::string>(
      "--type",
      [&](const std::string& text) {
        const std::vector<NumberType> types = parse_types(text);
        if (types.size() != 1) {
          throw UsageError("--type: a search has one type");
        }
        searched.type = types.front();
      },
      "f32 (default), f64, tf32, f16, bf16");
  command->add_option("--axis", searched.axis,
                      "The size that grows: n, m, k, batch, count, bytes (default: the case's)");
  command->add_option_function<std::string>(
      "--range", [&](const std::string& text) { searched.range = parse_range(text); },
      "LOW:HIGH of that size (default: the case's sweep)");
  command->add_option_function<std::string>(
      "--size",
      [&](const std::string& text) {
        const std::vector<Shape> sizes = parse_sizes(text);
        if (sizes.size() != 1) {
          throw UsageError("--size: one size, of what does not grow");
        }
        searched.fixed = sizes.front();
      },
      "What does not grow, as in `run`");
  command->add_option_function<std::string>(
      "--budget",
      [options](const std::string& text) { options->budget = parse_seconds("--budget", text); },
      "Time for the search: 10, 90s, 5min (default: 25 s)");
  CLI::Option* const from_report = command->add_option(
      "--from-report", options->from_report, "Measure nothing: what a stored sweep supports");
  command->add_option("--out", options->out, "The report; - for standard output");
  command->add_flag("--resume", options->resume, "Continue the report named by --out, or start it");
  command->add_flag("--resume-anyway", options->resume_anyway,
                    "Also where machine, commit or options differ");
  command->add_option("--seed", options->seed, "Of the inputs (default: random, recorded)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62));
  for (const char* const measuring : {"--direction", "--range", "--size", "--budget", "--out",
                                      "--resume", "--resume-anyway", "--seed"}) {
    from_report->excludes(command->get_option(measuring));
  }
  command
      ->add_option("--format", options->format,
                   "Of what --export writes: env, header or json (default: as FILE ends); without "
                   "--export on standard output")
      ->check(CLI::IsMember({"env", "header", "json"}));
  command->add_option("--export", options->export_to,
                      "FILE for a program: the bracket as environment variables, .h a C header, "
                      ".json all that was found; - for standard output");
  command->add_option("--export-as", options->export_as,
                      "NAME of the variable (default: as BREAKEVEN_MATMUL_F32_N)");
  options->invocation.add_options(*command);
  command->footer(find_examples);
  add_search_options(*command, options->plugins);
  command->callback([options, command, &status] {
    static constexpr std::array changing_rows = {
        "--case",    "--from",        "--to",        "--mode",      "--from-mode",
        "--to-mode", "--from-memory", "--to-memory", "--direction", "--type",
        "--axis",    "--range",       "--size"};
    require_exportable(*options);
    options->type_said = command->get_option("--type")->count() > 0;
    options->invocation.take("breakeven find", *command, changing_rows, options->plugins.settings);
    status = options->from_report.empty() ? find_live(*options) : find_in_report(*options);
  });
}

}  // namespace breakeven
