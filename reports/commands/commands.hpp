// SPDX-License-Identifier: Apache-2.0
// The commands that read reports. Each adds itself to the program and, when called, sets `status`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "reports/schema/schema.hpp"

namespace CLI {
class App;
}

namespace breakeven {

// 0 no regression established; 1 regression; 2 usage or a file that cannot be read; 3 not
// comparable, missing or invalid; 4 inconclusive, with --strict.
void add_compare(CLI::App& program, int& status);

// `compare REPORT --group-by variant --base VARIANT` on standard output, of a run that has just
// ended.
int compare_variants(const std::string& report, std::string_view variant);

// A report in the formats of other tools. 0, or 2 for usage and what cannot be read or written.
void add_export(CLI::App& program, int& status);

// 0 no node is established to be slow or wrong; 1 one is; 2 usage, or nothing to read.
void add_fleet(CLI::App& program, int& status);

// 0 nothing became slower; 1 a case did, or has no verified result any more; 2 usage, or nothing to
// read.
void add_history(CLI::App& program, int& status);

// Opens the file of a history, or makes it; what is returned keeps rows in it.
std::function<void(std::span<const Row>)> open_history(const std::string& path);

// Answers on the terminal, a page with -o, drawings with --svg. 0, or 2 for usage, a file that
// cannot be read or a result that cannot be written.
void add_report(CLI::App& program, int& status);

}  // namespace breakeven
