// SPDX-License-Identifier: Apache-2.0
#include <breakeven/plugin.hpp>
