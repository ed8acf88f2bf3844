// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/schema/samples.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/invocation.hpp"
#include "suite/command_line/progress.hpp"
#include "suite/command_line/run_summary.hpp"
#include "suite/command_line/search_options.hpp"
#include "suite/command_line/words.hpp"
#include "suite/model/clock.hpp"
#include "suite/protocol/google_benchmark.hpp"
#include "suite/run/launcher.hpp"
#include "suite/run/report_file.hpp"
#include "suite/run/resume.hpp"
#include "suite/run/rows.hpp"
#include "suite/run/runner.hpp"
#include "suite/run/text.hpp"

namespace breakeven {

namespace {

struct Options {
  Search search;
  RunOptions run;
  Invocation invocation;
  std::optional<RunReaders> readers;
};

Preset parse_preset(const std::string& text) {
  static const std::vector<std::string> names = {"quick", "course", "full"};
  require_one_of("preset", text, names);
  return text == "quick" ? Preset::quick : text == "course" ? Preset::course : Preset::full;
}

double parse_precision(const std::string& text) {
  const bool percent = text.ends_with('%');
  try {
    std::size_t used = 0;
    const double value = std::stod(text, &used) / (percent ? 100 : 1);
    if (used + percent == text.size() && value > 0 && value < 1) return value;
  } catch (const std::exception&) {
  }
  throw UsageError(fmt::format(
      "--precision '{}' is not a share between 0 and 1; allowed are 0.01 and 1%", text));
}

void parse_counts(const std::string& text, std::vector<std::size_t>& counts) {
  counts.clear();
  for (const std::string& part : split_list("--count", text)) {
    std::size_t count = 0;
    const char* end = part.data() + part.size();
    const auto [read, error] = std::from_chars(part.data(), end, count);
    if (error != std::errc() || read != end || count < 1 || count > 1'000'000)
      throw UsageError(fmt::format(
          "--count '{}' is not a whole number from 1 to 1000000, or a list of them", text));
    counts.push_back(count);
  }
}

void parse_caches(const std::string& text, std::vector<std::string>& caches) {
  static const std::vector<std::string> allowed = {"hot", "cold"};
  caches = split_list("--cache", text);
  for (const std::string& cache : caches) require_one_of("cache state", cache, allowed);
}

std::vector<std::string_view> case_names() {
  std::vector<std::string_view> names;
  for (const Case* definition : all_cases()) names.push_back(definition->name());
  return names;
}

constexpr const char* run_examples = R"(
Examples:
  breakeven run                             a verified table within a minute
  breakeven run --preset course             the experiments of courses and books
  breakeven run --case matmul --size 64:4096 --backend serial,blas
  breakeven run --case matmul --backend blas,blas@skx \
      --option blas@skx.core=SKYLAKEX
  breakeven run --case matmul --size 256 --backend serial,serial@old \
      --plugin serial@old=before/serial.so
  breakeven run --case matmul --mode offload-once --count 1,10,100 --size 512
  breakeven run --case elementwise --cache hot,cold --precision 0.5%
  breakeven run --device try-gpu            the first GPU, or else a CPU, visibly
  breakeven run --preset full --budget 2h --rounds 5 --out full.csv
  breakeven run --preset full --budget 2h --rounds 5 --out full.csv --resume
  srun -N 100 --ntasks-per-node 1 breakeven run --rounds 5 \
      --out 'reports/{node}.csv' --resume
  breakeven run --history nightly.db

Exit status: 0; 1 a row is wrong, implausible, failed, crashed or hung; 2 usage;
3 nothing of what was asked for was measured; 128 and the signal's number where
it was interrupted.)";

int dry_run(const Plan& plan, const Limits& limits) {
  for (const PlannedCase& planned : plan.cases)
    fmt::print("{}{}\n", planned.name,
               planned.plugin->usable() ? "" : "  (unavailable: " + *planned.plugin->reason + ")");
  const double usable = static_cast<double>(
      std::count_if(plan.cases.begin(), plan.cases.end(),
                    [](const PlannedCase& planned) { return planned.plugin->usable(); }));
  // Ten visits with the noise watch between them, and about as long for preparing and checking.
  const double shortest = usable * limits.rounds * 0.3;
  fmt::print("\n{} cases in {} {}: about {} for short ones, at most {} for each case and round",
             plan.cases.size(), limits.rounds, limits.rounds == 1 ? "round" : "rounds",
             time_text(shortest * 1e9), time_text(limits.case_budget * 1e9));
  if (limits.run_budget > 0) fmt::print(", and {} for the run", time_text(limits.run_budget * 1e9));
  fmt::print("\n");
  return 0;
}

int in_process(const RunOptions& options, const Plan& plan) {
  InProcessOptions all;
  all.settings = options.settings;
  all.benchmark_flags = options.benchmark_flags;
  all.seed = options.seed.value_or(std::random_device{}());
  for (const PlannedCase& planned : plan.cases) {
    if (!planned.plugin->usable()) continue;
    if (without_variant(planned.plugin->name) != planned.plugin->name)
      throw UsageError(
          fmt::format("{}: a variant needs a process of its own; leave out --in-process",
                      planned.plugin->name));
    all.cases.push_back({planned.key, planned.plugin->resolved});
    all.environment.insert(planned.plugin->environment.begin(), planned.plugin->environment.end());
  }
  return run_in_process(all);
}

// Many that start at once would all read the same files, and all draw power, at once.
void wait_for_a_part_of(double seconds) {
  std::random_device device;
  const double chosen = std::uniform_real_distribution<double>(0, seconds)(device);
  fmt::print(stderr, "starting in {}\n", time_text(chosen * 1e9));
  std::this_thread::sleep_for(std::chrono::duration<double>(chosen));
}

// Of a name with placeholders also the folder, which every node would have to make otherwise.
void fill_name(std::string& out, const Row& context) {
  Launch launch = launch_of_environment();
  launch.node = context.text(Column::machine);
  const std::string name = filled(out, launch);
  const auto folder = std::filesystem::path(name).parent_path();
  std::error_code is_told_when_it_is_opened;
  if (name != out && !folder.empty())
    std::filesystem::create_directories(folder, is_told_when_it_is_opened);
  out = name;
}

int run(Options& options) {
  options.run.compares_builds = !options.search.other_builds.empty();
  if (!options.readers && (options.run.compares_builds || !options.run.history.empty()))
    throw Unusable("--history and a second build need `breakeven`, which is not built yet");
  if (options.run.start_within > 0 && !options.run.dry_run)
    wait_for_a_part_of(options.run.start_within);
  options.run.settings = options.search.settings;
  Row context = row_context(options.invocation);
  const Registry registry = Registry::find(options.search);
  registry.require_known(options.run.settings);
  const Plan plan = make_plan(options.run, registry);
  const Limits limits = limits_of(options.run);
  std::FILE* const talk = options.run.out == "-" ? stderr : stdout;
  const auto say_notes = [&] {
    for (const std::string& note : plan.notes) print_line(stderr, note);
  };
  if (options.run.dry_run) {
    say_notes();
    return dry_run(plan, limits);
  }
  if (options.run.in_process) return in_process(options.run, plan);

  const bool resume = options.run.resume || options.run.resume_anyway;
  if (resume && (options.run.out.empty() || options.run.out == "-"))
    throw UsageError("--resume needs --out with the name of the report to continue");
  if (options.run.out.empty())
    options.run.out =
        fmt::format("breakeven-{}-{}.csv", context.text(Column::machine), utc_now("%Y%m%d-%H%M%S"));
  fill_name(options.run.out, context);
  std::function<void(std::span<const Row>)> keep;
  if (!options.run.history.empty()) keep = options.readers->history(options.run.history);
  ReportFile report(options.run.out, resume ? ReportFile::Open::resume : ReportFile::Open::create);
  EarlierPart earlier;
  if (resume) {
    earlier = read_earlier_part(options.run.out, context, options.run.resume_anyway);
    if (earlier.unmeasured_from_line > 0) report.drop_from_line(earlier.unmeasured_from_line);
  }
  if (!options.run.seed)
    options.run.seed = earlier.complete.empty() ? std::random_device{}() : earlier.seed;
  context.set(Column::run_id, earlier.complete.empty() ? fresh_run_id() : earlier.run_id);
  context.set(Column::seed, *options.run.seed);
  context.set(Column::resumed, earlier.complete.empty() ? 0 : earlier.resumed + 1);
  say_notes();  // not before what is wrong with the command would have been said
  warn_where_busy(stderr);
  Interrupt interrupt;
  RunSummary summary;
  const auto tell = [&] {
    fmt::print(
        talk, "{}",
        summary.text(report.path(), shows_colour(talk), terminal_columns(talk).value_or(SIZE_MAX)));
  };
  const auto write = [&](std::vector<Row> rows) {
    if (!options.run.keeps_samples)
      for (Row& row : rows) keep_medians_of_visits(row);
    report.append(rows);
    summary.keep(rows);
    if (keep) keep(rows);
  };
  try {
    Progress progress(stderr);
    run_plan(options.run, plan, context, earlier.complete, interrupt, write, progress);
  } catch (const Interrupted& interrupted) {
    tell();
    print_line(stderr, fmt::format("{}; continue with --resume --out {}", interrupted.what(),
                                   report.path()));
    throw;
  }
  tell();
  if (resume && summary.empty())
    print_line(talk, fmt::format("nothing was left to measure: {} is complete", report.path()));
  if (summary.exit_status() != 0 || !options.run.compares_builds) return summary.exit_status();
  if (options.run.out == "-") {
    print_line(talk, "no verdict: it is read from the report, which --out FILE keeps");
    return 0;
  }
  fmt::print(talk, "\n");
  std::fflush(talk);
  return options.readers->compare(report.path(), options.search.other_builds.front().variant);
}

}  // namespace

void add_run(CLI::App& program, int& status, std::optional<RunReaders> readers) {
  const auto options = std::make_shared<Options>();
  options->readers = readers;
  RunOptions& run_options = options->run;
  CLI::App* const command =
      program.add_subcommand("run", "Measure cases on backends, verified, into one CSV");

  const auto list = [command](const std::string& name, std::vector<std::string>& into,
                              const std::string& help) {
    command
        ->add_option_function<std::vector<std::string>>(
            name,
            [&into, name](const std::vector<std::string>& texts) {
              for (const std::string& text : texts)
                for (std::string& part : split_list(name, text)) into.push_back(std::move(part));
            },
            help)
        ->allow_extra_args(false);
  };
  const auto text = [command](const std::string& name, auto parse, const std::string& help) {
    return command->add_option_function<std::string>(name, parse, help);
  };
  list("--backend", run_options.backends, "Backends, as `list` shows them (default: all)");
  list("--case", run_options.cases,
       fmt::format("{} (default: all)", fmt::join(case_names(), ", ")));
  list("--mode", run_options.selection.modes,
       "Modes of the cases; `--preset full --dry-run` shows them");
  list("--device", run_options.devices,
       "0, blas:0, all, try-gpu, try-gpu:1, all-gpus (default: each backend's first)");
  command->add_option("--filter,--benchmark_filter", run_options.filter,
                      "Regular expression on full case names");
  text(
      "--type", [&](const std::string& t) { run_options.selection.types = parse_types(t); },
      "f32, f64, tf32, f16, bf16");
  text(
      "--size", [&](const std::string& t) { run_options.selection.sizes = parse_sizes(t); },
      "64,128 or 64:4096:*2 or 64:256:+64 or 1x4096x4096 (m x n x k) or 100x100x100x1000 (a "
      "batch)");
  text(
      "--count", [&](const std::string& t) { parse_counts(t, run_options.selection.counts); },
      "Steps of the modes that repeat one, such as the products between two copies: 1,10,100");
  text(
      "--cache", [&](const std::string& t) { parse_caches(t, run_options.selection.caches); },
      "hot, cold (default: hot)");
  text(
      "--preset", [&](const std::string& t) { run_options.selection.preset = parse_preset(t); },
      "quick (default: a minute), course (the experiments of books), full (sweeps)");
  command
      ->add_option("--rounds", run_options.rounds,
                   "Fresh processes per backend (full and builds compared: 5, else 1)")
      ->check(CLI::Range(1, 1000));
  text(
      "--precision", [&](const std::string& t) { run_options.precision = parse_precision(t); },
      "Half-width of the median's interval to reach (default: 1%)");
  text(
      "--budget",
      [&](const std::string& t) { run_options.run_budget = parse_seconds("--budget", t); },
      "Time for the whole run: 30, 90s, 5min");
  text(
      "--case-budget",
      [&](const std::string& t) { run_options.case_budget = parse_seconds("--case-budget", t); },
      "Time for one case in one round: 1.5, 400ms");
  text(
      "--time-limit",
      [&](const std::string& t) { run_options.time_limit = parse_seconds("--time-limit", t); },
      "When a worker that does not answer is ended");
  command->add_option("--out", run_options.out,
                      "The report; - for standard output; {node}, {rank}, {job} and {date} are "
                      "filled in");
  command->add_option("--history", run_options.history,
                      "Keeps the run in this file too, for `breakeven history`");
  text(
      "--samples",
      [&](const std::string& t) {
        static const std::vector<std::string> allowed = {"all", "none"};
        require_one_of("--samples", t, allowed);
        run_options.keeps_samples = t == "all";
      },
      "all (default), or none: of each visit only its median");
  text(
      "--start-within",
      [&](const std::string& t) { run_options.start_within = parse_seconds("--start-within", t); },
      "Start after a random part of this, where many nodes start at once: 30s");
  command->add_flag("--energy", run_options.meters_energy,
                    "Two seconds more for each case, whose joules are counted (full: where a "
                    "budget has eight for each)");
  command->add_flag("--resume", run_options.resume,
                    "Continue the report named by --out, or start it");
  command->add_flag("--resume-anyway", run_options.resume_anyway,
                    "Also where machine, commit or options differ");
  command->add_option("--seed", run_options.seed, "Of inputs and order (default: random, recorded)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62));
  options->invocation.add_options(*command);
  command->add_flag("--dry-run", run_options.dry_run,
                    "Show the cases and the time, measure nothing");
  command->add_flag("--in-process", run_options.in_process,
                    "A plain Google Benchmark program instead: all --benchmark_* flags, no CSV");
  command->footer(run_examples);
  command->allow_extras();
  add_search_options(*command, options->search);
  add_program_option(*command, options->search);
  command->callback([options, command, &status] {
    static constexpr std::array changing_rows = {
        "--backend",   "--case",        "--mode",   "--device", "--filter",
        "--type",      "--size",        "--count",  "--cache",  "--preset",
        "--precision", "--case-budget", "--rounds", "--samples"};
    options->invocation.take("breakeven run", *command, changing_rows, options->search.settings);
    for (const std::string& extra : command->remaining()) {
      if (!extra.starts_with("--benchmark_")) throw unknown_argument(extra, *command);
      if (!options->run.in_process) throw UsageError(fmt::format("{} needs --in-process", extra));
      options->run.benchmark_flags.push_back(extra);
    }
    status = run(*options);
  });
}

}  // namespace breakeven
