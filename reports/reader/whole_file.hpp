// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// All bytes of a file or a pipe, as they are now: what happens to the file afterwards changes
// nothing.
class WholeFile {
 public:
  // Throws std::runtime_error with one line that does not name the path: it cannot be read, it is
  // something else, or larger than any report.
  explicit WholeFile(const std::string& path);
  struct FromText {
    std::string text;
  };
  explicit WholeFile(FromText from);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  std::string_view bytes() const { return bytes_; }

 private:
  std::string text_;
  std::string_view bytes_;
};

}  // namespace breakeven
