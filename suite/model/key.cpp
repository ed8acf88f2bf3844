// SPDX-License-Identifier: Apache-2.0
#include "suite/model/key.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace breakeven {

namespace {

template <class Enum, std::size_t count>
Enum named(const std::array<std::string_view, count>& names, std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  throw std::invalid_argument(fmt::format("unknown type or math '{}'", name));
}

}  // namespace

std::string device_name(const Key& key) {
  return fmt::format("{}:{}", key.backend, key.device);
}

std::string name_of(const Key& key) {
  std::string name = fmt::format("{}/{}/{}/{}", key.case_name, device_name(key),
                                 type_name(key.type, key.math), key.mode);
  const auto add = [&](std::string_view label, const auto& value, const auto& left_out) {
    if (value != left_out) name += fmt::format("/{}:{}", label, value);
  };
  const bool is_square = key.m == key.n && key.k == key.n;
  add("m", is_square ? 0 : key.m, std::size_t{0});
  add("n", key.n, std::size_t{0});
  add("k", is_square ? 0 : key.k, std::size_t{0});
  const bool is_one_matrix = key.batch == 1 && key.n > 0;
  add("batch", is_one_matrix ? 0 : key.batch, std::size_t{0});
  add("count", key.count, std::size_t{0});
  add("bytes", key.bytes, std::size_t{0});
  add("memory", key.memory, std::string());
  add("direction", key.direction, std::string());
  add("cache", key.cache, std::string("hot"));
  add("devices", key.devices, std::size_t{1});
  add("feeders", key.feeders, std::size_t{1});
  return name;
}

void to_json(nlohmann::json& json, const Key& key) {
  json = {{"case", key.case_name},
          {"backend", key.backend},
          {"device", key.device},
          {"type", stored_name(key.type)},
          {"math", math_name(key.math)},
          {"mode", key.mode},
          {"m", key.m},
          {"n", key.n},
          {"k", key.k},
          {"batch", key.batch},
          {"count", key.count},
          {"bytes", key.bytes},
          {"memory", key.memory},
          {"direction", key.direction},
          {"cache", key.cache},
          {"devices", key.devices},
          {"feeders", key.feeders}};
}

void from_json(const nlohmann::json& json, Key& key) {
  json.at("case").get_to(key.case_name);
  json.at("backend").get_to(key.backend);
  json.at("device").get_to(key.device);
  key.type = named<Type>(stored_names, json.at("type").get<std::string>());
  key.math = named<Math>(math_names, json.at("math").get<std::string>());
  json.at("mode").get_to(key.mode);
  json.at("m").get_to(key.m);
  json.at("n").get_to(key.n);
  json.at("k").get_to(key.k);
  json.at("batch").get_to(key.batch);
  json.at("count").get_to(key.count);
  json.at("bytes").get_to(key.bytes);
  json.at("memory").get_to(key.memory);
  json.at("direction").get_to(key.direction);
  json.at("cache").get_to(key.cache);
  json.at("devices").get_to(key.devices);
  json.at("feeders").get_to(key.feeders);
}

}  // namespace breakeven
