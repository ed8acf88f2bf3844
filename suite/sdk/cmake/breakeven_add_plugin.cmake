# SPDX-License-Identifier: Apache-2.0
# breakeven_add_plugin(name SOURCES file... [LINK library...])
#
# Builds the backend plugin `name` as a module that exports `breakeven_plugin` and nothing else, and
# fails the build where that is not so. The file is name.so, put where the program looks for it
# (BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY, else the build folder), and installed to lib/breakeven/plugins.

set(BREAKEVEN_SDK_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(breakeven_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "NO_INSTALL" "OUTPUT_DIRECTORY" "SOURCES;LINK")
  if(NOT plugin_SOURCES)
    message(FATAL_ERROR "breakeven_add_plugin(${name}): no SOURCES given")
  endif()
  string(REPLACE "-" "_" target "plugin_${name}")
  add_library(${target} MODULE ${plugin_SOURCES})
  target_link_libraries(${target} PRIVATE breakeven::sdk ${plugin_LINK})
  target_compile_features(${target} PRIVATE cxx_std_20)

  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" flags)
  # As octal escapes of a string literal, what compiler wrappers and lists would take apart.
  string(REPLACE "\\" "\\134" flags "${flags}")
  string(REPLACE "\"" "\\042" flags "${flags}")
  string(REPLACE ";" "\\073" flags "${flags}")
  string(REPLACE " " "\\040" flags "${flags}")
  target_compile_definitions(${target} PRIVATE "BREAKEVEN_BUILD_FLAGS=\"${flags}\"")

  if(plugin_OUTPUT_DIRECTORY)
    set(output "${plugin_OUTPUT_DIRECTORY}")
  elseif(BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY)
    set(output "${BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY}")
  else()
    set(output "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "${name}" PREFIX "" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${output}"
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    INSTALL_RPATH "$ORIGIN;$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON
    LINK_DEPENDS "${BREAKEVEN_SDK_CMAKE_DIR}/plugin.version")

  # One definition of an inline variable per plugin, not per process.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fno-gnu-unique BREAKEVEN_HAS_NO_GNU_UNIQUE)
  if(BREAKEVEN_HAS_NO_GNU_UNIQUE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
    if(CMAKE_CUDA_COMPILER)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-gnu-unique>)
    endif()
  endif()

  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${BREAKEVEN_SDK_CMAKE_DIR}/plugin.version"
    "LINKER:--exclude-libs,ALL" "LINKER:-z,now")
  # clang's sanitizer runtimes live in the program: their symbols stay undefined here.
  if(NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND "${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize"))
    target_link_options(${target} PRIVATE "LINKER:-z,defs")
  endif()

  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DPLUGIN=$<TARGET_FILE:${target}>
            -P "${BREAKEVEN_SDK_CMAKE_DIR}/check_exports.cmake")
  if(NOT plugin_NO_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION lib/breakeven/plugins)
  endif()
endfunction()
