// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/time_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"

namespace breakeven {
namespace {

constexpr std::size_t terms = 3;
constexpr double tolerance = 0.10;  // of ln(t / model)
using Vector = std::array<double, terms>;
using Matrix = std::array<Vector, terms>;

// Which of the terms are in use: bit i stands for term i.
using Terms = unsigned;

// Inverts the rows and columns in use by Gauss-Jordan; false where it is singular.
bool invert(Matrix& matrix, Terms used) {
  Matrix inverse{};
  for (std::size_t i = 0; i < terms; ++i) {
    inverse[i][i] = 1;
    if (!(used >> i & 1)) {
      matrix[i] = {};
      for (Vector& row : matrix) {
        row[i] = 0;
      }
      matrix[i][i] = 1;
    }
  }
  for (std::size_t column = 0; column < terms; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < terms; ++row) {
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) {
        pivot = row;
      }
    }
    if (std::abs(matrix[pivot][column]) < 1e-9) {
      return false;
    }
    std::swap(matrix[pivot], matrix[column]);
    std::swap(inverse[pivot], inverse[column]);
    const double scale = 1 / matrix[column][column];
    for (std::size_t k = 0; k < terms; ++k) {
      matrix[column][k] *= scale;
      inverse[column][k] *= scale;
    }
    for (std::size_t row = 0; row < terms; ++row) {
      if (row == column) {
        continue;
      }
      const double factor = matrix[row][column];
      for (std::size_t k = 0; k < terms; ++k) {
        matrix[row][k] -= factor * matrix[column][k];
        inverse[row][k] -= factor * inverse[column][k];
      }
    }
  }
  matrix = inverse;
  return true;
}

struct Solution {
  Vector value{};
  Matrix inverse{};
  Terms used = 0;
  double squares = std::numeric_limits<double>::infinity();
};

// Relative errors: every observation is 1 = sum of value × what the term costs there / its time.
class Regression {
 public:
  explicit Regression(std::span<const Observation> observations) {
    for (const Observation& one : observations) {
      rows_.push_back(
          {1 / one.nanoseconds, one.bytes / one.nanoseconds, one.flops / one.nanoseconds});
    }
    // To about 1, so that "singular" means the same for every term.
    for (std::size_t i = 0; i < terms; ++i) {
      for (const Vector& row : rows_) {
        scale_[i] = std::max(scale_[i], row[i]);
      }
      for (Vector& row : rows_) {
        row[i] = scale_[i] > 0 ? row[i] / scale_[i] : 0;
      }
    }
  }

  // Of all subsets of `allowed` whose costs come out positive, the one that leaves least over.
  Solution solve(const std::vector<double>& weights, Terms allowed) const {
    Solution best;
    for (Terms used = 1; used < 1u << terms; ++used) {
      if ((used & ~allowed) != 0) {
        continue;
      }
      const Solution candidate = solve_with(weights, used);
      if (candidate.squares < best.squares) {
        best = candidate;
      }
    }
    return best;
  }

  double error(const Solution& solution, std::size_t row) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      sum += rows_[row][i] * solution.value[i];
    }
    return 1 - sum;
  }

  double scale(std::size_t term) const { return scale_[term]; }
  std::size_t size() const { return rows_.size(); }

 private:
  Solution solve_with(const std::vector<double>& weights, Terms used) const {
    Solution solution;
    solution.used = used;
    Vector right{};
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t i = 0; i < terms; ++i) {
        right[i] += weights[row] * rows_[row][i];
        for (std::size_t j = 0; j < terms; ++j) {
          solution.inverse[i][j] += weights[row] * rows_[row][i] * rows_[row][j];
        }
      }
    }
    if (!invert(solution.inverse, used)) {
      return solution;
    }
    for (std::size_t i = 0; i < terms; ++i) {
      if (!(used >> i & 1)) {
        continue;
      }
      for (std::size_t j = 0; j < terms; ++j) {
        solution.value[i] += used >> j & 1 ? solution.inverse[i][j] * right[j] : 0;
      }
      if (solution.value[i] <= 0) {
        return solution;
      }
    }
    solution.squares = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      solution.squares += weights[row] * error(solution, row) * error(solution, row);
    }
    return solution;
  }

  std::vector<Vector> rows_;
  Vector scale_{};
};

bool is_constant(std::span<const Observation> observations,
                 double (*quantity)(const Observation&)) {
  const double first = quantity(observations.front());
  return std::all_of(observations.begin(), observations.end(), [&](const Observation& one) {
    return std::abs(quantity(one) - first) <= 0.01 * std::abs(first);
  });
}

// A term that is zero, or the same at every size, cannot be told from none or from the overhead.
Terms distinct_terms(std::span<const Observation> observations, bool& bytes_stand_for_flops) {
  const bool bytes = !is_constant(observations, [](const Observation& one) { return one.bytes; });
  const bool flops = !is_constant(observations, [](const Observation& one) { return one.flops; });
  bytes_stand_for_flops = bytes && flops && is_constant(observations, [](const Observation& one) {
                            return one.bytes > 0 ? one.flops / one.bytes : 0;
                          });
  return 1u | (bytes ? 2u : 0u) | (flops && !bytes_stand_for_flops ? 4u : 0u);
}

// Tukey's bisquare, for the spread of the errors as their scaled median absolute deviation.
std::vector<double> weights_of(const std::vector<double>& errors) {
  std::vector<double> sizes;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
  }
  constexpr double least_spread = 0.005;  // what timing itself scatters by
  const double cut = 4.685 * std::max(least_spread, 1.4826 * median(sizes));
  std::vector<double> weights;
  for (const double error : errors) {
    const double u = error / cut;
    weights.push_back(std::abs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0);
  }
  return weights;
}

std::vector<Misfit> misfits_of(std::span<const Observation> observations,
                               const std::vector<double>& residuals) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return observations[i].size < observations[j].size;
  });
  std::vector<Misfit> misfits;
  bool open = false;
  for (const std::size_t i : order) {
    if (std::abs(residuals[i]) <= tolerance) {
      open = false;
      continue;
    }
    const double ratio = std::exp(residuals[i]);
    if (open && (misfits.back().ratio > 1) == (ratio > 1)) {
      Misfit& last = misfits.back();
      last.high = observations[i].size;
      last.ratio = ratio > 1 ? std::max(last.ratio, ratio) : std::min(last.ratio, ratio);
    } else {
      misfits.push_back({observations[i].size, observations[i].size, ratio});
    }
    open = true;
  }
  return misfits;
}

}  // namespace

bool TimeModel::fits(std::size_t low, std::size_t high) const {
  return std::none_of(misfits.begin(), misfits.end(), [&](const Misfit& misfit) {
    return misfit.low <= high && misfit.high >= low;
  });
}

std::optional<TimeModel> fit_time_model(std::span<const Observation> observations) {
  if (observations.empty()) {
    return std::nullopt;
  }
  TimeModel model;
  const Terms allowed = distinct_terms(observations, model.bytes_stand_for_flops);
  const auto count = static_cast<std::size_t>(std::popcount(allowed));
  if (observations.size() < count + 2) {
    return std::nullopt;
  }

  const Regression regression(observations);
  std::vector<double> weights(observations.size(), 1), errors(observations.size());
  Solution solution;
  for (int round = 0; round < 50; ++round) {
    solution = regression.solve(weights, allowed);
    if (!std::isfinite(solution.squares)) {
      return std::nullopt;
    }
    for (std::size_t row = 0; row < errors.size(); ++row) {
      errors[row] = regression.error(solution, row);
    }
    weights = weights_of(errors);
  }

  double total = 0;
  for (const double weight : weights) {
    total += weight;
  }
  const double freedom = std::max(1.0, total - std::popcount(solution.used));
  const double t = t_exceeded_with(0.025, freedom);
  const std::array<Coefficient*, terms> coefficients{&model.overhead_ns, &model.ns_per_byte,
                                                     &model.ns_per_flop};
  for (std::size_t i = 0; i < terms; ++i) {
    if (!(solution.used >> i & 1)) {
      continue;
    }
    const double half = t * std::sqrt(solution.squares / freedom * solution.inverse[i][i]);
    const double scale = 1 / regression.scale(i);
    *coefficients[i] = {solution.value[i] * scale, std::max(0.0, solution.value[i] - half) * scale,
                        (solution.value[i] + half) * scale};
  }
  for (const Observation& one : observations) {
    model.residuals.push_back(std::log(one.nanoseconds / model(one.bytes, one.flops)));
  }
  model.misfits = misfits_of(observations, model.residuals);
  return model;
}

}  // namespace breakeven
