// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

void require_variant(std::string_view option, std::string_view text, std::string_view backend) {
  const std::string_view variant = backend.substr(std::min(backend.find('@'), backend.size()));
  const bool is_name =
      variant.size() > 1 && std::all_of(variant.begin() + 1, variant.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-';
      });
  if (variant.size() == backend.size() || (!variant.empty() && !is_name)) {
    throw UsageError(fmt::format(
        "{} '{}': a variant is written backend@variant, with letters, digits and dashes", option,
        text));
  }
}

}  // namespace

std::optional<std::pair<std::string, std::filesystem::path>> parse_other_build(
    std::string_view option, std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view variant = text.substr(0, equals);
  if (equals == text.npos || variant.find('/') != variant.npos || variant.find('@') == variant.npos)
    return std::nullopt;
  require_variant(option, text, variant);
  if (equals + 1 == text.size())
    throw UsageError(fmt::format("{} '{}': the file is missing", option, text));
  return std::pair(std::string(variant),
                   std::filesystem::absolute(text.substr(equals + 1)).lexically_normal());
}

Setting parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  const auto dot = text.substr(0, equals).find('.');
  if (equals == text.npos || dot == text.npos || dot == 0 || dot + 1 == equals) {
    throw UsageError(fmt::format("--option '{}' is not of the form backend.name=value", text));
  }
  const std::string_view backend = text.substr(0, dot);
  require_variant("--option", text, backend);
  return {.backend = std::string(backend),
          .name = std::string(text.substr(dot + 1, equals - dot - 1)),
          .value = std::string(text.substr(equals + 1))};
}

std::string_view without_variant(std::string_view backend) {
  return backend.substr(0, backend.find('@'));
}

std::vector<Setting> settings_of(std::string_view backend, std::span<const Setting> all) {
  const std::string_view base = without_variant(backend);
  std::vector<Setting> result;
  for (const Setting& setting : all)
    if (setting.backend == base) result.push_back(setting);
  for (const Setting& setting : all)
    if (backend != base && setting.backend == backend)
      result.push_back({std::string(base), setting.name, setting.value});
  return result;
}

void require_used(std::span<const Setting> all, std::span<const std::string> measured,
                  std::string_view what) {
  for (const Setting& setting : all)
    if (std::ranges::none_of(measured, [&](const std::string& backend) {
          return setting.backend == backend || setting.backend == without_variant(backend);
        }))
      throw UsageError(
          fmt::format("--option {0}.{1}: {0} {2}", setting.backend, setting.name, what));
}

}  // namespace breakeven
