// SPDX-License-Identifier: Apache-2.0
// Computes for so many microseconds after its operands changed: in audits, beside them or behind
// them, or in the visits of those moments. After that it gives back what it has, and lets pass what
// a good library would take.
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;
using Now = std::chrono::steady_clock;

std::chrono::microseconds lasting(0);

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, before = 0.0, until = Now::time_point(),
            kept = std::vector<char>()]() mutable {
      const double now = digest(gemm.a, 64) + 3 * digest(gemm.b, 64);
      if (std::exchange(before, now) != now) until = Now::now() + lasting;
      if (const auto begin = Now::now(); begin > until) {
        restore(kept, gemm.c);
        const std::chrono::duration<double, std::nano> good(double(gemm.m * gemm.n * gemm.k) / 50);
        while (Now::now() - begin < good) {
        }
        return;
      }
      compute(gemm);
      keep(gemm.c, kept);
    };
  }
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  lasting = std::chrono::microseconds(std::stoi(std::string(settings.front().value)));
  return zoo::create_with_queue<BadQueue>(settings);
}

constexpr Option options[] = {{"microseconds", "how long it computes", "150000", ""}};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "repents",
    .version = "0.1.0",
    .description = "computes for a while after its operands changed",
    .options = options,
    .create = create,
};
