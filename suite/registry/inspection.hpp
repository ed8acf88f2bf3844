// SPDX-License-Identifier: Apache-2.0
// Asking a plugin who it is, in a child. The child writes one JSON line per stage to its standard
// output, then one with the whole answer.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "suite/registry/children.hpp"
#include "suite/registry/discovery.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {

// The child's side: `arguments` are those of the hidden command, which runs this. Starts the
// program once more where the plugin wants variables in its environment before it is loaded.
struct Inspection {
  std::filesystem::path file;
  std::vector<Setting> settings;
  std::vector<std::string>
      environment;  // NAME=value, what the first start has set; empty: this is it

  [[noreturn]] void run() const;
};

// The parent's side. Both with the same settings: one that crashes is told to be started with them.
ChildStart inspection_of(const Candidate& candidate, std::span<const Setting> settings);
Plugin inspected(const Candidate& candidate, const ChildEnd& end,
                 std::span<const Setting> settings);

}  // namespace breakeven
