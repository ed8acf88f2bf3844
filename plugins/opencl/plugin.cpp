// SPDX-License-Identifier: Apache-2.0
// The backend `opencl`: every device of every OpenCL platform, GPUs first.
#include <array>
#include <breakeven/plugin.hpp>
#include <charconv>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/opencl/clblast.hpp"
#include "plugins/opencl/device.hpp"
#include "plugins/opencl/tiles.hpp"
#include "plugins/opencl/variables.hpp"

namespace breakeven::opencl {

namespace {

struct Choices {
  unsigned parts = 1;
  std::optional<Products> products;  // none: for each device as is best
  bool tune = false;
  std::optional<Tile> tile;
  std::string advice;
};

unsigned parts_in(std::string_view text) {
  unsigned parts = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts);
  if (error != std::errc() || end != text.data() + text.size() || parts == 0 || parts > 1024)
    throw std::runtime_error("parts is '" + std::string(text) +
                             "': give how many devices to make of each, as 2");
  return parts;
}

bool is_on(std::string_view text) {
  if (text != "on" && text != "off")
    throw std::runtime_error("tune is '" + std::string(text) + "': give on or off");
  return text == "on";
}

Choices chosen(std::span<const Variable> settings) {
  Choices choices;
  std::string_view wanted = "auto";
  for (const Variable& setting : settings) {
    if (setting.name == "parts") choices.parts = parts_in(setting.value);
    if (setting.name == "products") wanted = setting.value;
    if (setting.name == "tune") choices.tune = is_on(setting.value);
    if (setting.name != "tile" || setting.value == "auto") continue;
    choices.tile = tile_in(setting.value);
    if (!choices.tile)
      throw std::runtime_error(
          "tile is '" + std::string(setting.value) +
          "': give rows x vectors x group rows x group columns x depth, as 6x2x1x8x512");
  }
  if (wanted != "auto" && wanted != "clblast" && wanted != "own")
    throw std::runtime_error("products is '" + std::string(wanted) +
                             "': give clblast, own or auto");
  const char* const missing = reason_without_clblast();
  if (missing && wanted == "clblast") throw std::runtime_error(missing);
  if (wanted == "own" || missing) choices.products = Products::own;
  if (wanted == "clblast") choices.products = Products::clblast;
  if (wanted == "auto" && missing)
    choices.advice =
        "install libclblast1, because without it products run on the suite's own kernels";
  return choices;
}

class OpenClBackend final : public Backend {
 public:
  explicit OpenClBackend(Choices choices) : choices_(std::move(choices)) {
    const auto begin = std::chrono::steady_clock::now();
    const auto all = hardware(choices_.parts);
    contexts_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (Hardware* const one : all) {
      // CLBlast is tuned for GPUs; for processors it has nothing to go by.
      const Products usual = one->is_cpu() ? Products::own : Products::clblast;
      pointers_.push_back(&devices_.emplace_back(
          *one, Settings{choices_.products.value_or(usual), choices_.tune, choices_.tile}));
    }
  }

  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return facts_; }
  std::string_view advice() const override { return choices_.advice; }
  std::span<const Stage> stages() const override { return {&contexts_, 1}; }

 private:
  Choices choices_;
  std::deque<OpenClDevice> devices_;
  std::vector<Device*> pointers_;
  Stage contexts_{"contexts"};
  std::array<Fact, 1> facts_{{{"clblast", reason_without_clblast() ? "none" : "1.5 or later"}}};
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<OpenClBackend>(chosen(settings));
}

constexpr std::array<Option, 6> options{{
    {"products", "who multiplies f32 and f64: clblast, own, or auto (own on processors)", "auto",
     ""},
    {"tune", "on: search for the best tile of the own product, once for each device, and keep it",
     "off", ""},
    {"tile",
     "of the own product: rows x vectors x group rows x group columns x depth, as 6x2x1x8x512",
     "auto", ""},
    {"parts", "each device as this many of equal size, where it can be divided", "1", ""},
    {"cache", "off: runtimes keep nothing of what they compile", "", cache_variable},
    {"loader", "the file of another OpenCL loader than libOpenCL.so.1", "", loader_variable},
}};

}  // namespace

}  // namespace breakeven::opencl

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "opencl",
    .version = "0.1.0",
    .description = "GPUs of any maker through OpenCL, and processors with PoCL",
    .options = breakeven::opencl::options,
    .probe = breakeven::opencl::reason_unusable,
    .create = breakeven::opencl::create,
};
