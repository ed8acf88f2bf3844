# SPDX-License-Identifier: Apache-2.0
# The kernels of one core, for every CPU plugin that wants them; built once for each family of
# processors.
include_guard(GLOBAL)

set(BREAKEVEN_SERIAL_KERNELS all CACHE STRING
  "Kernels for all processors, or native: only those of the processor that builds (x86-64)")

set(folder ${CMAKE_CURRENT_LIST_DIR})
add_library(serial_kernels STATIC ${folder}/variants.cpp ${folder}/../../cpu_common/family.cpp)
# Sanitizers build everything else without optimisation; the products' tests would take minutes then.
target_compile_options(serial_kernels PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
# Where GCC runs out of registers for addresses it keeps them in those of vectors, and what comes back from
# there waits behind all sums.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  target_compile_options(serial_kernels PRIVATE -mtune-ctrl=^inter_unit_moves_from_vec)
endif()

# Every load and store of unrolled tiles checked in its place takes twice as long to compile as by calls; of vectors
# there is nothing else to say.
set(checks_of_tiles "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
  set(checks_of_tiles -fno-sanitize=undefined --param=asan-instrumentation-with-call-threshold=0)
endif()

# serial_kernels_for(avx2 Avx2 OPTIONS "-mavx2" PARTS "float:Tiles,32,1 Tiles,32,2" ...) adds the source
# of a family, and one for every part: tables of tables.hpp, of a target of targets.hpp (or TARGETS) and a type.
# Families that `serial` chooses from are a VARIANT; the wider ones come later.
function(serial_kernels_for family target)
  cmake_parse_arguments(PARSE_ARGV 2 "" "VARIANT" "TARGETS" "OPTIONS;PARTS")
  if(NOT _TARGETS)
    set(_TARGETS targets.hpp)
  endif()
  set(sources)
  foreach(part IN LISTS _PARTS)
    string(REGEX MATCH "^([a-z]+):(.*)$" found "${part}")
    set(type ${CMAKE_MATCH_1})
    string(REGEX REPLACE "([A-Za-z]+),([0-9,]+) ?" "template struct \\1<${target}, ${type}, \\2>;\n"
      tables "${CMAKE_MATCH_2}")
    string(MAKE_C_IDENTIFIER "${family}_${part}" name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/serial_kernels/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by kernels.cmake.
#include \"plugins/serial/kernels/parts.hpp\"
#include \"plugins/serial/kernels/${_TARGETS}\"

namespace breakeven::serial {
${tables}}
")
    list(APPEND sources ${source})
  endforeach()
  target_sources(serial_kernels PRIVATE ${folder}/${family}.cpp ${sources})
  set_source_files_properties(${folder}/${family}.cpp PROPERTIES COMPILE_OPTIONS "${_OPTIONS}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${_OPTIONS};${checks_of_tiles}")
  if(_VARIANT)
    list(PREPEND variants "&${family}")
    set(variants ${variants} PARENT_SCOPE)
  endif()
endfunction()

# The families of x86-64 that this processor would take, into `result`; all of them unless asked for `native`.
function(wanted_x86_families result)
  set(families avx2 avx512 avx512_bf16 amx_bf16)
  if(BREAKEVEN_SERIAL_KERNELS STREQUAL "native")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null
      OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
    if(macros MATCHES "__AVX512VL__" AND macros MATCHES "__AVX512BW__" AND macros MATCHES "__AVX512DQ__")
      set(families avx512)
      if(macros MATCHES "__AVX512BF16__")
        list(APPEND families avx512_bf16)
      endif()
      if(macros MATCHES "__AMX_BF16__")
        list(APPEND families amx_bf16)
      endif()
    elseif(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__")
      set(families avx2)
    else()
      set(families)
    endif()
  endif()
  set(${result} ${families} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  wanted_x86_families(families)
endif()
# Parts of about equal cost, 10 to 25 seconds each. Tables of rows shorter than a vector of the family
# have no more than two vectors.
if(NOT BREAKEVEN_SERIAL_KERNELS STREQUAL "native" OR NOT families)
  serial_kernels_for(plain Plain VARIANT PARTS
    "float:Tiles,16,1 Tiles,16,2 Tiles,16,3 NarrowTiles,16 FoldTiles,16,1 FoldTiles,16,2"
    "float:Tiles,8,1 Tiles,8,2 NarrowTiles,8"
    "double:Tiles,16,1 Tiles,16,2 Tiles,16,3 NarrowTiles,16 FoldTiles,16,1")
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  if(avx2 IN_LIST families)
    set(rows_of_4_to_14 Tiles,32,4)
    foreach(vectors RANGE 5 14)
      string(APPEND rows_of_4_to_14 " Tiles,32,${vectors}")
    endforeach()
    serial_kernels_for(avx2 Avx2 VARIANT OPTIONS -mavx2 -mfma PARTS
      "float:Tiles,32,1 Tiles,32,2"
      "float:Tiles,32,3 NarrowTiles,32 FoldTiles,32,1 FoldTiles,32,2 FoldTiles,32,4"
      "float:Tiles,16,1 Tiles,16,2 NarrowTiles,16"
      "float:Tiles,8,1 Tiles,8,2 NarrowTiles,8"
      "double:Tiles,32,1 Tiles,32,2"
      "double:Tiles,32,3 NarrowTiles,32 FoldTiles,32,1 FoldTiles,32,2"
      "double:Tiles,16,1 Tiles,16,2 NarrowTiles,16"
      "float:${rows_of_4_to_14}" "double:${rows_of_4_to_14}")
    set_property(SOURCE ${folder}/avx2.cpp APPEND PROPERTY COMPILE_OPTIONS -mf16c)
  endif()
  if(avx512 IN_LIST families)
    set(rows_of_5_to_16 Tiles,64,5)
    foreach(vectors RANGE 6 16)
      string(APPEND rows_of_5_to_16 " Tiles,64,${vectors}")
    endforeach()
    set(rows_of_17_to_28 Tiles,64,17)
    foreach(vectors RANGE 18 28)
      string(APPEND rows_of_17_to_28 " Tiles,64,${vectors}")
    endforeach()
    serial_kernels_for(avx512 Avx512 VARIANT
      OPTIONS -mavx2 -mfma -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512 PARTS
      "float:Tiles,64,1 Tiles,64,2"
      "float:Tiles,64,3 Tiles,64,4"
      "float:${rows_of_5_to_16}" "float:${rows_of_17_to_28}"
      "double:${rows_of_5_to_16}" "double:${rows_of_17_to_28}"
      "float:NarrowTiles,64 FoldTiles,64,1 FoldTiles,64,2 FoldTiles,64,4 FoldTiles,64,8"
      "float:Tiles,32,1 Tiles,32,2 NarrowTiles,32"
      "float:Tiles,16,1 Tiles,16,2 NarrowTiles,16"
      "float:Tiles,8,1 Tiles,8,2 NarrowTiles,8"
      "double:Tiles,64,1 Tiles,64,2"
      "double:Tiles,64,3 Tiles,64,4"
      "double:NarrowTiles,64 FoldTiles,64,1 FoldTiles,64,2 FoldTiles,64,4"
      "double:Tiles,32,1 Tiles,32,2 NarrowTiles,32"
      "double:Tiles,16,1 Tiles,16,2 NarrowTiles,16")
  endif()
  if(avx512_bf16 IN_LIST families)
    serial_kernels_for(avx512_bf16 Avx512 VARIANT)
    serial_kernels_for(vdpbf16ps Avx512
      OPTIONS -mavx2 -mfma -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx512bf16 -mprefer-vector-width=512)
  endif()
  if(amx_bf16 IN_LIST families)
    serial_kernels_for(amx_bf16 Avx512 VARIANT)
    include(${folder}/../../cpu_common/bf16_tiles.cmake)
    target_sources(serial_kernels PRIVATE ${bf16_tiles})
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  serial_kernels_for(neon Neon VARIANT TARGETS arm_targets.hpp PARTS
    "float:Tiles,16,1 Tiles,16,2 NarrowTiles,16 FoldTiles,16,1 FoldTiles,16,2"
    "float:Tiles,16,3 Tiles,16,4"
    "float:Tiles,8,1 Tiles,8,2 NarrowTiles,8"
    "double:Tiles,16,1 Tiles,16,2 NarrowTiles,16 FoldTiles,16,1"
    "double:Tiles,16,3 Tiles,16,4")
  serial_kernels_for(neon_bf16 NeonBf16 VARIANT OPTIONS -march=armv8.2-a+bf16)
  serial_kernels_for(bfmmla NeonBf16 OPTIONS -march=armv8.2-a+bf16)
  serial_kernels_for(sve256 Sve256 VARIANT TARGETS arm_targets.hpp
    OPTIONS -march=armv8.2-a+sve+bf16 -msve-vector-bits=256 PARTS
    "float:Tiles,32,1 Tiles,32,2 NarrowTiles,32 FoldTiles,32,1 FoldTiles,32,2 FoldTiles,32,4"
    "float:Tiles,32,3 Tiles,32,4"
    "float:Tiles,16,1 Tiles,16,2 NarrowTiles,16"
    "float:Tiles,8,1 Tiles,8,2 NarrowTiles,8"
    "double:Tiles,32,1 Tiles,32,2 NarrowTiles,32 FoldTiles,32,1 FoldTiles,32,2"
    "double:Tiles,32,3 Tiles,32,4"
    "double:Tiles,16,1 Tiles,16,2 NarrowTiles,16")
endif()
list(JOIN variants "," variants)
set_property(SOURCE ${folder}/variants.cpp PROPERTY COMPILE_DEFINITIONS "BREAKEVEN_SERIAL_VARIANTS=${variants}")
target_include_directories(serial_kernels PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(serial_kernels PRIVATE breakeven_warnings)
target_compile_features(serial_kernels PUBLIC cxx_std_20)
# Multiplications and additions may become one instruction, which a standard's mode forbids, and tables
# are defined in another source than the one that uses them.
target_compile_options(serial_kernels PRIVATE -ffp-contract=fast
  $<$<CXX_COMPILER_ID:Clang>:-Wno-undefined-var-template>)
set_target_properties(serial_kernels PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
