// SPDX-License-Identifier: Apache-2.0
// Everything that is parsed of the command line: a value, or a line for the user.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "reports/text/pattern.hpp"
#include "reports/text/shell_word.hpp"
#include "suite/registry/setting.hpp"
#include "suite/run/text.hpp"

namespace {

template <typename Parse>
void attempt(Parse parse) {
  try {
    parse();
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace breakeven;
  const std::string text(data, data + size);
  attempt([&] {
    for (const Shape& shape : parse_sizes(text))
      if (shape.n < 1 || shape.n > (std::size_t{1} << 40)) __builtin_trap();
  });
  attempt([&] { parse_types(text); });
  attempt([&] {
    if (parse_bytes(text) < 1) __builtin_trap();
  });
  attempt([&] {
    if (!(parse_seconds("--budget", text) > 0)) __builtin_trap();
  });
  attempt([&] { parse_assignment("--label", text); });
  attempt([&] { split_list("--case", text); });
  attempt([&] { parse_setting(text); });
  attempt([&] { Pattern("--filter", text).is_in("matmul/serial:0/f32/resident/n:64"); });
  if (shell_word(text).empty()) __builtin_trap();
  return 0;
}
