# SPDX-License-Identifier: Apache-2.0
# What is not built is told while configuring, and by `breakeven list --why`.
function(breakeven_plugin_off name why)
  message(STATUS "breakeven: plugin ${name} is off: ${why}")
  set_property(GLOBAL APPEND_STRING PROPERTY BREAKEVEN_PLUGINS_OFF "${name}: ${why}\n")
endfunction()

# Once all plugins have been looked at.
function(breakeven_write_plugins_off)
  get_property(lines GLOBAL PROPERTY BREAKEVEN_PLUGINS_OFF)
  set(file "${BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY}/not_built.txt")
  file(WRITE "${file}" "${lines}")
  install(FILES "${file}" DESTINATION "lib/breakeven/plugins")
endfunction()
