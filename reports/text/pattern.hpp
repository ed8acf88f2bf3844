// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace breakeven {

// A regular expression that a user wrote, for names from anywhere: its time is linear in the name's
// length. The empty one is in every text.
class Pattern {
 public:
  // `option` is named where the text is no pattern. Throws std::invalid_argument with one line.
  Pattern(std::string_view option, const std::string& text);
  ~Pattern();

  bool is_in(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace breakeven
