// SPDX-License-Identifier: Apache-2.0
// What `breakeven list` shows. Each ends with a line break.
#pragma once

#include <string>

#include "suite/registry/registry.hpp"

namespace breakeven {

// The usable backends with their devices; equal devices share a line. Then the others by name.
std::string plugin_table(const Registry& registry, bool colour);

// The options of the usable backends.
std::string option_table(const Registry& registry, bool colour);

}  // namespace breakeven
