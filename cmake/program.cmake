# SPDX-License-Identifier: Apache-2.0
# `cmake --build DIR --target program` builds what users run, and no tests.

function(collect_plugins folder result)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  list(FILTER targets INCLUDE REGEX "^plugin_")
  foreach(inner IN LISTS folders)
    collect_plugins("${inner}" more)
    list(APPEND targets ${more})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

set(plugins)
get_property(folders DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY SUBDIRECTORIES)
list(FILTER folders INCLUDE REGEX "/plugins/")
foreach(folder IN LISTS folders)
  collect_plugins("${folder}" more)
  list(APPEND plugins ${more})
endforeach()
add_custom_target(program)
add_dependencies(program breakeven ${plugins})
