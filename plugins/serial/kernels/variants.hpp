// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

extern const Variant avx512, avx2, plain;  // the first two only on x86-64

}  // namespace breakeven::serial
