# SPDX-License-Identifier: Apache-2.0
# Kokkos::kokkoscore and kokkossimd for FLAVOUR: the installed package of Kokkos_ROOT, else built here from KOKKOS_SOURCE.
# PROCESSOR: native, x86-64-v3, x86-64-v4 or armv8-a (openmp). ARCHITECTURE: Kokkos' name of a GPU, or auto (cuda).

# auto: the first GPU of this machine, else Hopper 9.0.
function(detect_gpu out)
  set(name HOPPER90)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed AND found MATCHES "^([0-9]+)\\.([0-9])")
    set(number "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    foreach(known VOLTA70 TURING75 AMPERE80 AMPERE86 AMPERE87 ADA89 HOPPER90 BLACKWELL100 BLACKWELL103
                  BLACKWELL120)
      if(known MATCHES "[A-Z]${number}$")
        set(name "${known}")
      endif()
    endforeach()
  endif()
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

# One definition of an inline variable per plugin, in the objects of Kokkos as well; nvcc_wrapper hands
# the option on.
if(FLAVOUR STREQUAL "cuda" OR CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-gnu-unique)
endif()

if(Kokkos_ROOT)
  find_package(Kokkos 5.0 REQUIRED)
  string(TOUPPER "${FLAVOUR}" backend)
  kokkos_check(DEVICES ${backend} SERIAL)
  list(JOIN Kokkos_ARCH "+" PROCESSOR)
  if(NOT PROCESSOR)
    set(PROCESSOR generic)
  endif()
  set(ARCHITECTURE "${Kokkos_ARCH}")
  if(FLAVOUR STREQUAL "cuda")
    list(FILTER ARCHITECTURE INCLUDE REGEX "^(VOLTA|TURING|AMPERE|ADA|HOPPER|BLACKWELL)[0-9]+$")
    set_property(TARGET Kokkos::CUDA PROPERTY INTERFACE_LINK_LIBRARIES CUDA::cudart_static)
  endif()
  return()
endif()

set(Kokkos_ENABLE_SERIAL ON)
set(Kokkos_ENABLE_LIBDL OFF)
set(Kokkos_ENABLE_DEPRECATED_CODE_5 OFF)
set(BUILD_SHARED_LIBS OFF)
if(FLAVOUR STREQUAL "openmp")
  set(Kokkos_ENABLE_OPENMP ON)
  if(PROCESSOR STREQUAL "native")
    set(Kokkos_ARCH_NATIVE ON)
  elseif(PROCESSOR STREQUAL "x86-64-v4")
    set(Kokkos_ARCH_SKX ON)
  elseif(PROCESSOR STREQUAL "x86-64-v3")
    set(Kokkos_ARCH_HSW ON)
  elseif(PROCESSOR STREQUAL "armv8-a")
    set(Kokkos_ARCH_ARMV80 ON)
  else()
    message(FATAL_ERROR "kokkos-openmp: BREAKEVEN_KOKKOS_CPU names '${PROCESSOR}'; known are native, x86-64-v3, \
x86-64-v4 and armv8-a")
  endif()
else()
  set(Kokkos_ENABLE_CUDA ON)
  if(ARCHITECTURE STREQUAL "auto")
    detect_gpu(ARCHITECTURE)
  endif()
  set(Kokkos_ARCH_${ARCHITECTURE} ON)
endif()
message(STATUS "kokkos-${FLAVOUR}: for ${PROCESSOR}${ARCHITECTURE}")
add_subdirectory("${KOKKOS_SOURCE}" kokkos EXCLUDE_FROM_ALL SYSTEM)
# Its sources together take a quarter of the time: they are short, what they include is not.
set_target_properties(kokkoscore PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
if(FLAVOUR STREQUAL "cuda")
  # The static runtime; and what Kokkos wants of libcuda is in cuda/driver.cpp.
  set_property(TARGET CUDA PROPERTY INTERFACE_LINK_LIBRARIES CUDA::cudart_static)
endif()
