// SPDX-License-Identifier: Apache-2.0
// What a plugin is before it computes anything.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <span>

#include "suite/conformance/exported_symbols.hpp"
#include "suite/conformance/rule.hpp"
#include "suite/registry/file_check.hpp"
#include "suite/registry/loader.hpp"

namespace breakeven::conformance::rules {
namespace {

constexpr std::chrono::seconds longest_probe{15};  // a GPU's driver may have to start

}  // namespace

void exports(Subject& subject) {
  require_loadable(subject.file());
  auto names = exported_symbols(subject.file());
  if (names == std::vector<std::string>{"breakeven_plugin"}) return;
  std::ranges::sort(names, std::greater<>());  // mangled names last
  const auto shown = std::span(names).first(std::min<std::size_t>(names.size(), 4));
  throw Broken(fmt::format("it exports {} symbols: {}{}", names.size(), fmt::join(shown, ", "),
                           shown.size() < names.size() ? " …" : ""));
}

void loads(Subject& subject) {
  const Manifest& manifest = subject.manifest();
  if (manifest.version.empty()) throw Broken("Manifest::version is empty");
  if (manifest.description.empty()) throw Broken("Manifest::description is empty");
  std::set<std::string_view> names;
  for (const Option& option : manifest.options) {
    if (option.name.empty() || option.name.find_first_of(".= ") != option.name.npos)
      throw Broken(fmt::format("'{}' is no name for an option", option.name));
    if (option.help.empty()) throw Broken(fmt::format("option '{}' has no help", option.name));
    if (!names.insert(option.name).second)
      throw Broken(fmt::format("there are two options '{}'", option.name));
  }
}

void probe(Subject& subject) {
  const Manifest& manifest = subject.manifest();
  const auto start = std::chrono::steady_clock::now();
  const char* const reason = breakeven::probe(manifest);
  const auto took = std::chrono::steady_clock::now() - start;
  if (took > longest_probe)
    throw Broken(fmt::format("it took {:.1f} s", std::chrono::duration<double>(took).count()));
  if (reason && *reason == '\0') throw Broken("its reason is an empty text");
  if (reason) throw NotApplicable(fmt::format("not usable here: {}", reason));
}

void create(Subject& subject) {
  const auto backend = subject.create();
  if (backend->devices().empty()) throw Broken("the backend has no device");
}

}  // namespace breakeven::conformance::rules
