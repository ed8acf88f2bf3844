# SPDX-License-Identifier: Apache-2.0
# What the CPU plugins share: which cores there are, ordinary memory, and a queue that works inside
# enqueue. Included by each of them, built once.
include_guard(GLOBAL)

if(NOT TARGET hwloc::hwloc)
  find_path(HWLOC_INCLUDE_DIR hwloc.h REQUIRED)
  find_library(HWLOC_LIBRARY hwloc REQUIRED)
  add_library(hwloc::hwloc UNKNOWN IMPORTED GLOBAL)
  set_target_properties(hwloc::hwloc PROPERTIES IMPORTED_LOCATION "${HWLOC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HWLOC_INCLUDE_DIR}")
endif()

add_library(cpu_common STATIC
  ${CMAKE_CURRENT_LIST_DIR}/copy_bytes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/host_device.cpp
  ${CMAKE_CURRENT_LIST_DIR}/host_queue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/processors.cpp
  ${PROJECT_SOURCE_DIR}/suite/machine/arm_processors.cpp)
target_include_directories(cpu_common PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(cpu_common PUBLIC breakeven::sdk hwloc::hwloc PRIVATE breakeven_warnings)
set_target_properties(cpu_common PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
