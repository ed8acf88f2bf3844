// SPDX-License-Identifier: Apache-2.0
// The command lines of the programs that measure products. What is wrong is told in one line.
#pragma once

#include <breakeven/plugin.hpp>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

namespace breakeven {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option with a value: `--turns 5`.
struct Flag {
  std::string name;
  std::function<void(const std::string& value)> take;
};

// Hands the values of options and all other words on, in their order. False: `--help` was there,
// and the usage is printed. Throws UsageError, as what follows.
bool parse(std::span<char* const> words, const char* usage, std::span<const Flag> flags,
           const std::function<void(const std::string& word)>& take_word);

std::size_t turns_from(const std::string& text);
Type type_from(const std::string& text, std::span<const Type> types);
// `a`, `b` or `ab`: which of the two lie transposed.
void transpose_by(const std::string& text, Gemm& gemm);
// 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch).
Gemm shape_from(const std::string& text);

// What is wrong and what to do, on one line.
std::string line_of(const std::exception& error);

// Calls `work` and returns the program's exit status: 2 for a UsageError, 1 for everything else
// that went wrong, told on the standard error stream.
int run_program(const char* name, const std::function<void()>& work);

}  // namespace breakeven
