// SPDX-License-Identifier: Apache-2.0
#include "reports/text/pattern.hpp"
#include "reports/text/usage.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <stdexcept>

namespace breakeven {

Pattern::Pattern(std::string_view option, const std::string& text)
    : expression_(std::make_unique<re2::RE2>(text, re2::RE2::Quiet)) {
  if (expression_->ok()) {
    return;
  }
  // RE2 takes what follows `(?` and `\` for what it knows.
  const bool is_lacking = text.find("(?") != text.npos || text.find('\\') != text.npos;
  throw UsageError(
      fmt::format("{} '{}' is not a regular expression: {}{}", option, text, expression_->error(),
                  is_lacking ? "; look-ahead, look-behind and back-references are not known" : ""));
}

Pattern::~Pattern() = default;

bool Pattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

}  // namespace breakeven
