# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/breakeven-sdk-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/breakeven_add_plugin.cmake")
