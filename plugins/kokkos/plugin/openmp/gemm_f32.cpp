// SPDX-License-Identifier: Apache-2.0
#include "chosen_way.hpp"

namespace breakeven::kokkos {

// In tiles_f32.cpp.
extern template void list_calls(const Steps<OneStep<float>>&, const Part&, std::size_t, bool,
                                std::size_t, std::vector<Call<OneStep<float>>>&);
extern template void run_panel(const Steps<OneStep<float>>&, const Part&, std::size_t, std::size_t,
                               const Strips<float>&, const StripRange&, const float*, float*, bool,
                               const float*);

template std::unique_ptr<Task> launch(const Product<float>&, const Target&);

}  // namespace breakeven::kokkos
