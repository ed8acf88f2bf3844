# SPDX-License-Identifier: Apache-2.0
# What the CUDA plugins share. Include it where it is needed, then call
#   breakeven_enable_cuda(found)  in the folder that wants CUDA sources or libraries: without, found_missing says why,
#   breakeven_cuda_common()       for the target cuda_common, which needs no CUDA compiler.
# Targets here never bring the CUDA runtime along: a plugin links CUDA::cudart_static, and the test
# double takes its place in the tests.

set(BREAKEVEN_CUDA_COMMON_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Sets `found`, in the caller's scope, where there is a toolkit that can be used.
macro(breakeven_enable_cuda found)
  set(${found} FALSE)
  find_package(CUDAToolkit 12.2 QUIET)
  # The compiler of that toolkit, also where PATH does not name it. It is tried: it refuses host compilers newer than it.
  if(CUDAToolkit_FOUND AND NOT CMAKE_CUDA_COMPILER)
    if(NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} "${CUDAToolkit_NVCC_EXECUTABLE}")
    endif()
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit)
    set(${found}_missing "nobody asked for it, and no GPU is here; BREAKEVEN_GPU=yes ./bootstrap run builds it")
  elseif(NOT CUDAToolkit_FOUND)
    set(${found}_missing "no CUDA toolkit 12.2 or later found; install one (container images and Python's \
nvidia-cuda-nvcc have it too) and set CUDAToolkit_ROOT")
  elseif(NOT CMAKE_CUDA_COMPILER)
    set(${found}_missing "$ENV{CUDACXX} does not compile with ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}; name \
a compiler that it takes with CUDAHOSTCXX")
  else()
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
    ${dir}/dynamic_library.cpp ${dir}/nvml.cpp ${dir}/operands.cpp ${dir}/peaks.cpp ${dir}/placement.cpp
    ${dir}/processors_beside.cpp ${dir}/sequence.cpp ${dir}/stream.cpp)
  # An object of its own, so that the tests can link another.
  set_source_files_properties(${dir}/processors_beside.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
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
