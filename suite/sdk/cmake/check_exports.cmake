# SPDX-License-Identifier: Apache-2.0
# Fails where PLUGIN exports anything but `breakeven_plugin`; a wrong plugin is removed.
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${PLUGIN}
  OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(exports)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" symbol "${line}")
  list(APPEND exports "${symbol}")
endforeach()
if(failed OR NOT exports STREQUAL "breakeven_plugin")
  file(REMOVE "${PLUGIN}")
  string(REPLACE ";" ", " found "${exports}")
  message(FATAL_ERROR "${PLUGIN} must export exactly one symbol, breakeven_plugin, but exports: "
    "[${found}]. Define `extern \"C\" const breakeven::Manifest breakeven_plugin` in one source.")
endif()
