// SPDX-License-Identifier: Apache-2.0
// Results that arrive whole, or an error: a full disk, a closed stream and an output that is also
// an input are told.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace breakeven {

// Beside the file first, then in its place, so that it is the old one or the whole new one. What is
// no regular file, such as a pipe, is written to. Throws Unusable with `path` in front.
void write_whole_file(const std::string& path, std::string_view text);

// Throws Unusable where `output` is one of the files `inputs`, under any name.
void require_not_an_input(const std::string& output, std::span<const std::string> inputs);

// Throws Unusable where anything that was printed did not arrive.
void flush_standard_output();

// Whoever read standard output has read enough: `| head`.
bool nobody_reads_standard_output();

}  // namespace breakeven
