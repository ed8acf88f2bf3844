# SPDX-License-Identifier: Apache-2.0
# What the plugins of MPI share: starting ranks and commanding them, and the program that they run. MPI is linked by
# that alone.
include_guard(GLOBAL)

find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  return()
endif()
set(folder "${CMAKE_CURRENT_LIST_DIR}")
set(build "${PROJECT_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}")
include(CheckCXXSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(OPEN_MPI mpi.h BREAKEVEN_MPI_IS_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)

add_library(mpi_team STATIC ${folder}/device.cpp ${folder}/grid_backend.cpp ${folder}/queue.cpp
  ${folder}/socket.cpp ${folder}/team.cpp ${folder}/wish.cpp)
target_include_directories(mpi_team PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(mpi_team PUBLIC breakeven::sdk PRIVATE breakeven_warnings ${CMAKE_DL_LIBS})
target_compile_definitions(mpi_team PUBLIC "BREAKEVEN_MPI_BUILD=\"${build}\""
  PRIVATE $<$<BOOL:${BREAKEVEN_MPI_IS_OPEN_MPI}>:BREAKEVEN_OPEN_MPI>)
set_target_properties(mpi_team PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# What every rank runs; what is linked with it says what all ranks do together.
find_package(Threads REQUIRED)
add_library(mpi_rank OBJECT ${folder}/node.cpp ${folder}/rank.cpp ${folder}/socket.cpp ${folder}/stream.cpp)
target_include_directories(mpi_rank PUBLIC ${PROJECT_SOURCE_DIR})
target_compile_definitions(mpi_rank PUBLIC "BREAKEVEN_MPI_BUILD=\"${build}\"" OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(mpi_rank PUBLIC breakeven::sdk MPI::MPI_CXX Threads::Threads ${CMAKE_DL_LIBS}
  PRIVATE breakeven_warnings)

# breakeven_add_rank(target program source)
function(breakeven_add_rank target program source)
  find_package(MPI REQUIRED COMPONENTS CXX)  # its targets are known where they were found
  find_package(Threads REQUIRED)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE mpi_rank breakeven_warnings)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${program} INSTALL_RPATH "$ORIGIN;$ORIGIN/.."
    RUNTIME_OUTPUT_DIRECTORY "${BREAKEVEN_PLUGIN_OUTPUT_DIRECTORY}")
  install(TARGETS ${target} RUNTIME DESTINATION lib/breakeven/plugins)
endfunction()
