# SPDX-License-Identifier: Apache-2.0
# Run by CPack between installing and packing: puts the shared libraries that the program and its
# plugins need into lib/breakeven. The machine provides glibc, the libraries of its compiler and of udev (those of the
# machine that packs ask for its own, newer glibc), the NVIDIA driver and the CUDA toolkit.
if(CPACK_GENERATOR STREQUAL "DEB")
  return()  # its libraries are packages
endif()
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
file(GLOB plugins "${root}/lib/breakeven/plugins/*.so" "${root}/lib/breakeven/plugins/*/*.so")
set(CMAKE_GET_RUNTIME_DEPENDENCIES_PLATFORM linux+elf)
set(CMAKE_GET_RUNTIME_DEPENDENCIES_TOOL objdump)
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES "${root}/bin/breakeven" MODULES ${plugins}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util|anl|mvec)\\.so"
    "^lib(stdc\\+\\+|gcc_s|udev)\\.so"
    "^lib(cuda|cudart|cublas|cublasLt|nvidia-ml|nvrtc|nvJitLink)\\.so")
if(missing)
  message(FATAL_ERROR "The bundle needs libraries that are not found: ${missing}")
endif()
foreach(library IN LISTS libraries)
  file(INSTALL DESTINATION "${root}/lib/breakeven" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN
    FILES "${library}")
endforeach()
find_program(python NAMES python3)
if(python)
  file(GLOB packed "${root}/bin/*" "${root}/lib/breakeven/*.so*" ${plugins})
  execute_process(COMMAND "${python}" "${CMAKE_CURRENT_LIST_DIR}/../packaging/older_libstdcxx" ${packed}
    COMMAND_ERROR_IS_FATAL ANY)
else()
  message(WARNING "Without Python 3 the bundle needs the C++ library of the compiler that made its libraries")
endif()
