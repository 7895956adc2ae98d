#include "rigspace/rig/expression.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// x = 2, y = -3, arm.rx = 30, 'my ctl["w"]' = 0.25, everything else 0.
double value_of_name(const std::string& name) {
  if (name == "x") return 2;
  if (name == "y") return -3;
  if (name == "arm.rx") return 30;
  if (name == "my ctl[\"w\"]") return 0.25;
  return 0;
}

std::vector<double> values_of(const Expression& e) {
  std::vector<double> values;
  for (const std::string& name : e.variables()) values.push_back(value_of_name(name));
  return values;
}

std::string error_of(const std::string& text) {
  try {
    const Expression e = Expression::parse(text);
    e.evaluate(values_of(e));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, EqualsHandValues) {
  const std::vector<std::pair<std::string, double>> cases = {
      {"0", 0},
      {"42", 42},
      {"1.5", 1.5},
      {".5", 0.5},
      {"1e3", 1000},
      {"2.5e-1", 0.25},
      {"  7  ", 7},
      {"1+2", 3},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"10-4-3", 3},
      {"10-(4-3)", 9},
      {"100/10/2", 5},
      {"100/(10/2)", 20},
      {"2*3%4", 2},
      {"7%3", 1},
      {"-1%3", 2},
      {"1%-3", -2},
      {"5.5%2", 1.5},
      {"mod(7,4)", 3},
      {"2^3", 8},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2*3^2", 18},
      {"-3", -3},
      {"--3", 3},
      {"+3", 3},
      {"-+-3", 3},
      {"4--3", 7},
      {"!0", 1},
      {"!5", 0},
      {"!!5", 1},
      {"1<2", 1},
      {"2<1", 0},
      {"2>1", 1},
      {"2<=2", 1},
      {"2>=3", 0},
      {"2==2", 1},
      {"2!=2", 0},
      {"1+1==2", 1},
      {"1<2==1", 1},
      {"1&&0", 0},
      {"1&&2", 1},
      {"0||0", 0},
      {"0||3", 1},
      {"1||0&&0", 1},
      {"(1||0)&&0", 0},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 3", 3},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"1 ? 0 ? 1 : 2 : 3", 2},
      {"x > 0 ? x : y", 2},
      {"if(1,2,3)", 2},
      {"if(x<0, 1/0, 5)", 5},
      {"0 ? sqrt(-1) : 4", 4},
      {"min(3,1,2)", 1},
      {"max(3,1,2)", 3},
      {"min(1,2)", 1},
      {"max(x,y)", 2},
      {"min(x,y,-10,4)", -10},
      {"clamp(5,0,1)", 1},
      {"clamp(-5,0,1)", 0},
      {"clamp(0.3,0,1)", 0.3},
      {"abs(-4)", 4},
      {"abs(y)", 3},
      {"sign(-4)", -1},
      {"sign(0)", 0},
      {"sqrt(16)", 4},
      {"sqrt(x*8)", 4},
      {"sin(90)", 1},
      {"sin(30)", 0.5},
      {"cos(60)", 0.5},
      {"cos(180)", -1},
      {"tan(45)", 1},
      {"asin(1)", 90},
      {"asin(0.5)", 30},
      {"acos(0)", 90},
      {"atan(1)", 45},
      {"atan2(1,-1)", 135},
      {"atan2(-1,0)", -90},
      {"exp(0)", 1},
      {"exp(1)", 2.718281828459045},
      {"log(exp(2))", 2},
      {"pow(2,10)", 1024},
      {"pow(4,0.5)", 2},
      {"floor(2.7)", 2},
      {"floor(-2.1)", -3},
      {"ceil(2.1)", 3},
      {"round(2.5)", 3},
      {"smoothstep(0,1,0.5)", 0.5},
      {"smoothstep(0,1,0.25)", 0.15625},
      {"smoothstep(0,1,-1)", 0},
      {"smoothstep(2,4,9)", 1},
      {"lerp(10,20,0.3)", 13},
      {"lerp(1,2,2)", 3},
      {"deg(pi)", 180},
      {"rad(180)", kPi},
      {"pi", kPi},
      {"2*pi", 2 * kPi},
      {"x", 2},
      {"x*y", -6},
      {"x^2+y^2", 13},
      {"arm.rx/60", 0.5},
      {"sin(arm.rx)", 0.5},
      {"'x'", 2},
      {"'my ctl[\"w\"]' * 4", 1},
      {"clamp(arm.rx / 90, 0, 1) * 3", 1},
      {"node#2.rx + x", 2},
      {"mesh:smile + 1", 1},
      {"x ? arm.rx : y", 30},
      {"max(abs(y), x) ^ 2 - 1", 8},
  };
  EXPECT_GE(cases.size(), 100u);
  for (const auto& [text, expected] : cases) {
    const Expression e = Expression::parse(text);
    // Single operations of the C library, each within a few units of the last digit.
    EXPECT_NEAR(e.evaluate(values_of(e)), expected, 1e-13 * (1 + std::abs(expected))) << text;
  }
}

TEST(Expression, NamesItsVariablesOnceInOrder) {
  const Expression e = Expression::parse("b + a * b + 'two words' - 'it''s' + pi");
  ASSERT_EQ(e.variables().size(), 4u);
  EXPECT_EQ(e.variables()[0], "b");
  EXPECT_EQ(e.variables()[1], "a");
  EXPECT_EQ(e.variables()[2], "two words");
  EXPECT_EQ(e.variables()[3], "it's");
}

TEST(Expression, GradientsEqualDifferences) {
  const std::vector<std::string> texts = {"x*y + x/y - y",
                                          "x^3 * exp(y/4) + pow(x, y)",
                                          "sin(x*40) * cos(y*20) + tan(x*7)",
                                          "asin(x/5) + acos(y/9) + atan(x*y) + atan2(y, x)",
                                          "log(x) * sqrt(x - y) + abs(y) * 2 + deg(x) + rad(y)",
                                          "smoothstep(-1, 3, x) * lerp(x, y, 0.3) + smoothstep(y, x, 0.2)",
                                          "x > 1 ? x*x : y*y",
                                          "min(x, y, 5) * max(x, y) + clamp(x, y, 4) - clamp(9, y, x)",
                                          "7 % x + x % (0-y) - (-y)",
                                          "if(y > 0, 1/0*x, x*y) && 1 ? x^2 : 0"};
  for (const std::string& text : texts) {
    const Expression e = Expression::parse(text);
    std::vector<double> values = values_of(e), g(values.size());
    for (double& v : values) v += 0.137;  // off the kinks
    EXPECT_EQ(e.gradient(values, g), e.evaluate(values)) << text;
    double largest = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double h = 1e-5, at = values[k];
      values[k] = at + h;
      const double high = e.evaluate(values);
      values[k] = at - h;
      const double low = e.evaluate(values);
      values[k] = at;
      // Second-order differences: error about h^2, and rounding 1e-16 / h.
      EXPECT_NEAR(g[k], (high - low) / (2 * h), 1e-7 * (1 + std::abs(g[k]))) << text << " by " << e.variables()[k];
      largest = std::max(largest, std::abs(g[k]));
    }
    EXPECT_GT(largest, 0) << text;
  }
}

TEST(Expression, SlopesAreFiniteAtVerticalTangents) {
  for (const char* text : {"sqrt(z)", "asin(z+1)", "acos(z-1)", "abs(z)", "z^0.5"}) {
    const Expression e = Expression::parse(text);
    const double zero = 0;
    double slope = 1;
    e.gradient({&zero, 1}, {&slope, 1});
    EXPECT_EQ(slope, 0) << text;
  }
}

TEST(Expression, ErrorsGiveColumnFoundAndExpected) {
  const auto contains = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << text << " -> " << error;
  };
  contains("", "column 1: the text ends; expected a number, a name or '('");
  contains("1 +", "column 4: the text ends");
  contains("1 + * 2", "column 5: found '*'");
  contains("(1 + 2", "column 7: the text ends; expected ')'");
  contains("1 2", "column 3: found '2'; expected an operator or the end");
  contains("2x", "column 2: found 'x'");
  contains("foo(1)", "no function \"foo\"");
  contains("sin(1,2)", "sin has 2 arguments; expected 1");
  contains("min(1)", "min has 1 argument; expected two or more");
  contains("sin()", "column 5: found ')'");
  contains("'abc", "the quoted name does not end");
  contains("''", "the name is empty");
  contains("a ? b:c", "expected ':'");
  contains("1e999", "too large");
  contains("$", "found '$'");
  contains("a = 3", "found '='");
  contains("system(1)", "no function");
}

TEST(Expression, ErrorsOfEvaluationNameThePartAndTheValues) {
  EXPECT_NE(error_of("x + 1 / (x - 2)").find("1 / (x - 2) is infinite at x = 2"), std::string::npos)
      << error_of("x + 1 / (x - 2)");
  EXPECT_NE(error_of("sqrt(y) + 1").find("sqrt(y) is not a number at y = -3"), std::string::npos);
  EXPECT_NE(error_of("log(0 * x)").find("log(0 * x) is infinite"), std::string::npos);
  EXPECT_NE(error_of("9^9^9^9").find("is infinite"), std::string::npos);
}

TEST(Expression, BombsEndInOneSentence) {
  const auto bomb = [](const std::string& text) {
    const std::string error = error_of(text);
    EXPECT_FALSE(error.empty()) << text.substr(0, 40);
    EXPECT_LT(error.size(), 400u);
    EXPECT_EQ(error.find('\n'), std::string::npos);
  };
  bomb(std::string(1000000, '('));
  bomb(std::string(1000000, '1'));
  bomb(std::string(4000, '('));
  bomb(std::string(2000, '(') + "1" + std::string(2000, ')'));
  bomb(std::string(4000, '-') + "1");
  bomb(std::string(4000, '!') + "1");
  std::string powers = "2", conditions = "1", sums = "1", calls = "1";
  for (int k = 0; k < 300; ++k) {
    powers += "^2";
    conditions += " ? 1 : 1";
    sums += "+1+1+1+1";
    calls = "abs(" + calls + ")";
  }
  bomb(powers);
  bomb(conditions);
  bomb(sums);
  bomb(calls);
  bomb("9^9^9^9^9");
  bomb("exp(exp(exp(exp(9))))");
}

TEST(Expression, SurvivesTwoThousandMutations) {
  const std::vector<std::string> seeds = {"clamp(arm.rx / 90, 0, 1) * 3",
                                          "x > 0 ? sqrt(x) : -y^2",
                                          "min(x, y, 'my ctl[\"w\"]') + max(1, 2)",
                                          "smoothstep(0, 1, x) && !y || z",
                                          "lerp(sin(x), cos(y), 0.5) % 3 == 1.5e-3",
                                          "if(x != y, atan2(x, y), pi)"};
  const std::string alphabet = "()+-*/%^<>=!?:&|,.'# \t0123456789eExyzaminsqrt_$\"\\\x01\xff";
  int parsed = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::string text = seeds[below(seeds.size())];
    for (std::size_t k = 1 + below(4); k > 0; --k) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
        case 1: text.erase(at, 1 + below(5)); break;
        case 2: text.insert(at, seeds[below(seeds.size())].substr(0, 1 + below(8))); break;
        default: text = text.substr(0, at) + text.substr(std::min(at + 3, text.size())); break;
      }
    }
    try {
      const Expression e = Expression::parse(text);
      ++parsed;
      std::vector<double> values = values_of(e), g(values.size());
      EXPECT_TRUE(std::isfinite(e.gradient(values, g))) << text;
      for (const double slope : g) EXPECT_TRUE(std::isfinite(slope)) << text;
    } catch (const Error& error) {
      ++refused;
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace rigspace
