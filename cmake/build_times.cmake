# SPDX-License-Identifier: Apache-2.0
# What makes a build from nothing short: sources compiled together, and optimisation where it shows.

# The presets compile the sources of a target together (CMAKE_UNITY_BUILD): headers are read once, and what
# several sources instantiate is made once. What cannot be together stands here.
function(compile_apart target)  # SOURCE...: those; without any, all of the target
  if(NOT TARGET ${target})
    return()
  endif()
  if(ARGN)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE sources)
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

compile_apart(cuda_common plugins/cuda_common/nvml.cpp)
compile_apart(plugin_opencl plugins/opencl/calls.cpp plugins/opencl/sequence.cpp)
compile_apart(serial_kernels)  # long templates, nothing in common
# They know other things under the names of their neighbours (Cell, Finding).
compile_apart(breakeven_command_line suite/command_line/run_summary.cpp)

# What neither measures nor reads thousands of rows: compiled in two thirds of the time.
foreach(target breakeven breakeven_first breakeven_command_line breakeven_other_commands breakeven_skeleton
    breakeven_registry breakeven_protocol breakeven_conformance breakeven_machine breakeven_model breakeven_run breakeven_find breakeven_text breakeven_reports breakeven_html
    breakeven_compare breakeven_export breakeven_history breakeven_answers breakeven_charts breakeven_fleet
    breakeven_break_even breakeven_finding_formats)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endforeach()
