// SPDX-License-Identifier: Apache-2.0
// cannot be created
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

std::unique_ptr<Backend> create(std::span<const Variable>) {
  throw std::runtime_error("zooOpen: the gate is locked");
}

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "throws-in-create",
    .version = "0.1.0",
    .description = "cannot be created",
    .create = create,
};
