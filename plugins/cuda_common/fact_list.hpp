// SPDX-License-Identifier: Apache-2.0
// Facts that own their text.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

class FactList {
 public:
  FactList() = default;
  FactList(const FactList&) = delete;
  FactList& operator=(const FactList&) = delete;

  void add(std::string key, std::string value) {
    const std::string& key_kept = text_.emplace_back(std::move(key));
    facts_.push_back({key_kept, text_.emplace_back(std::move(value))});
  }
  std::span<const Fact> view() const noexcept { return facts_; }

 private:
  std::deque<std::string> text_;
  std::vector<Fact> facts_;
};

}  // namespace breakeven::cuda
