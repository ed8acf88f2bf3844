// SPDX-License-Identifier: Apache-2.0
// The options of every command that looks for plugins.
#pragma once

#include <CLI/App.hpp>

#include "suite/registry/registry.hpp"

namespace breakeven {

// `search` outlives the parsing.
void add_search_options(CLI::App& command, Search& search);
// Of those that also run workers.
void add_program_option(CLI::App& command, Search& search);

}  // namespace breakeven
