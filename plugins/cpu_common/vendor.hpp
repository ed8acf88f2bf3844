// SPDX-License-Identifier: Apache-2.0
// Whose processor this is, as far as shapes are cut otherwise for it.
#pragma once

namespace breakeven::cpu {

// Or BREAKEVEN_PRETENDED_VENDOR says so, for tests.
bool is_intel();

}  // namespace breakeven::cpu
