// SPDX-License-Identifier: Apache-2.0
// How operations reach a plugin, written for API 1 or for this one.
#include <breakeven/plugin.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace breakeven {
namespace {

struct Named final : Task {
  explicit Named(int what) : number(what) {}
  void enqueue() override {}
  int number;
};

// -1: not supported.
int number_of(const std::unique_ptr<Task>& task) {
  return task ? static_cast<const Named&>(*task).number : -1;
}

struct Waiting : Queue {
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override { return nullptr; }
  void record(Event&) override {}
  void wait(const Event&) override {}
  void synchronize() override {}
};

struct OfApi1 final : Waiting {
  struct Visitor {
    std::unique_ptr<Task> operator()(const Gemm& gemm) const {
      return std::make_unique<Named>(static_cast<int>(gemm.m));
    }
    template <class Other>
    std::unique_ptr<Task> operator()(const Other&) const {
      return nullptr;
    }
  };
  std::unique_ptr<Task> prepare(const Operation& operation) override {
    return std::visit(Visitor(), operation);
  }
};

struct OfApi2 final : Waiting {
  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    return dispatch(
        operation, [](const Gemm& gemm) { return std::make_unique<Named>(int(gemm.m)); },
        [calls = 0](const Sum& sum) mutable {
          return std::make_unique<Named>(int(sum.n) + calls++);
        });
  }
};

TEST(Contract, APluginOfApi1IsAskedForWhatItListsAndNullForTheRest) {
  OfApi1 plugin;
  Queue& queue = plugin;
  EXPECT_EQ(number_of(queue.prepare_any(Gemm{.m = 7})), 7);
  EXPECT_EQ(number_of(queue.prepare(Gemm{.m = 8})), 8);
  EXPECT_EQ(number_of(queue.prepare_any(Norm{})), -1);
  EXPECT_EQ(number_of(queue.prepare_any(Sum{})), -1);  // the visitor would have taken it
}

TEST(Contract, DispatchCallsTheHandlerThereIsAndNoOther) {
  OfApi2 plugin;
  Queue& queue = plugin;
  EXPECT_EQ(number_of(queue.prepare_any(Gemm{.m = 7})), 7);
  EXPECT_EQ(number_of(queue.prepare(Operation(Gemm{.m = 8}))), 8);
  EXPECT_EQ(number_of(queue.prepare_any(Sum{.n = 5})), 5);
  EXPECT_EQ(number_of(queue.prepare_any(Tanh{})), -1);
}

TEST(Contract, AnOperationIsAValue) {
  AnyOperation one = Gemm{.m = 3, .alpha = 2};
  const AnyOperation copy = one;
  one = Norm{.n = 9};
  ASSERT_TRUE(copy.as<Gemm>() && one.as<Norm>());
  EXPECT_EQ(copy.as<Gemm>()->alpha, 2);
  EXPECT_EQ(one.as<Norm>()->n, 9U);
  EXPECT_FALSE(one.as<Gemm>());
  static_assert(sizeof(AnyOperation) == 256);  // whatever is added to the list
}

}  // namespace
}  // namespace breakeven
