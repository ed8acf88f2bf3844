// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "reports/text/lines.hpp"
#include "reports/text/usage.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/conformance/examination.hpp"
#include "suite/registry/file_check.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven {
namespace {

using conformance::Verdict;

struct CheckOptions {
  std::string file;
  std::vector<std::string> rules, options, environment;
  bool list = false, in_process = false, trust_writable = false;
  unsigned time_limit = 120;
};

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::broken:
      return "BROKEN";
    case Verdict::not_applicable:
      return "says nothing";
    case Verdict::not_tried:
      return "not tried";
  }
  return "";
}

void print(const conformance::Finding& finding, bool colour) {
  const bool broken = finding.verdict == Verdict::broken;
  std::string line = fmt::format("{:<17}  {:<12}", finding.rule->name, word(finding.verdict));
  if (colour) line = fmt::format("\x1b[{}m{}\x1b[0m", broken ? "31;1" : "32", line);
  if (!finding.detail.empty()) line += "  " + one_line(finding.detail);
  if (broken) line += fmt::format("  [{}: \"{}\"]", finding.rule->file, finding.rule->quote);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void list_rules() {
  for (const conformance::Rule& rule : conformance::all_rules())
    fmt::print("{:<17}  {}: \"{}\"\n", rule.name, rule.file, rule.quote);
}

int check(const CheckOptions& options) {
  if (options.list) {
    list_rules();
    return 0;
  }
  if (options.file.empty()) throw UsageError("give the file of a plugin");
  conformance::Examination examination{
      .file = std::filesystem::absolute(options.file).lexically_normal(),
      .settings = {},
      .rules = options.rules,
      .time_limit = std::chrono::seconds(options.time_limit)};
  for (const std::string& text : options.options) {
    const Setting& setting = examination.settings.emplace_back(parse_setting(text));
    if (without_variant(setting.backend) != setting.backend)
      throw UsageError("--option '" + text + "': check has no variants; set it on the backend");
  }
  if (options.in_process) {
    if (options.rules.size() != 1)
      throw UsageError("--in-process tries one rule: name it with --rule");
    conformance::examine_here(examination.file, options.rules.front(), examination.settings,
                              options.environment);
  }
  try {
    const auto resolved = std::filesystem::weakly_canonical(examination.file);
    if (!options.trust_writable) require_trustworthy(resolved);
    require_loadable(resolved);
  } catch (const Refusal& refusal) {
    fmt::print(
        "{:<17}  {:<12}  {}; {}  [plugins/README.md: \"A plugin is a complete shared library "
        "that only its owner can change\"]\n",
        "file", "BROKEN", refusal.reason(), refusal.fix());
    return 1;
  }
  const bool colour = shows_colour(stdout);
  std::size_t kept = 0, broken = 0;
  std::string first_broken;
  examination.run([&](const conformance::Finding& finding) {
    print(finding, colour);
    kept += finding.verdict == Verdict::kept;
    if (finding.verdict == Verdict::broken && broken++ == 0) first_broken = finding.rule->name;
  });
  fmt::print("{} rules kept, {} broken\n", kept, broken);
  if (broken > 0)
    fmt::print("under a debugger: gdb --args breakeven check {} --rule {} --in-process\n",
               options.file, first_broken);
  return broken > 0 ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& program, int& status) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* const command =
      program.add_subcommand("check", "Hold a plugin file against the rules of the contract");
  command->add_option("file", options->file, "The plugin's .so")->type_name("FILE");
  command->add_option("--rule", options->rules, "Only this rule; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_flag("--rules", options->list, "Show the rules and where they are written");
  command->add_flag("--in-process", options->in_process, "One rule in this process, for debuggers");
  command->add_option("--option", options->options, "Sets an option of the plugin")
      ->type_name("BACKEND.NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--trust-writable", options->trust_writable,
                    "Also check a plugin that others can change");
  command->add_option("--time-limit", options->time_limit, "Seconds that one rule may take")
      ->check(CLI::Range(1u, 86400u));
  command->add_option("--set", options->environment)->allow_extra_args(false)->group("");
  command->footer(
      "\nExamples:\n"
      "  breakeven check mine.so                        one line per rule\n"
      "  breakeven check mine.so --rule leaks           one rule\n"
      "  breakeven check --rules                        what the rules are\n"
      "  gdb --args breakeven check mine.so --rule leaks --in-process\n"
      "\nExit status: 0 all rules kept, 1 a rule is broken, 2 usage.");
  command->callback([options, &status] { status = check(*options); });
}

}  // namespace breakeven
