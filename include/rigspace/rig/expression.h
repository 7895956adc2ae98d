#pragma once
// Arithmetic that an artist writes, "clamp(elbow.rx / 90, 0, 1)": parsed within limits, nothing is ever executed.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct ExpressionLimits {
  int max_length = 4096;  ///< characters
  int max_depth = 64;     ///< of nesting
  int max_nodes = 1024;   ///< operations, numbers and names

  void validate() const;
};

/// Operators, loosest first:  a ? b : c   ||   &&   == !=   < > <= >=   + -   * / %   unary + - !   ^
/// `^` groups to the right and binds tighter than a sign: -2^2 = -4. `%` takes the sign of its divisor: -1 % 3 = 2.
/// True is 1, false 0; whatever is not 0 counts as true.
///
/// Functions: abs acos asin atan atan2(y,x) ceil clamp(x,low,high) cos deg exp floor if(c,a,b) lerp(a,b,t) log
/// max min (two or more) mod(a,b) pow(a,b) rad round sign sin smoothstep(a,b,x) sqrt tan; the constant pi.
/// Trigonometry is in DEGREES, as angles are at the surface: sin(90) = 1, asin(1) = 90. deg and rad convert.
///
/// Names of variables begin with a letter or _ and go on with letters, digits and _ . : #, or stand in '...', where any
/// character may occur and '' is one quote. Since : may be part of a name, `a ? b : c` needs the space after b.
class Expression {
 public:
  /// The constant 0.
  Expression();
  /// Throws Error that gives the column, what was found and what was expected there.
  static Expression parse(std::string_view text, const ExpressionLimits& limits = {});

  const std::string& text() const { return text_; }
  /// Each once, in order of first appearance.
  std::span<const std::string> variables() const { return variables_; }

  /// One value per variable. Throws Error that names the part at fault if the result is not finite; the branch of a
  /// condition that is not taken may be anything. Does not allocate.
  double evaluate(std::span<const double> values) const;
  /// The same, and the exact derivatives by the variables. At a kink (abs, min, clamp, %) one of the two slopes is
  /// taken; at a vertical tangent (sqrt at 0, asin at 1), and of steps, the slope is 0.
  double gradient(std::span<const double> values, std::span<double> derivatives) const;

 private:
  friend class ExpressionParser;
  enum class Op : unsigned char;
  struct Node {
    Op op;
    int a = -1, b = -1, c = -1;  // operands, all earlier; of a variable, a is its number
    double value = 0;            // of a constant
    int begin = 0, end = 0;      // where it stands in the text
  };
  void run(std::span<const double> values, double* results) const;
  [[noreturn]] void fail(std::span<const double> values, const double* results) const;

  std::string text_;
  std::vector<std::string> variables_;
  std::vector<Node> nodes_;  // operands before what uses them; the last is the result
};

}  // namespace rigspace
