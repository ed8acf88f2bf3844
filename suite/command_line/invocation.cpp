// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/invocation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "reports/schema/samples.hpp"
#include "reports/text/shell_word.hpp"
#include "suite/command_line/version.hpp"
#include "suite/machine/description.hpp"
#include "suite/run/launcher.hpp"
#include "suite/run/text.hpp"

namespace breakeven {

void Invocation::add_options(CLI::App& app) {
  app.add_option_function<std::vector<std::string>>(
         "--label",
         [this](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             labels.push_back(parse_assignment("--label", text));
           }
         },
         "KEY=VALUE for the report; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--machine", machine, "Replaces the host name in the report");
}

void Invocation::take(std::string_view program, const CLI::App& app,
                      std::span<const char* const> names, std::span<const Setting> settings) {
  for (const char* const name : names) {
    const CLI::Option* const option = app.get_option(name);
    if (option->count() > 0) {
      said.emplace_back(option->get_name().substr(2),
                        fmt::format("{}", fmt::join(option->results(), ",")));
    }
  }
  for (const Setting& setting : settings) {
    said.emplace_back("option",
                      fmt::format("{}.{}={}", setting.backend, setting.name, setting.value));
  }
  command = program;
  for (const auto& [name, value] : said) {
    command += fmt::format(" --{} {}", name, shell_word(value));
  }
}

Row row_context(const Invocation& invocation) {
  Row row;
  row.set(Column::command, invocation.command);
  row.set(Column::suite_version, suite_version);
  row.set(Column::suite_commit, suite_commit);
  row.set(Column::labels, format_pairs(invocation.labels));
  row.set(Column::run_options, format_pairs(invocation.said));
  const MachineDescription machine = describe_machine(
      invocation.machine.empty() ? launch_of_environment().node : invocation.machine);
  for (const auto& [name, value] : machine.columns) {
    if (const auto column = column_named(name)) {
      row.set(*column, value);
    }
  }
  row.set(Column::machine_facts, format_pairs(machine.facts));
  return row;
}

std::string fresh_run_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace breakeven
