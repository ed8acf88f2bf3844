// SPDX-License-Identifier: Apache-2.0
// wants variables before it is loaded
#include <cstdlib>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

// Read once, while the library is loaded, as OpenBLAS does.
const char* const keeper = std::getenv("ZOO_KEEPER");
const char* const fence = std::getenv("ZOO_FENCE");

constexpr std::array<Option, 2> options = {
    {{.name = "keeper",
      .help = "who feeds",
      .default_value = "nobody",
      .environment_variable = "ZOO_KEEPER"},
     {.name = "visitors", .help = "how many", .default_value = "12", .environment_variable = {}}}};
constexpr std::array<Variable, 1> environment = {{{.name = "ZOO_FENCE", .value = "high"}}};

class FencedBackend : public zoo::SoundBackend<> {
 public:
  explicit FencedBackend(std::string_view visitors)
      : visitors_(visitors),
        facts_{{{.key = "keeper", .value = keeper ? keeper : "unset"},
                {.key = "fence", .value = fence ? fence : "unset"},
                {.key = "visitors", .value = visitors_}}} {}
  std::span<const Fact> facts() const override { return facts_; }

 private:
  std::string visitors_;
  std::array<Fact, 3> facts_;
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<FencedBackend>(settings.empty() ? "unset" : settings[0].value);
}

}  // namespace

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "wants-environment",
    .version = "0.1.0",
    .description = "wants variables before it is loaded",
    .environment = environment,
    .options = options,
    .create = create,
};
