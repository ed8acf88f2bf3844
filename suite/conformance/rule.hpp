// SPDX-License-Identifier: Apache-2.0
// One rule of the plugin contract, and the test that shows whether a plugin keeps it.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "suite/conformance/subject.hpp"
#include "suite/verify/vector_operations.hpp"

namespace breakeven::conformance {

// The plugin breaks the rule; says what was seen.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The rule says nothing about this plugin; says why.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Rule {
  std::string_view name;
  std::string_view file;   // where it is written: `plugin.hpp` or `plugins/README.md`
  std::string_view quote;  // what is written there
  // Runs in a process of its own. Throws Broken or NotApplicable; anything else thrown is broken
  // too.
  std::function<void(Subject& subject)> test;
  bool first = false;  // where it is broken, the others are not tried
};

// Throws Broken where it is not lower case with underscores.
void require_key(std::string_view key);

// In the order in which an author wants to hear of them.
std::span<const Rule> all_rules();

namespace rules {

void exports(Subject& subject);
void loads(Subject& subject);
void probe(Subject& subject);
void create(Subject& subject);
void quiet(Subject& subject);
void create_again(Subject& subject);
void two_instances(Subject& subject);
void leaks(Subject& subject);
void devices(Subject& subject);
void memory(Subject& subject);
void free_memory(Subject& subject);
void out_of_memory(Subject& subject);
void unsupported(Subject& subject);
void unheard_of(Subject& subject);
void set_aside(Subject& subject);
void stages(Subject& subject);
void rest(Subject& subject);
void surroundings(Subject& subject);
void idle(Subject& subject);
void processes(Subject& subject);
void making(Subject& subject);
void copy(Subject& subject);
void gemm(Subject& subject);
void vector_operation(const VectorOperation& operation, Subject& subject);
void two_devices(Subject& subject);
void repeats(Subject& subject);
void inputs(Subject& subject);
void enqueue_allocates(Subject& subject);
void synchronize(Subject& subject);
void reading(Subject& subject);
void events(Subject& subject);
void sequence(Subject& subject);
void threads(Subject& subject);

}  // namespace rules

}  // namespace breakeven::conformance
