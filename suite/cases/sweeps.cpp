// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/sweeps.hpp"

#include <algorithm>

namespace breakeven {

namespace {

// What the user wants of what the case has; what the preset has where nothing is wanted.
template <class Wanted, class Has>
std::vector<Has> chosen(const std::vector<Wanted>& wanted, std::span<const Has> possible,
                        const std::vector<Has>& preset) {
  if (wanted.empty()) return preset;
  std::vector<Has> both;
  for (const Wanted& one : wanted)
    for (const Has& has : possible)
      if (has == one) both.push_back(has);
  return both;
}

}  // namespace

std::vector<Shape> squares(std::initializer_list<std::size_t> sizes) {
  std::vector<Shape> shapes;
  for (const std::size_t n : sizes) shapes.push_back({n, n, n});
  return shapes;
}

std::vector<std::size_t> powers(std::size_t first, std::size_t last, std::size_t factor) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = first; size <= last; size *= factor) sizes.push_back(size);
  return sizes;
}

std::vector<Key> with_counts(const Key& key, const Selection& selection) {
  if (selection.counts.empty() || key.count == 0) return {key};
  std::vector<Key> keys(selection.counts.size(), key);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].count = selection.counts[i];
  return keys;
}

std::vector<Key> keys_of(
    const Case& definition, const Selection& selection, std::span<const NumberType> types,
    std::span<const Sweep> preset,
    const std::function<std::vector<Key>(std::string_view mode, const Shape& shape)>& make,
    const std::function<bool(const Key&)>& cold) {
  const std::vector<std::string> caches =
      selection.caches.empty() ? std::vector<std::string>{"hot"} : selection.caches;
  std::vector<Key> keys;
  const auto add = [&](Key key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  };
  for (const Sweep& sweep : preset)
    for (const std::string_view mode : chosen(selection.modes, definition.modes(), sweep.modes))
      for (const NumberType& type : chosen(selection.types, types, sweep.types))
        for (const Shape& shape : selection.sizes.empty() ? sweep.shapes : selection.sizes)
          for (const std::string& cache : caches)
            for (Key& key : make(mode, shape)) {
              key.mode = mode;
              key.type = type.type;
              key.math = type.math;
              key.cache = cache;
              if (cache == "hot" || cold(key)) add(std::move(key));
            }
  return keys;
}

}  // namespace breakeven
