// SPDX-License-Identifier: Apache-2.0
// Text of unknown length in known memory: the beginning and the end stay, the middle is counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace breakeven {

class BoundedText {
 public:
  explicit BoundedText(std::size_t bytes) : half_(bytes / 2) {}

  void append(std::string_view text) {
    const std::size_t to_head = std::min(text.size(), half_ - head_.size());
    head_.append(text.substr(0, to_head));
    tail_.append(text.substr(to_head));
    if (tail_.size() > 2 * half_) cut();
  }

  // The text so far; starts anew.
  std::string take() {
    if (tail_.size() > half_) cut();
    std::string all = std::exchange(head_, {});
    if (dropped_ > 0)
      all += "\n[... " + std::to_string(std::exchange(dropped_, 0)) + " bytes ...]\n";
    return all += std::exchange(tail_, {});
  }

 private:
  void cut() {
    dropped_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }

  std::size_t half_;
  std::string head_, tail_;
  std::size_t dropped_ = 0;
};

}  // namespace breakeven
