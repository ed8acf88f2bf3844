# SPDX-License-Identifier: Apache-2.0
# add_kokkos_flavour(openmp|cuda FOLDER CMAKE_ARGS...) builds plugin/ once, as an outside author would: a
# project of its own that finds the installed SDK. FOLDER, empty or of those below plugins/ that are for some
# processors only, is where it goes. Kokkos is the installed one of
# kokkos_FLAVOUR_ROOT, else kokkos_SOURCE. nvcc takes kokkos_nvcc_flags, too.
include(ExternalProject)

set(kokkos_sdk "${PROJECT_BINARY_DIR}/kokkos/sdk")
file(GLOB_RECURSE sdk_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/suite/sdk/*")
add_custom_command(OUTPUT "${kokkos_sdk}.installed" VERBATIM
  COMMAND ${CMAKE_COMMAND} --install "${PROJECT_BINARY_DIR}/suite/sdk" --prefix "${kokkos_sdk}"
  COMMAND ${CMAKE_COMMAND} -E touch "${kokkos_sdk}.installed"
  DEPENDS ${sdk_files} COMMENT "Installing the plugin SDK for the Kokkos plugins")
add_custom_target(kokkos_sdk DEPENDS "${kokkos_sdk}.installed")

function(add_kokkos_flavour flavour folder)
  set(name "${flavour}")
  if(folder)
    string(APPEND BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY "/${folder}")
    string(MAKE_C_IDENTIFIER "${flavour}_${folder}" name)
  endif()
  set(file "${BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY}/kokkos-${flavour}.so")
  set(binary "${PROJECT_BINARY_DIR}/kokkos/${name}")
  # Paths relative to the build tree let ccache serve any other clone; nvcc_wrapper reads the rest.
  set(environment ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${PROJECT_BINARY_DIR}"
    "NVCC_WRAPPER_DEFAULT_COMPILER=${CMAKE_CXX_COMPILER}")
  if(flavour STREQUAL "cuda")
    list(APPEND environment "CUDA_ROOT=${CUDAToolkit_TARGET_DIR}" "NVCC_APPEND_FLAGS=${kokkos_nvcc_flags}")
  endif()
  set(cache)
  foreach(variable CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER_LAUNCHER CMAKE_EXE_LINKER_FLAGS
                   CMAKE_MODULE_LINKER_FLAGS BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY)
    if(${variable})
      list(APPEND cache "-D${variable}:STRING=${${variable}}")
    endif()
  endforeach()
  # Both are given, so that a build folder forgets the Kokkos it had before.
  list(APPEND cache "-DKokkos_ROOT:PATH=${kokkos_${flavour}_ROOT}"
    "-DKOKKOS_SOURCE:PATH=${kokkos_SOURCE}")
  ExternalProject_Add(plugin_kokkos_${name}
    SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/plugin" BINARY_DIR "${binary}" PREFIX "${binary}/step"
    CONFIGURE_COMMAND ${environment} ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR}
      -S <SOURCE_DIR> -B <BINARY_DIR> --no-warn-unused-cli
      -DFLAVOUR=${flavour} -DCMAKE_PREFIX_PATH=${kokkos_sdk}
      -DPLUGIN_VERSION=${PROJECT_VERSION} ${cache} ${ARGN}
    BUILD_COMMAND ${environment} ${CMAKE_COMMAND} --build <BINARY_DIR>
    INSTALL_COMMAND "" TEST_COMMAND "" BUILD_ALWAYS ON BUILD_BYPRODUCTS "${file}"
    USES_TERMINAL_CONFIGURE ON USES_TERMINAL_BUILD ON DEPENDS kokkos_sdk)
  install(PROGRAMS "${file}" DESTINATION lib/breakeven/plugins/${folder})
endfunction()
