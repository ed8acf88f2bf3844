// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/loader.hpp"

// The standard's filesystem and error codes, instead of Boost's libraries.
#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "suite/machine/binding.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven {
namespace {

// What dlerror says, without Boost's frame and the path that the reader sees anyway.
std::string loader_message(std::string text, const std::filesystem::path& file) {
  for (const std::string& frame :
       {std::string("(dlerror system message: "), file.string() + ": "}) {
    if (const auto at = text.find(frame); at != text.npos) text.erase(0, at + frame.size());
  }
  if (const auto tail = text.rfind("): "); tail != text.npos) text.erase(tail);
  return text;
}

std::string_view fix_for(std::string_view message) {
  if (message.find("cannot open shared object file") != message.npos)
    return "install that library, or put it beside the plugin";
  if (message.find("undefined symbol") != message.npos)
    return "link what it needs: breakeven_add_plugin(NAME … LINK …)";
  return "build it again on this machine";
}

boost::dll::shared_library open_library(const std::filesystem::path& file) {
  using boost::dll::load_mode::type;
  // Process-wide runtimes cannot be unloaded: the library stays when the handle goes.
  constexpr auto mode =
      static_cast<type>(boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local |
                        static_cast<type>(RTLD_NODELETE));
  try {
    return boost::dll::shared_library(file, mode);
  } catch (const std::exception& error) {
    const std::string message = loader_message(error.what(), file);
    throw Refusal(message, fix_for(message));
  }
}

// A symbol may be found in a dependency as well.
void require_own(const void* symbol, const std::filesystem::path& file) {
  Dl_info info{};
  std::error_code ignored;
  if (dladdr(symbol, &info) != 0 && std::filesystem::equivalent(info.dli_fname, file, ignored))
    return;
  throw Refusal(fmt::format("its breakeven_plugin is not its own, but comes from {}",
                            info.dli_fname ? info.dli_fname : "elsewhere"),
                "define breakeven_plugin in the plugin itself");
}

bool is_backend_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  return !name.empty() && name.size() <= longest && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// What the first plugins of this API have: `create` was the last field.
constexpr std::size_t least_bytes =
    offsetof(Manifest, create) + sizeof(std::declval<Manifest>().create);

void require_compatible(const Manifest& manifest) {
  if (manifest.api != api_number) {
    throw Refusal(fmt::format("it speaks API {}, this program API {}", manifest.api, api_number),
                  manifest.api < api_number
                      ? "build it again, against this program's SDK: its sources fit"
                      : "use a program of that API, or build it against this one's SDK");
  }
  if (manifest.bytes < least_bytes) {
    throw Refusal(
        fmt::format("its manifest has {} bytes, the least are {}", manifest.bytes, least_bytes),
        "leave Manifest::bytes as it is, and build it again");
  }
  if (manifest.toolchain != toolchain) {
    throw Refusal(
        fmt::format("it was built with {}, this program with {}", manifest.toolchain, toolchain),
        "build it with the same C++ library");
  }
  if (!is_backend_name(manifest.name)) {
    throw Refusal(fmt::format("'{}' is no name for a backend", manifest.name),
                  "use lower-case letters, digits and dashes, 64 at most");
  }
  if (!manifest.create) throw Refusal("its manifest has no create", "set Manifest::create");
}

const Option* option_named(const Manifest& manifest, std::string_view name) {
  const auto found = std::ranges::find(manifest.options, name, &Option::name);
  return found == manifest.options.end() ? nullptr : &*found;
}

}  // namespace

Manifest load_plugin(const std::filesystem::path& file) {
  const KeepAffinity keep_affinity;
  const auto library = open_library(std::filesystem::canonical(file));
  if (!library.has("breakeven_plugin"))
    throw Refusal("it exports no breakeven_plugin", "build it with breakeven_add_plugin()");
  const auto& manifest = library.get<const Manifest>("breakeven_plugin");
  require_own(&manifest, file);
  require_compatible(manifest);
  Manifest known;
  std::memcpy(&known, &manifest, std::min<std::size_t>(manifest.bytes, sizeof known));
  return known;
}

std::map<std::string, std::string> environment_of(const Manifest& manifest,
                                                  std::span<const Setting> settings) {
  std::map<std::string, std::string> environment;
  const auto set_unless_user_did = [&](std::string_view name, std::string_view value) {
    if (!std::getenv(std::string(name).c_str())) environment.emplace(name, value);
  };
  for (const Setting& setting : settings) {
    if (setting.backend != manifest.name) continue;
    const Option* const option = option_named(manifest, setting.name);
    if (option && !option->environment_variable.empty())
      environment.insert_or_assign(std::string(option->environment_variable), setting.value);
  }
  for (const Option& option : manifest.options) {
    if (!option.environment_variable.empty() && !option.default_value.empty())
      set_unless_user_did(option.environment_variable, option.default_value);
  }
  for (const Variable& variable : manifest.environment)
    set_unless_user_did(variable.name, variable.value);
  return environment;
}

const char* probe(const Manifest& manifest) {
  const KeepAffinity keep_affinity;
  return manifest.probe ? manifest.probe() : nullptr;
}

std::unique_ptr<Backend> create_backend(const Manifest& manifest,
                                        std::span<const Setting> settings) {
  std::map<std::string_view, std::string_view> values;
  for (const Option& option : manifest.options) {
    if (option.environment_variable.empty() && !option.default_value.empty())
      values[option.name] = option.default_value;
  }
  for (const Setting& setting : settings) {
    if (setting.backend != manifest.name) continue;
    const Option* const option = option_named(manifest, setting.name);
    if (!option) {
      throw Refusal(fmt::format("it has no option '{}'", setting.name),
                    "`breakeven list --why` shows the options there are");
    }
    if (option->environment_variable.empty()) values[option->name] = setting.value;
  }
  std::vector<Variable> given;
  for (const auto& [name, value] : values) given.push_back({.name = name, .value = value});

  const KeepAffinity keep_affinity;
  auto backend = manifest.create(given);
  if (!backend) throw Refusal("create returned null", "return a backend, or throw the reason");
  return backend;
}

}  // namespace breakeven
