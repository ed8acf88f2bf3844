// SPDX-License-Identifier: Apache-2.0
// The plugin under test, loaded into this process only when a rule asks for it.
#pragma once

#include <breakeven/plugin.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suite/registry/setting.hpp"

namespace breakeven::conformance {

class Subject {
 public:
  // From now on what is printed on standard output is kept; `answer` writes to the real one.
  Subject(std::filesystem::path file, std::vector<Setting> settings);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject();

  const std::filesystem::path& file() const { return file_; }
  const Manifest& manifest();
  std::unique_ptr<Backend> create();
  std::string printed();
  void answer(const std::string& line) const;

 private:
  std::filesystem::path file_;
  std::vector<Setting> settings_;
  std::optional<Manifest> manifest_;
  int answer_, printed_;
};

}  // namespace breakeven::conformance
