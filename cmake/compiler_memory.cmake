# SPDX-License-Identifier: Apache-2.0
# GCC collects its garbage whenever its heap has doubled, from 128 MB on; a source with many templates takes a
# tenth to a fifth less time if that begins at 512 MB. Where there are 2 GiB or more for each processor.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_host_system_information(RESULT mebibytes QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR each "${mebibytes} / ${processors}")
  if(each GREATER_EQUAL 2000)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
  endif()
endif()
