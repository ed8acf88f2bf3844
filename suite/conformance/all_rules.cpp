// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "suite/conformance/rule.hpp"

namespace breakeven::conformance {
namespace {

constexpr std::string_view contract = "plugin.hpp", guide = "plugins/README.md";

// Before those of the vector operations, and after.
const std::vector<Rule> before_results = {
    {"exports", contract, "What a plugin defines, and all that it exports", rules::exports, true},
    {"loads", contract, "A constant: it is read before anything in the plugin is called",
     rules::loads, true},
    {"probe", guide, "`probe` answers within fifteen seconds", rules::probe, true},
    {"create", guide, "`create` gives a backend with at least one device, or throws the reason",
     rules::create, true},
    {"quiet", guide, "Nothing is printed on standard output", rules::quiet},
    {"surroundings", guide, "What a plugin finds in the process it leaves as it was",
     rules::surroundings},
    {"devices", contract, "Keys are lower case with the unit last", rules::devices},
    {"memory", contract, "Owns one allocation, aligned to at least 64 bytes", rules::memory},
    {"free-memory", guide, "Memory that a device says is free can be had", rules::free_memory},
    {"out-of-memory", contract, "std::bad_alloc: out of memory", rules::out_of_memory},
    {"unsupported", contract,
     "Null: this operation, with these types, sizes or operands, is not supported",
     rules::unsupported},
    {"unheard-of", contract, "null where there is none, as for all that is added later",
     rules::unheard_of},
    {"set-aside", contract, "nothing asks for them yet, and a plugin answers null",
     rules::set_aside},
    {"stages", contract, "What probe and create did, in order", rules::stages},
    {"making", contract, "How it is made, the same at all times", rules::making},
    {"copy", contract, "The kind of copy is read off the slices", rules::copy},
    {"gemm", contract, "c = alpha op(a) op(b) + beta c", rules::gemm},
};
const std::vector<Rule> after = {
    {"two-devices", contract,
     "the operands do not go together (names both devices when they differ)", rules::two_devices},
    {"repeats", contract, "Repeatable; allocates no memory of an operand's size", rules::repeats},
    {"inputs", guide, "Every `enqueue` reads all of its inputs and writes all of its output",
     rules::inputs},
    {"enqueue-allocates", contract, "Repeatable; allocates no memory of an operand's size",
     rules::enqueue_allocates},
    {"synchronize", contract, "Blocks until all work handed over so far is done",
     rules::synchronize},
    {"reading", guide, "A result that was waited for is there", rules::reading},
    {"events", contract, "Later work of this queue starts after the event", rules::events},
    {"sequence", contract, "The tasks, all of this queue and outliving the result, as one launch",
     rules::sequence},
    {"threads", contract, "Backend and Device may be used from any thread at any time",
     rules::threads},
    {"two-instances", guide, "`create` may be called again while another backend lives",
     rules::two_instances},
    {"create-again", guide, "What a backend holds is given back when it is destroyed",
     rules::create_again},
    {"rest", contract, "Between the two nothing of the backend runs", rules::rest},
    {"idle", guide, "Threads that have nothing to do sleep", rules::idle},
    {"processes", guide, "Processes that it started end with the backend", rules::processes},
    {"leaks", guide, "Queues, tasks, events and buffers give back all that they hold",
     rules::leaks},
};

}  // namespace

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = before_results;
    for (const VectorOperation& operation : vector_operations())
      all.push_back({operation.name, contract, operation.meaning,
                     [&](Subject& subject) { rules::vector_operation(operation, subject); }});
    all.insert(all.end(), after.begin(), after.end());
    return all;
  }();
  return rules;
}

}  // namespace breakeven::conformance
