// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command or with what it names: one line that says what to do.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

// The words are wrong: the program adds which help says what is allowed.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The words are right; a file, a stream or a backend that they name cannot be used.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// ` (did you mean matmul?)`; empty where no known word is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

// `unknown case 'x'; there are: matmul, transfer`, or only the nearest of them.
UsageError unknown_word(std::string_view what, std::string_view word,
                        std::span<const std::string> known);

// Throws that where `value` is none of `allowed`.
void require_one_of(std::string_view what, std::string_view value,
                    std::span<const std::string> allowed);

}  // namespace breakeven
