# SPDX-License-Identifier: Apache-2.0
# The target gpu_block, where Boost.Context is; gpu_block_watches(SOURCE) lets blocks see the accesses of a source.
find_package(Boost QUIET COMPONENTS context)
if(Boost_CONTEXT_FOUND AND NOT TARGET gpu_block)
  add_library(gpu_block STATIC "${CMAKE_CURRENT_LIST_DIR}/block.cpp")
  target_include_directories(gpu_block PUBLIC "${CMAKE_CURRENT_LIST_DIR}/../../..")
  target_link_libraries(gpu_block PRIVATE Boost::context)
  # Sanitizers do not know that it changes stacks.
  target_compile_options(gpu_block PRIVATE -O2 -Wall -Wextra -Wshadow)
  set_target_properties(gpu_block PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(gpu_block PRIVATE -fno-sanitize=all)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(watched "-fsanitize=thread;--param=tsan-instrument-func-entry-exit=0")
    target_sources(gpu_block PRIVATE "${CMAKE_CURRENT_LIST_DIR}/accesses.cpp")
    target_compile_definitions(gpu_block INTERFACE ACCESSES_ARE_WATCHED)
  endif()
  set_property(TARGET gpu_block PROPERTY WATCHED "${watched}")
endif()

function(gpu_block_watches source)
  get_target_property(watched gpu_block WATCHED)
  set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS ${watched})
endfunction()
