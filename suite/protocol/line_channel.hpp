// SPDX-License-Identifier: Apache-2.0
// JSON, one line a message, over a descriptor: what parent and worker speak.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace breakeven {

// Blocks until the whole line is written. Throws std::system_error, also when nobody reads.
void write_line(int descriptor, const nlohmann::json& message);

// Collects bytes and hands out whole lines. A line longer than `longest_line` is an error, not
// memory without end.
class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{1} << 28;

  // Reads once what is there (blocks if nothing is); false at the end of the stream.
  bool fill(int descriptor);

  // The next whole line, parsed. Throws std::runtime_error when it is no JSON object.
  std::optional<nlohmann::json> next();

 private:
  std::string bytes_;
  std::size_t searched_ = 0;
};

}  // namespace breakeven
