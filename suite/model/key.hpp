// SPDX-License-Identifier: Apache-2.0
// What identifies a case. Two numbers may be compared only where their keys are equal.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include <breakeven/plugin.hpp>

#include "suite/model/type_names.hpp"

namespace breakeven {

// A size or a name that a case does not have is 0 or empty; it is `NA` in the report.
struct Key {
  std::string case_name;   // `matmul`
  std::string backend;     // `cublas`
  std::size_t device = 0;  // index within the backend; the first one of several
  Type type = Type::f32;
  Math math = Math::native;
  std::string mode;  // `resident`
  std::size_t m = 0, n = 0, k = 0, batch = 0;
  std::size_t count = 0;      // repetitions of a step that belong to the question
  std::size_t bytes = 0;      // of one transfer
  std::string memory;         // `pageable`, `pinned`, `device`: the host's side of a transfer
  std::string direction;      // `h2d`, `d2h`, `d2d`, `peer`, `both`
  std::string cache = "hot";  // or `cold`
  std::size_t devices = 1;    // used at once
  std::size_t feeders = 1;    // threads that hand work over

  bool operator==(const Key&) const = default;
};

// `cublas:0`
std::string device_name(const Key& key);

// The full name that filters see: `matmul/cublas:0/f32/resident/n:1024`. Square products say n
// alone; what has its default is left out.
std::string name_of(const Key& key);

void to_json(nlohmann::json& json, const Key& key);
void from_json(const nlohmann::json& json, Key& key);

}  // namespace breakeven
