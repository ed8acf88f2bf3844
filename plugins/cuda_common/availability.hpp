// SPDX-License-Identifier: Apache-2.0
// Whether CUDA can be used here at all: what a plugin's probe asks first.
#pragma once

namespace breakeven::cuda {

// Null, or why not and what to do: `no NVIDIA driver`. Makes no context.
const char* reason_unusable();

// What starting the driver took in this process, which is what that asks for first.
double driver_seconds();

}  // namespace breakeven::cuda
