# SPDX-License-Identifier: Apache-2.0
# bf16_tiles: the source behind bf16_tiles.hpp, and how the folder that includes this compiles it (x86-64).
set(bf16_tiles ${CMAKE_CURRENT_LIST_DIR}/bf16_tiles.cpp)
set_source_files_properties(${bf16_tiles} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS
  "-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mavx512bf16;-mamx-tile;-mamx-bf16;-mprefer-vector-width=512")
