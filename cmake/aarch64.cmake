# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset `aarch64`: Debian's cross compiler, the libraries of cmake/aarch64-sysroot, and QEMU for what
# is run while it is tested. BREAKEVEN_SYSROOT names another folder of libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

if(NOT BREAKEVEN_SYSROOT)
  cmake_path(SET BREAKEVEN_SYSROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot")
endif()
if(NOT EXISTS "${BREAKEVEN_SYSROOT}/usr/lib")
  message(FATAL_ERROR "No arm64 libraries in ${BREAKEVEN_SYSROOT}: run cmake/aarch64-sysroot first")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BREAKEVEN_SYSROOT)
set(CMAKE_SYSROOT "${BREAKEVEN_SYSROOT}")
# What else was installed for Arm, the SDK for one.
list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

set(ENV{PKG_CONFIG_SYSROOT_DIR} "${BREAKEVEN_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${BREAKEVEN_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${BREAKEVEN_SYSROOT}/usr/share/pkgconfig")

find_program(BREAKEVEN_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(BREAKEVEN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${BREAKEVEN_QEMU};-L;${BREAKEVEN_SYSROOT}")
endif()
