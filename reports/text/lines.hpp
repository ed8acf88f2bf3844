// SPDX-License-Identifier: Apache-2.0
// What a stream shows, and paragraphs on lines that a terminal shows whole.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace breakeven {

bool is_terminal(std::FILE* stream);
bool shows_colour(std::FILE* stream);  // a terminal, and the user did not set NO_COLOR

// Columns; none where it is no terminal, or one that does not tell.
std::optional<std::size_t> terminal_columns(std::FILE* stream);

class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}
  // Of the terminal, at most what is read with ease; what is no terminal has no width.
  explicit Lines(std::FILE* stream);

  // Broken at spaces but for that of a number and its unit, every line indented. A word that is
  // longer than a line keeps one of its own.
  std::string wrapped(const std::string& text, std::size_t indent) const;

  // A command, as a shell reads it: broken before options.
  std::string command(std::string text, std::size_t indent) const;

 private:
  std::size_t width_;
};

// Folded on a terminal, one line elsewhere. Throws nothing, also where nobody reads it.
void print_line(std::FILE* stream, const std::string& text);

}  // namespace breakeven
