// SPDX-License-Identifier: Apache-2.0
// Loads a plugin into this process. Only workers and other children do that, never the parent.
#pragma once

#include <breakeven/plugin.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "suite/registry/setting.hpp"

namespace breakeven {

// Loads the file for as long as the process lives, and checks that its manifest is its own and was
// built for this program. The processors that the calling thread may use stay as they were. What
// the result points to lives on; fields that the plugin does not have yet are their defaults.
// Throws Refusal.
Manifest load_plugin(const std::filesystem::path& file);

// The variables that have to be in the environment before the library is loaded: the options that
// are variables, and the fixed ones that the user has not set. Settings of other backends are
// ignored.
std::map<std::string, std::string> environment_of(const Manifest& manifest,
                                                  std::span<const Setting> settings);

// Null where probe says that the plugin is usable here, else its reason.
const char* probe(const Manifest& manifest);

// Throws Refusal for a setting that the plugin does not have, and what the plugin's create throws.
std::unique_ptr<Backend> create_backend(const Manifest& manifest,
                                        std::span<const Setting> settings);

}  // namespace breakeven
