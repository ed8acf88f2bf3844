# SPDX-License-Identifier: Apache-2.0
# What the CUDA plugins share. Include it where it is needed, then call
#   breakeven_enable_cuda(found)  in the folder that wants CUDA sources or libraries,
#   breakeven_cuda_common()       for the target cuda_common, which needs no CUDA compiler.
# Targets here never bring the CUDA runtime along: a plugin links CUDA::cudart_static, and the test
# double takes its place in the tests.

set(BREAKEVEN_CUDA_COMMON_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Sets `found`, in the caller's scope, where there is a toolkit that can be used.
macro(breakeven_enable_cuda found)
  set(${found} FALSE)
  find_package(CUDAToolkit 12.2 QUIET)
  if(CUDAToolkit_FOUND)
    # The compiler of that toolkit, also where PATH does not name it.
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
    endif()
    # Every current generation, and PTX for those to come.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES all-major)
    endif()
    enable_language(CUDA)
    # CMake 3.25.1 does not know that nvcc speaks C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(${found} TRUE)
  endif()
endmacro()

function(breakeven_cuda_common)
  if(TARGET cuda_common)
    return()
  endif()
  set(dir "${BREAKEVEN_CUDA_COMMON_DIR}")
  add_library(cuda_common STATIC
    ${dir}/availability.cpp ${dir}/buffer.cpp ${dir}/check.cpp ${dir}/copy.cpp ${dir}/device.cpp
    ${dir}/dynamic_library.cpp ${dir}/nvml.cpp ${dir}/operands.cpp ${dir}/placement.cpp
    ${dir}/sequence.cpp ${dir}/stream.cpp)
  target_include_directories(cuda_common PUBLIC "${dir}/../..")
  target_include_directories(cuda_common SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(cuda_common PUBLIC breakeven::sdk ${CMAKE_DL_LIBS})
  set_target_properties(cuda_common PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  if(TARGET breakeven_warnings)
    target_link_libraries(cuda_common PRIVATE $<BUILD_INTERFACE:breakeven_warnings>)
  endif()
endfunction()

# The target cuda_kernels; needs the CUDA compiler.
function(breakeven_cuda_kernels)
  if(TARGET cuda_kernels)
    return()
  endif()
  set(dir "${BREAKEVEN_CUDA_COMMON_DIR}/kernels")
  add_library(cuda_kernels STATIC ${dir}/elementwise.cu ${dir}/norm.cu)
  target_include_directories(cuda_kernels PRIVATE
    $<TARGET_PROPERTY:cuda_common,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:breakeven::sdk,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(cuda_kernels PRIVATE -Xcompiler=-Wall,-Wextra)
  set_target_properties(cuda_kernels PROPERTIES
    CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
    CUDA_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY None)
endfunction()
