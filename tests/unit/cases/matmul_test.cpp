// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "suite/cases/all_cases.hpp"
#include "suite/model/case.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

class Matmul : public testing::Test {
 protected:
  std::unique_ptr<PreparedCase> prepare(const std::string& mode) {
    key_.case_name = "matmul";
    key_.backend = "deferred";
    key_.mode = mode;
    key_.m = key_.n = key_.k = 40;
    key_.batch = 1;
    if (mode == "offload-once") key_.count = 5;
    if (mode.starts_with("offload")) key_.memory = "pageable";
    return prepare();
  }
  std::unique_ptr<PreparedCase> prepare() {
    for (const Case* definition : all_cases())
      if (definition->name() == "matmul") return definition->prepare(key_, session_);
    return nullptr;
  }

  Key key_;
  DeferredBackend backend_;
  Session session_{backend_, 7};
};

// What a library does that uses TF32 without being asked.
TEST_F(Matmul, Tf32ForFp32IsNeverTimed) {
  backend_.behaviour.afterwards = [](const AnyOperation& operation) {
    const auto* gemm = operation.as<Gemm>();
    if (!gemm) return;
    const auto cut = [](const Slice& slice, std::size_t i) {
      const auto value = static_cast<float>(element(Type::f32, bytes_at(slice), i));
      return static_cast<double>(
          std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000U));
    };
    for (std::size_t i = 0; i < gemm->m; ++i)
      for (std::size_t j = 0; j < gemm->n; ++j) {
        double sum = 0;
        for (std::size_t p = 0; p < gemm->k; ++p)
          sum += cut(gemm->a, i * gemm->k + p) * cut(gemm->b, p * gemm->n + j);
        set_element(Type::f32, bytes_at(gemm->c), i * gemm->n + j, sum);
      }
  };
  const Verification found = prepare("resident")->verify();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.method.find("precision"), std::string::npos);

  key_.math = Math::tf32;
  EXPECT_TRUE(prepare("resident")->verify().passed);
}

TEST_F(Matmul, OffloadSaysWhatShareEachStageTakes) {
  for (const char* mode : {"offload-once", "offload-always"}) {
    const auto prepared = prepare(mode);
    EXPECT_TRUE(prepared->verify().passed);
    prepared->run(1, steady_clock());
    EXPECT_TRUE(prepared->verify_last().passed);
    double sum = 0;
    std::string names;
    for (const auto& [name, value] : prepared->details()) {
      names += name + " ";
      sum += std::stod(value);
    }
    EXPECT_EQ(names, "upload_share compute_share download_share ");
    EXPECT_NEAR(sum, 1, 0.002);
  }
}

// So that each stretch may lie beside the part of the device that copies it.
TEST_F(Matmul, HostMemoryIsCutAsDeviceMemoryIs) {
  prepare("offload-once");
  key_.m = 24;
  key_.k = 32;
  key_.memory = "pinned";
  for (const std::size_t batch : {1U, 3U}) {
    key_.batch = batch;
    auto& granules = backend_.behaviour.granules;
    granules.clear();
    prepare();
    EXPECT_EQ(granules[Memory::device].size(), 3U);
    EXPECT_EQ(granules[Memory::pinned], granules[Memory::device]);
  }
}

TEST_F(Matmul, WorkCountsEveryProductOfARepetition) {
  EXPECT_EQ(prepare("resident")->work().flops, 2.0 * 40 * 40 * 40);
  EXPECT_EQ(prepare("offload-once")->work().flops, 5 * 2.0 * 40 * 40 * 40);
}

TEST_F(Matmul, OffloadUploadsInTheClock) {
  const auto prepared = prepare("offload-always");
  prepared->verify();
  std::size_t copies = 0;
  backend_.behaviour.afterwards = [&](const AnyOperation& operation) {
    copies += operation.as<Copy>() ? 1 : 0;
  };
  prepared->run(2, steady_clock());
  EXPECT_EQ(copies, 6U);
}

TEST_F(Matmul, AnUnsupportedTypeIsNamed) {
  backend_.behaviour.supports = [](const AnyOperation& operation) {
    const auto* gemm = operation.as<Gemm>();
    return !gemm || gemm->type != Type::bf16;
  };
  key_.type = Type::bf16;
  try {
    prepare("resident");
    FAIL();
  } catch (const Unsupported& unsupported) {
    EXPECT_EQ(unsupported.reason, "a product of 40x40x40 in bf16");
  }
}

TEST_F(Matmul, ADeviceThatIsNotThereIsUnsupported) {
  key_.device = 2;
  EXPECT_THROW(prepare("resident"), Unsupported);
}

TEST(Transfer, APeerNeedsASecondDevice) {
  DeferredBackend one(1);
  Session session{one, 1};
  Key key;
  key.case_name = "transfer";
  key.mode = "single";
  key.direction = "peer";
  key.bytes = 64;
  for (const Case* definition : all_cases())
    if (definition->name() == "transfer") try {
        definition->prepare(key, session);
        FAIL();
      } catch (const Unsupported& unsupported) {
        EXPECT_EQ(unsupported.reason, "one device");
      }
}

}  // namespace
}  // namespace breakeven
