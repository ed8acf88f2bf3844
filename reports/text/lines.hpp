// SPDX-License-Identifier: Apache-2.0
// Paragraphs on lines that a terminal shows whole.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace breakeven {

// Columns; none where it is no terminal, or one that does not tell.
std::optional<std::size_t> terminal_columns(std::FILE* stream);

class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}
  // Of the terminal, at most what is read with ease; what is no terminal has no width.
  explicit Lines(std::FILE* stream);

  // Broken at spaces, every line indented. A word that is longer than a line keeps one of its own.
  std::string wrapped(const std::string& text, std::size_t indent) const;

 private:
  std::size_t width_;
};

}  // namespace breakeven
