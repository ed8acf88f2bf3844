# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=FILE.cpp -DNAMES=a;b -DFILES=path;path -P embed.cmake: the texts of files as constants
# breakeven::assets::a and b.
set(text "#include \"reports/html/assets.hpp\"\nnamespace breakeven::assets {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ "${file}" content)
  # One literal is at most 64 KiB in standard C++; neighbours are joined.
  string(LENGTH "${content}" length)
  string(APPEND text "const std::string_view ${name} =\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 16000 part)
    string(APPEND text "R\"BREAKEVEN(${part})BREAKEVEN\"\n")
    math(EXPR at "${at} + 16000")
  endwhile()
  string(APPEND text ";\n")
endforeach()
string(APPEND text "}  // namespace breakeven::assets\n")
file(WRITE "${OUT}" "${text}")
