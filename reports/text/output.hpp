// SPDX-License-Identifier: Apache-2.0
// Results that arrive whole, or an error: a full disk, a closed stream and an output that is also
// an input are told.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace breakeven {

// Beside the file first, then in its place, so that it is the old one or the whole new one. What is
// no regular file, such as a pipe, is written to. Throws std::runtime_error with `path` in front.
void write_whole_file(const std::string& path, std::string_view text);

// Throws std::invalid_argument where `output` is one of the files `inputs`, under any name.
void require_not_an_input(const std::string& output, std::span<const std::string> inputs);

// Throws std::runtime_error where anything that was printed did not arrive.
void flush_standard_output();

// Whoever read standard output has read enough: `| head`.
bool nobody_reads_standard_output();

// Of a command that reads reports: what `work` returns once all is printed. What goes wrong is one
// line on standard error, and 2; nothing, and 0, where whoever read the output has read enough.
int status_of(std::string_view command, const std::function<int()>& work);

}  // namespace breakeven
