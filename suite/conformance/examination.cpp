// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/examination.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "reports/text/usage.hpp"
#include "suite/registry/children.hpp"
#include "suite/registry/inspection.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven::conformance {
namespace {

using nlohmann::json;

const Rule& rule_named(std::string_view name) {
  const auto rules = all_rules();
  const auto found = std::ranges::find(rules, name, &Rule::name);
  if (found != rules.end()) return *found;
  throw UsageError(
      fmt::format("there is no rule '{}'; `breakeven check --rules` shows them", name));
}

Finding try_rule(const Rule& rule, Subject& subject) {
  try {
    rule.test(subject);
    return {&rule, Verdict::kept, {}};
  } catch (const Broken& broken) {
    return {&rule, Verdict::broken, broken.what()};
  } catch (const NotApplicable& reason) {
    return {&rule, Verdict::not_applicable, reason.what()};
  } catch (const Refusal& refusal) {
    return {&rule, Verdict::broken, refusal.reason()};
  } catch (const std::exception& error) {
    return {&rule, Verdict::broken, fmt::format("it threw: {}", error.what())};
  } catch (...) {
    return {&rule, Verdict::broken, "it threw something that is no std::exception"};
  }
}

Finding finding_of(const Rule& rule, const ChildEnd& end) {
  const json answer = json::parse(end.output, nullptr, false);
  if (answer.is_object())
    return {&rule, static_cast<Verdict>(answer.at("verdict").get<int>()), answer.at("detail")};
  std::string detail = fmt::format("it {}", describe(end));
  const auto tail = end.errors.size() - std::min<std::size_t>(end.errors.size(), 200);
  if (const auto said = one_line(end.errors.substr(tail)); !said.empty())
    detail += fmt::format(", after saying: {}", said);
  return {&rule, Verdict::broken, detail};
}

}  // namespace

void Examination::run(const std::function<void(const Finding&)>& found) const {
  std::vector<const Rule*> wanted;
  for (const std::string& name : rules) wanted.push_back(&rule_named(name));
  if (wanted.empty())
    for (const Rule& rule : all_rules()) wanted.push_back(&rule);

  const auto resolved = std::filesystem::weakly_canonical(file);
  const Candidate candidate{.path = file, .resolved = resolved, .source = "check"};
  const ChildStart inspection = inspection_of(candidate, settings);
  const Plugin plugin =
      inspected(candidate, run_children({&inspection, 1}, time_limit, 1).front(), settings);

  std::string first_broken;
  for (const Rule* const rule : wanted) {
    if (!first_broken.empty()) {
      found({rule, Verdict::not_tried, fmt::format("after '{}'", first_broken)});
      continue;
    }
    std::vector<std::string> arguments = {"check", resolved.string(), "--rule",
                                          std::string(rule->name), "--in-process"};
    for (const auto& [name, value] : plugin.environment)
      arguments.insert(arguments.end(), {"--set", fmt::format("{}={}", name, value)});
    for (const Setting& setting : settings)
      arguments.insert(arguments.end(), {"--option", fmt::format("{}.{}={}", setting.backend,
                                                                 setting.name, setting.value)});
    const ChildStart start{std::move(arguments)};
    const Finding finding = finding_of(*rule, run_children({&start, 1}, time_limit, 1).front());
    found(finding);
    const bool unusable = rule->name == "probe" && finding.verdict == Verdict::not_applicable;
    if ((rule->first && finding.verdict == Verdict::broken) || unusable) first_broken = rule->name;
  }
}

void examine_here(const std::filesystem::path& file, std::string_view name,
                  const std::vector<Setting>& settings,
                  const std::vector<std::string>& environment) {
  const Rule& rule = rule_named(name);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the plugin starts stays in sight
  for (const std::string& variable : environment) {
    const auto equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  Subject subject(std::filesystem::absolute(file), settings);
  const Finding finding = try_rule(rule, subject);
  const json answer = {{"rule", rule.name},
                       {"verdict", static_cast<int>(finding.verdict)},
                       {"detail", one_line(finding.detail)}};
  subject.answer(answer.dump(-1, ' ', false, json::error_handler_t::replace));
  std::_Exit(0);  // process-wide runtimes do not survive their destructors
}

}  // namespace breakeven::conformance
