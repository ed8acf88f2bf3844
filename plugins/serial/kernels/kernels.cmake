# SPDX-License-Identifier: Apache-2.0
# The kernels of one core, for every CPU plugin that wants them; built once, with one source for each
# family of processors.
include_guard(GLOBAL)

set(folder ${CMAKE_CURRENT_LIST_DIR})
add_library(serial_kernels STATIC ${folder}/variants.cpp ${folder}/plain.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  target_sources(serial_kernels PRIVATE ${folder}/avx2.cpp ${folder}/avx512.cpp)
  set_source_files_properties(${folder}/avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(${folder}/avx512.cpp PROPERTIES COMPILE_OPTIONS
    "-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mprefer-vector-width=512")
endif()
target_include_directories(serial_kernels PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(serial_kernels PRIVATE breakeven_warnings)
target_compile_features(serial_kernels PUBLIC cxx_std_20)
# Multiplications and additions may become one instruction, which a standard's mode forbids.
target_compile_options(serial_kernels PRIVATE -ffp-contract=fast)
set_target_properties(serial_kernels PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
