# SPDX-License-Identifier: Apache-2.0
if(NOT TARGET breakeven::sdk)  # inside Breakeven's own tree it is there already
  include("${CMAKE_CURRENT_LIST_DIR}/breakeven-sdk-targets.cmake")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/breakeven_add_plugin.cmake")
