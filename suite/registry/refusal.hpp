// SPDX-License-Identifier: Apache-2.0
// Why a plugin cannot be used, and what to do about it. Both are one line without a full stop.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

class Refusal : public std::runtime_error {
 public:
  explicit Refusal(std::string_view reason, std::string_view fix = {});
  std::string reason() const { return what(); }
  const std::string& fix() const { return fix_; }

 private:
  std::string fix_;
};

// The text on one line, without control characters, cut at `longest` bytes.
std::string one_line(std::string_view text, std::size_t longest = 400);

}  // namespace breakeven
