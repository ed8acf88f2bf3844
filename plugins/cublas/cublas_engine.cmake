# SPDX-License-Identifier: Apache-2.0
# The target cublas_engine: a GPU driven through cuBLAS, for the plugins made of such devices.
set(BREAKEVEN_CUBLAS_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(breakeven_cublas_engine)
  if(TARGET cublas_engine)
    return()
  endif()
  set(dir "${BREAKEVEN_CUBLAS_DIR}")
  breakeven_cuda_common()
  breakeven_cuda_kernels()
  add_library(cublas_engine STATIC ${dir}/device.cpp ${dir}/gemm.cpp
    ${dir}/handle.cpp ${dir}/library.cpp ${dir}/operations.cpp)
  target_link_libraries(cublas_engine PUBLIC cuda_common cuda_kernels PRIVATE breakeven_warnings)
  set_target_properties(cublas_engine PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
