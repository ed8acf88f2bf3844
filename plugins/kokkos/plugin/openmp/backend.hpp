// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <breakeven/plugin.hpp>
#include <optional>

#include "plugins/cpu_common/way.hpp"

namespace breakeven::kokkos {

// Starts Kokkos; once per process. Products are made in that way, or where none is given in the
// fastest one.
std::unique_ptr<Backend> make_backend(const std::optional<cpu::Way>& way);

}  // namespace breakeven::kokkos
