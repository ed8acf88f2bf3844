// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/launch.hpp"

#include <algorithm>

namespace breakeven::opencl {

Grid line(const Hardware& hardware, std::size_t items, std::size_t most) {
  const std::size_t group =
      std::min({hardware.largest_group, most, std::max<std::size_t>(items, 1)});
  return {.groups = {(items + group - 1) / group, 1, 1}, .group = {group, 1, 1}};
}

}  // namespace breakeven::opencl
