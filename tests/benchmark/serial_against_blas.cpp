// SPDX-License-Identifier: Apache-2.0
// Products by `serial` and by any CBLAS libraries on one thread, in turns of about a millisecond,
// with the FMA peak of the core measured around each turn; --help says how it is called. All of
// them read the same a and b. Of each library its rate, its share of the peak, and its time over
// that of `serial`, the median of the turns with a 99 % rank interval. The clock is the thread's
// own processor time, so that other load disturbs less.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "at_work.hpp"
#include "contender.hpp"
#include "fma_peak.hpp"
#include "turns.hpp"

namespace {

using namespace breakeven;

constexpr const char* usage =
    R"(serial_against_blas [--type f32|f64] [--turns N] [--variant NAME] [--transpose a|b|ab]
                    [--build NAME=FILE]... [--plan NAME=PLAN]... [--library NAME=FILE]... SIZE...

A build is another serial.so, as of before a change, and a plan the same one with its option
`plan`, such as rules or rules+low. SIZE is 64, 1x4096x4096 (m, n, k) or
100x100x100*1000 (a batch). Without a library, build and plan, the library that the plugin
`blas` was built with is compared. MKL comes last: it makes its names known to what is loaded later,
and BLIS after it ran MKL's products.
)";

struct Named {
  std::string name, value;
};

// Reads `NAME=FILE`, or what else `form` is. Throws UsageError for a name that is there already.
Named named(const std::string& option, const std::string& form, const std::string& text,
            std::vector<std::string>& names) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(option + " is '" + text + "'; give " + form);
  const std::string name = text.substr(0, equals);
  if (std::ranges::find(names, name) != names.end())
    throw UsageError(option + " is '" + text + "', and '" + name +
                     "' is there already; give another name");
  names.push_back(name);
  return {name, text.substr(equals + 1)};
}

Named named_file(const std::string& option, const std::string& text,
                 std::vector<std::string>& names) {
  const Named given = named(option, "NAME=FILE", text, names);
  return {given.name, std::filesystem::absolute(given.value)};
}

void measure(std::span<char* const> words) {
  Gemm shape;
  std::size_t turns = 21;
  std::string variant;
  std::vector<std::string> names{"serial"};
  std::vector<Named> builds, plans, libraries;
  std::vector<std::pair<std::string, Gemm>> sizes;
  const std::vector<Flag> flags{
      {"--type",
       [&](const std::string& value) {
         shape.type = type_from(value, std::array{Type::f32, Type::f64});
       }},
      {"--turns", [&](const std::string& value) { turns = turns_from(value); }},
      {"--variant", [&](const std::string& value) { variant = value; }},
      {"--transpose", [&](const std::string& value) { transpose_by(value, shape); }},
      {"--build",
       [&](const std::string& value) { builds.push_back(named_file("--build", value, names)); }},
      {"--plan",
       [&](const std::string& value) {
         plans.push_back(named("--plan", "NAME=PLAN", value, names));
       }},
      {"--library", [&](const std::string& value) {
         libraries.push_back(named_file("--library", value, names));
       }}};
  const auto take_size = [&](const std::string& word) {
    sizes.emplace_back(word, shape_from(word));
  };
  if (!parse(words, usage, flags, take_size)) return;
  if (sizes.empty()) throw UsageError("there is no size; give one such as 64");
  if (libraries.empty() && builds.empty() && plans.empty()) libraries.push_back({"blas", "linked"});
  setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 0);  // read while the library is loaded
  std::vector<Variable> kernels;
  if (!variant.empty()) kernels.push_back({"variant", variant});
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<Entrant> entrants;
  std::optional<Operands> operands;  // of the size that is measured
  const auto enter = [&](const std::string& name, const std::string& plugin,
                         std::span<const Variable> settings) {
    at_work(name, [&] { contenders.push_back(std::make_unique<Contender>(plugin, settings)); });
    Contender* const last = contenders.back().get();
    entrants.push_back({name, [&, last](const Gemm& gemm) { last->prepare(gemm, *operands); },
                        [last](std::size_t repetitions) { last->run(repetitions); },
                        [last] { last->check(); }});
  };
  enter("serial", SERIAL_PLUGIN, kernels);
  for (const auto& [name, file] : builds) enter(name, file, kernels);
  for (const auto& [name, plan] : plans) {
    std::vector<Variable> settings = kernels;
    settings.push_back({"plan", plan});
    enter(name, SERIAL_PLUGIN, settings);
  }
  for (const auto& [name, file] : libraries)
    enter(name, BLAS_PLUGIN, std::array<Variable, 2>{{{"threads", "1"}, {"library", file}}});
  contenders[0]->bind_thread();
  std::minstd_rand random(1);
  std::printf("m×n×k | name, GFLOP/s, share of the peak, time over that of serial [99 %%]\n");
  for (auto& [size, gemm] : sizes) {
    gemm.type = shape.type;
    gemm.transpose_a = shape.transpose_a, gemm.transpose_b = shape.transpose_b;
    at_work(size, [&, &gemm = gemm] { operands.emplace(gemm); });
    compare(size, gemm, turns, entrants, shape.type == Type::f32 ? run_fma_f32 : run_fma_f64,
            random);
  }
}

}  // namespace

int main(int count, char** arguments) {
  constexpr const char* program = "serial_against_blas";
  return run_apart(program, [&] {
    return run_program(program,
                       [&] { measure(std::span(arguments, std::size_t(count)).subspan(1)); });
  });
}
