// SPDX-License-Identifier: Apache-2.0
// What was found, for programs: as JSON, as environment variables, as a C header.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "reports/break_even/stored_sweep.hpp"

namespace breakeven {

enum class FindingFormat { env, header, json };

// The least size from which on the second side wins wherever anybody does. None: at the largest
// sizes it is not known to win.
std::optional<std::size_t> pays_off_from(const Finding& finding);

// One of `break_even` in `report --json` and of `findings` in `find --format json`.
nlohmann::json finding_json(const StoredSweep& sweep);

// `BREAKEVEN_MATMUL_F32_N`
std::string setting_name(const StoredSweep& sweep);

// Throws std::invalid_argument where `setting` is no name of a variable.
void require_setting_name(const std::string& setting);

// A whole file. `setting` names what holds `pays_off_from`, `setting`_LOW the size up to which the
// first side wins; empty: setting_name. A setting that nothing was found for is left out, with the
// reason as a comment, so that who reads it keeps a default. Throws std::invalid_argument where one
// setting would have to stand for several sweeps.
std::string findings_text(FindingFormat format, std::span<const StoredSweep> sweeps,
                          std::string setting);

}  // namespace breakeven
