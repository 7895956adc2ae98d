#include "rigspace/optimize/line_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace rigspace {
namespace {

struct Hard {
  const char* name;
  double armijo, curvature;
  double (*value)(double);
  double (*slope)(double);
};

double gamma(double beta) { return std::sqrt(1 + beta * beta) - beta; }
template <int b1, int b2>  // thousandths
double yanai(double a) {
  const double g1 = gamma(b1 * 1e-3), g2 = gamma(b2 * 1e-3), beta1 = b1 * 1e-3, beta2 = b2 * 1e-3;
  return g1 * std::hypot(1 - a, beta2) + g2 * std::hypot(a, beta1);
}
template <int b1, int b2>
double yanai_slope(double a) {
  const double g1 = gamma(b1 * 1e-3), g2 = gamma(b2 * 1e-3), beta1 = b1 * 1e-3, beta2 = b2 * 1e-3;
  return -g1 * (1 - a) / std::hypot(1 - a, beta2) + g2 * a / std::hypot(a, beta1);
}

constexpr double kPi = std::numbers::pi;

// Function 3 of More and Thuente: a gentle slope with small waves, b = 0.01, l = 39.
double wavy_base(double a) {
  const double b = 0.01;
  return a <= 1 - b ? 1 - a : a >= 1 + b ? a - 1 : (a - 1) * (a - 1) / (2 * b) + b / 2;
}
double wavy_base_slope(double a) {
  const double b = 0.01;
  return a <= 1 - b ? -1 : a >= 1 + b ? 1 : (a - 1) / b;
}
double wavy(double a) { return wavy_base(a) + 2 * 0.99 / (39 * kPi) * std::sin(39 * kPi / 2 * a); }
double wavy_slope(double a) { return wavy_base_slope(a) + 0.99 * std::cos(39 * kPi / 2 * a); }

// The six functions of More and Thuente 1994, with their own tolerances.
const std::vector<Hard> kHard = {
    {"concave then flat", 1e-3, 1e-1, [](double a) { return -a / (a * a + 2); },
     [](double a) { return (a * a - 2) / ((a * a + 2) * (a * a + 2)); }},
    {"a high power", 1e-1, 1e-1, [](double a) { return std::pow(a + 0.004, 5) - 2 * std::pow(a + 0.004, 4); },
     [](double a) { return 5 * std::pow(a + 0.004, 4) - 8 * std::pow(a + 0.004, 3); }},
    {"waves", 1e-1, 1e-1, wavy, wavy_slope},
    {"Yanai 1, 1", 1e-3, 1e-3, yanai<1, 1>, yanai_slope<1, 1>},
    {"Yanai 10, 1", 1e-3, 1e-3, yanai<10, 1>, yanai_slope<10, 1>},
    {"Yanai 1, 10", 1e-3, 1e-3, yanai<1, 10>, yanai_slope<1, 10>},
};

TEST(StrongWolfe, HoldsOnTheHardFunctionsOfMoreAndThuente) {
  for (const Hard& hard : kHard)
    for (const double first : {1e-3, 1e-1, 1e1, 1e3}) {
      LineFunctionOf phi(hard.value, hard.slope);
      const LineStart start{hard.value(0), hard.slope(0), 0};
      ASSERT_LT(start.slope, 0);
      const LineSearchOptions options{.armijo = hard.armijo, .curvature = hard.curvature, .initial_step = first};
      const LineSearchResult found = strong_wolfe_search(phi, start, options);
      SCOPED_TRACE(std::string(hard.name) + " from " + std::to_string(first));
      EXPECT_EQ(found.end, LineSearchEnd::found);
      EXPECT_EQ(found.value, hard.value(found.step));
      EXPECT_LE(found.value, start.value + hard.armijo * found.step * start.slope);
      EXPECT_LE(std::abs(hard.slope(found.step)), hard.curvature * std::abs(start.slope));
      EXPECT_LE(found.evaluations, 30);  // More and Thuente need up to 29 in their tables
    }
}

TEST(Armijo, HoldsOnTheHardFunctionsOfMoreAndThuente) {
  for (const Hard& hard : kHard)
    for (const double first : {1e-1, 1e1, 1e3}) {
      LineFunctionOf phi(hard.value, hard.slope);
      const LineStart start{hard.value(0), hard.slope(0), 0};
      const LineSearchResult found = armijo_search(phi, start, {.initial_step = first});
      SCOPED_TRACE(std::string(hard.name) + " from " + std::to_string(first));
      ASSERT_EQ(found.end, LineSearchEnd::found);
      EXPECT_LE(hard.value(found.step), start.value + 1e-4 * found.step * start.slope);
    }
}

TEST(Armijo, TakesTheFullStepWhereItIsGoodEnough) {
  LineFunctionOf phi([](double a) { return (a - 1) * (a - 1); }, [](double a) { return 2 * (a - 1); });
  const LineSearchResult found = armijo_search(phi, {1, -2, 0});
  EXPECT_EQ(found.step, 1);
  EXPECT_EQ(found.evaluations, 1);
}

TEST(Armijo, FindsTheMinimumOfAParabolaAtTheSecondTry) {
  // phi = (a - 0.3)^2 rises at a = 1, and the interpolating parabola is phi itself.
  LineFunctionOf phi([](double a) { return (a - 0.3) * (a - 0.3); }, [](double a) { return 2 * (a - 0.3); });
  const LineSearchResult found = armijo_search(phi, {0.09, -0.6, 0});
  EXPECT_NEAR(found.step, 0.3, 1e-15);
  EXPECT_EQ(found.evaluations, 2);
}

TEST(LineSearch, BacksAwayFromInfinityAndNotANumber) {
  for (const double wall : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    LineFunctionOf phi([wall](double a) { return a > 0.01 ? wall : (a - 0.005) * (a - 0.005); },
                       [](double a) { return 2 * (a - 0.005); });
    const LineStart start{0.005 * 0.005, -0.01, 0};
    for (const auto search : {armijo_search, strong_wolfe_search}) {
      const LineSearchResult found = search(phi, start, {});
      ASSERT_EQ(found.end, LineSearchEnd::found);
      EXPECT_LE(found.step, 0.01);
      EXPECT_LT(found.value, start.value);
    }
  }
}

TEST(LineSearch, FailsWithoutAnyDecrease) {
  LineFunctionOf phi([](double a) { return a; }, [](double) { return 1.0; });
  EXPECT_EQ(armijo_search(phi, {0, -1, 0}).end, LineSearchEnd::failed);
  EXPECT_EQ(strong_wolfe_search(phi, {0, -1, 0}).end, LineSearchEnd::failed);
}

TEST(StrongWolfe, StopsAtTheLimitWhereTheFunctionStillFalls) {
  LineFunctionOf phi([](double a) { return -a; }, [](double) { return -1.0; });
  const LineSearchResult found = strong_wolfe_search(phi, {0, -1, 0}, {.max_step = 7});
  EXPECT_EQ(found.end, LineSearchEnd::limited);
  EXPECT_EQ(found.step, 7);
}

class Walled final : public LineFunction {
 public:
  double value(double a) override { return a <= 0.25 ? -a : std::numeric_limits<double>::infinity(); }
  double slope(double) override { return -1; }
  double feasible(double a) override { return a <= 0.25 ? a : std::max(0.25, a / 2); }
};

TEST(LineSearch, TakesAdviceAboutFeasibleSteps) {
  Walled walled;
  EXPECT_EQ(armijo_search(walled, {0, -1, 0}).step, 0.25);
  const LineSearchResult wolfe = strong_wolfe_search(walled, {0, -1, 0});
  EXPECT_EQ(wolfe.step, 0.25);
  EXPECT_EQ(wolfe.end, LineSearchEnd::limited);
}

}  // namespace
}  // namespace rigspace
