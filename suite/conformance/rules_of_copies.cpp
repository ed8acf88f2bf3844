// SPDX-License-Identifier: Apache-2.0
// Copies between every kind of memory, of every device, at any byte.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

#include "suite/conformance/bench.hpp"
#include "suite/conformance/rule.hpp"
#include "suite/verify/random.hpp"

namespace breakeven::conformance::rules {
namespace {

struct Place {
  Device* device;
  Memory memory;
  std::string name;
};

std::vector<Place> places(Backend& backend) {
  std::vector<Place> found;
  for (std::size_t i = 0; i < std::min<std::size_t>(backend.devices().size(), 2); ++i) {
    Device* const device = backend.devices()[i];
    for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind) {
      if (device->allocate(64, memory_kinds[kind]))
        found.push_back({device, memory_kinds[kind],
                         fmt::format("{} memory of device {}", memory_names[kind], i)});
    }
  }
  return found;
}

Operand operand_at(const Place& place, std::size_t bytes, std::size_t offset) {
  Operand operand;
  operand.buffer = place.device->allocate(bytes + offset + 64, place.memory);
  if (!operand.buffer) throw Broken(fmt::format("{} bytes of {}: null", bytes, place.name));
  operand.slice = {.buffer = operand.buffer.get(), .offset = offset, .bytes = bytes};
  return operand;
}

// False: not supported.
bool try_copy(Bench& bench, const Place& from, const Place& to, std::size_t bytes,
              std::size_t offset) {
  Bytes contents(bytes), zeros(bytes + offset + 64);
  fill_bytes(bytes + offset, contents);
  Operand source = operand_at(from, bytes, offset), target = operand_at(to, bytes, offset / 2);
  bench.write(source, contents);
  Operand all;
  all.slice = {.buffer = target.buffer.get(), .offset = 0, .bytes = target.buffer->bytes()};
  zeros.resize(all.slice.bytes);
  bench.write(all, zeros);
  const auto task = bench.queue().prepare_any(Copy{.to = target.slice, .from = source.slice});
  if (!task) return false;
  const std::string what = fmt::format("{} bytes from {} to {}", bytes, from.name, to.name);
  std::random_device random;
  // Again where all but a byte of each agree.
  for (const char* const when : {"", ", once a single byte was another"}) {
    task->enqueue();
    bench.queue().synchronize();
    Bytes expected = zeros;
    std::copy(contents.begin(), contents.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(target.slice.offset));
    if (bench.read(target) != contents)
      throw Broken(fmt::format("{} arrived changed{}", what, when));
    if (bench.read(all) != expected) throw Broken(what + " changed what lies around them");
    Bytes spoilt = contents;
    spoilt[random() % bytes] ^= std::byte{1};
    bench.write(target, spoilt);
    contents[random() % bytes] ^= std::byte{2};
    bench.write(source, contents);
  }
  return true;
}

}  // namespace

void copy(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  const auto all = places(*backend);
  std::size_t supported = 0;
  for (const Place& from : all)
    for (const Place& to : all)
      for (const std::size_t bytes : {1u, 3u, 64u, 257u, 100003u})
        for (const std::size_t offset : {0u, 8u, 24u})
          supported += try_copy(bench, from, to, bytes, offset);
  if (supported == 0) throw NotApplicable("it has no copy");
  // Too large for the caches of most processors, so that it may go another way.
  constexpr std::size_t large = 20'000'003;
  for (const std::size_t offset : {0u, 24u})
    try_copy(bench, all.front(), all.back(), large, offset);

  // To where the data already is.
  const Bytes contents(1000, std::byte{42});
  const Operand here = bench.operand(contents);
  if (bench.run(Copy{.to = here.slice, .from = here.slice}) && bench.read(here) != contents)
    throw Broken("a copy to the same place changed the data");
}

}  // namespace breakeven::conformance::rules
