// SPDX-License-Identifier: Apache-2.0
#include "reports/text/escape.hpp"

#include "reports/schema/schema.hpp"

namespace breakeven {

std::string html(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string json_for_script(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        result += "\\u003c";
        break;
      case '>':
        result += "\\u003e";
        break;
      case '&':
        result += "\\u0026";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace breakeven
