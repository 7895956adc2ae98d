#pragma once
// From text to nodes: precedence climbing, its recursion bounded by the limits.

#include "rigspace/rig/expression.h"

#include <optional>

namespace rigspace {

enum class Expression::Op : unsigned char {
  constant,
  variable,
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  select,
  min,
  max,
  clamp,
  abs,
  sign,
  sqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  exp,
  log,
  floor,
  ceil,
  round,
  smoothstep,
  lerp,
  to_degrees,
  to_radians,
};

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const ExpressionLimits& limits) : text_(text), limits_(limits) {}

  /// The whole text as one expression.
  Expression parse();

 private:
  using Op = Expression::Op;
  struct Binary {
    Op op;
    int precedence;
    int length;
  };

  int ternary(int depth);
  int binary(int least, int depth);
  int unary(int depth);
  int power(int depth);
  int primary(int depth);
  int call(std::string_view name, std::size_t begin, int depth);
  int number();
  int quoted_name();
  int variable(std::string name, std::size_t begin);
  int add(Op op, std::size_t begin, int a = -1, int b = -1, int c = -1);

  void skip_space();
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(std::string_view token);
  void expect(char token, const char* what);
  std::optional<Binary> peek_binary() const;
  std::string_view name();
  void check_depth(int depth) const;
  [[noreturn]] void fail(const std::string& expected) const;
  [[noreturn]] void fail_at(std::size_t where, const std::string& problem, const std::string& remedy) const;

  std::string_view text_;
  ExpressionLimits limits_;
  std::size_t at_ = 0;
  Expression result_;
};

}  // namespace rigspace
