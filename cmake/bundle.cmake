# SPDX-License-Identifier: Apache-2.0
# `cmake --build DIR --target bundle` packs the program, the plugins and the SDK, with the shared
# libraries that only some machines have, into one archive that runs wherever it is unpacked.

# RPATH, not RUNPATH: it also holds for what the bundled libraries need themselves.
set_target_properties(breakeven PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/breakeven")
target_link_options(breakeven PRIVATE LINKER:--disable-new-dtags)

set(CPACK_PACKAGE_NAME breakeven)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME
  "breakeven-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/bundle")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/bundle_libraries.cmake")
set(CPACK_VERBATIM_VARIABLES ON)
# As a Debian package it lies in /usr and leaves its libraries to the packages that it depends on.
set(CPACK_PACKAGE_CONTACT "The Breakeven maintainers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # of the machine's own packages: not when cross-compiled
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
include(CPack)

add_custom_target(bundle COMMAND ${CMAKE_CPACK_COMMAND} --config CPackConfig.cmake
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" COMMENT "Packing the relocatable bundle" VERBATIM)
add_dependencies(bundle program)
add_custom_target(deb COMMAND ${CMAKE_CPACK_COMMAND} --config CPackConfig.cmake -G DEB
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" COMMENT "Packing the Debian package" VERBATIM)
add_dependencies(deb program)
if(TARGET gpu_figures)  # measures the promises on a machine with a GPU
  add_dependencies(bundle gpu_figures)
endif()
