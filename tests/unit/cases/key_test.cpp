// SPDX-License-Identifier: Apache-2.0
#include "suite/model/key.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace breakeven {
namespace {

Key product(std::size_t m, std::size_t n, std::size_t k) {
  Key key;
  key.case_name = "matmul";
  key.backend = "cublas";
  key.mode = "resident";
  key.m = m;
  key.n = n;
  key.k = k;
  key.batch = 1;
  return key;
}

TEST(Key, ASquareProductIsNamedByOneNumber) {
  EXPECT_EQ(name_of(product(1024, 1024, 1024)), "matmul/cublas:0/f32/resident/n:1024");
}

TEST(Key, OtherShapesAreNamedInFull) {
  EXPECT_EQ(name_of(product(1, 4096, 64)), "matmul/cublas:0/f32/resident/m:1/n:4096/k:64");
}

TEST(Key, WhatIsNotTheDefaultIsInTheName) {
  Key key = product(100, 100, 100);
  key.device = 1;
  key.math = Math::tf32;
  key.batch = 7;
  key.count = 10;
  key.memory = "pinned";
  key.direction = "h2d";
  key.cache = "cold";
  key.devices = 2;
  key.feeders = 2;
  EXPECT_EQ(name_of(key),
            "matmul/cublas:1/tf32/resident/n:100/batch:7/count:10/memory:pinned/direction:h2d/"
            "cache:cold/devices:2/feeders:2");
}

TEST(Key, ABatchOfOneIsNamedWhereItIsTheSize) {
  Key key;
  key.case_name = "mlp-jacobian";
  key.backend = "serial";
  key.mode = "batched";
  key.batch = 1;
  EXPECT_EQ(name_of(key), "mlp-jacobian/serial:0/f32/batched/batch:1");
}

TEST(Key, SurvivesTheWayThroughTheWorkersLine) {
  Key key = product(1, 2, 3);
  key.type = Type::bf16;
  key.math = Math::tf32;
  key.device = 4;
  key.batch = 5;
  key.count = 6;
  key.bytes = 7;
  key.memory = "pinned";
  key.direction = "both";
  key.cache = "cold";
  key.devices = 8;
  key.feeders = 9;
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(key).dump()).get<Key>(), key);
}

TEST(Key, AnUnknownTypeIsRefused) {
  nlohmann::json json = product(1, 1, 1);
  json["type"] = "f8";
  EXPECT_THROW(json.get<Key>(), std::invalid_argument);
}

}  // namespace
}  // namespace breakeven
