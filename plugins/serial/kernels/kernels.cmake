# SPDX-License-Identifier: Apache-2.0
# The kernels of one core, for every CPU plugin that wants them; built once.
include_guard(GLOBAL)

add_library(serial_kernels STATIC ${CMAKE_CURRENT_LIST_DIR}/plain.cpp)
target_include_directories(serial_kernels PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(serial_kernels PRIVATE breakeven_warnings)
target_compile_features(serial_kernels PUBLIC cxx_std_20)
set_target_properties(serial_kernels PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
