// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

// The bytes of a file, by mapping it where it is one, else (a pipe) by reading it to its end.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // throws std::system_error
  struct FromText {
    std::string text;
  };
  explicit MappedFile(FromText from);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

  // Lets the kernel take back the memory that holds the first `end` bytes; reading them again
  // brings it back.
  void forget_before(std::size_t end) noexcept;

 private:
  std::string text_;
  std::string_view bytes_;
  void* mapping_ = nullptr;
};

}  // namespace breakeven
