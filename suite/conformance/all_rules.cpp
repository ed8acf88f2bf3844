// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/rule.hpp"

namespace breakeven::conformance {
namespace {

constexpr std::string_view contract = "plugin.hpp", guide = "plugins/README.md";

constexpr Rule rules_in_order[] = {
    {"exports", contract, "What a plugin defines, and all that it exports", rules::exports, true},
    {"loads", contract, "A constant: it is read before anything in the plugin is called",
     rules::loads, true},
    {"probe", guide, "`probe` answers within fifteen seconds", rules::probe, true},
    {"create", guide, "`create` gives a backend with at least one device, or throws the reason",
     rules::create, true},
    {"quiet", guide, "Nothing is printed on standard output", rules::quiet},
    {"devices", contract, "Keys are lower case with the unit last", rules::devices},
    {"memory", contract, "Owns one allocation, aligned to at least 64 bytes", rules::memory},
    {"out-of-memory", contract, "std::bad_alloc: out of memory", rules::out_of_memory},
    {"unsupported", contract,
     "Null: this operation, with these types, sizes or operands, is not supported",
     rules::unsupported},
    {"copy", contract, "The kind of copy is read off the slices", rules::copy},
    {"gemm", contract, "c = alpha op(a) op(b) + beta c", rules::gemm},
    {"norm", contract, "out[i] = sqrt(sum of squares of the n elements of x_i)", rules::norm},
    {"multiply-add", contract, "out = a b + c, elementwise", rules::multiply_add},
    {"tanh", contract, "out = tanh(x), elementwise", rules::tanh},
    {"tanh-gradient", contract, "out = d (1 - h h), elementwise", rules::tanh_gradient},
    {"two-devices", contract,
     "the operands do not go together (names both devices when they differ)", rules::two_devices},
    {"repeats", contract, "Repeatable; allocates no memory of an operand's size", rules::repeats},
    {"enqueue-allocates", contract, "Repeatable; allocates no memory of an operand's size",
     rules::enqueue_allocates},
    {"synchronize", contract, "Blocks until all work handed over so far is done",
     rules::synchronize},
    {"events", contract, "Later work of this queue starts after the event", rules::events},
    {"sequence", contract, "The tasks, all of this queue and outliving the result, as one launch",
     rules::sequence},
    {"threads", contract, "Backend and Device may be used from any thread at any time",
     rules::threads},
    {"two-instances", guide, "`create` may be called again while another backend lives",
     rules::two_instances},
    {"create-again", guide, "What a backend holds is given back when it is destroyed",
     rules::create_again},
    {"leaks", guide, "Queues, tasks, events and buffers give back all that they hold",
     rules::leaks},
};

}  // namespace

std::span<const Rule> all_rules() {
  return rules_in_order;
}

}  // namespace breakeven::conformance
