#include "expression_parser.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == ':' || c == '#'; }

/// At most so many characters of the text in a sentence, and no control characters.
std::string shown(std::string_view text, std::size_t most = 40) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= ' ' && c < 127 ? c : '?';
  return text.size() > most ? out + ".." : out;
}

}  // namespace

void ExpressionParser::fail_at(std::size_t where, const std::string& problem, const std::string& remedy) const {
  throw Error({.element = "expression \"" + shown(text_) + "\"",
               .value = std::string(text_.substr(0, 200)),
               .problem = "column " + std::to_string(where + 1) + ": " + problem,
               .remedy = remedy});
}

void ExpressionParser::fail(const std::string& expected) const {
  const std::string found = at_ >= text_.size() ? "the text ends" : "found '" + shown(text_.substr(at_, 1)) + "'";
  fail_at(at_, found, "expected " + expected);
}

void ExpressionParser::check_depth(int depth) const {
  if (depth <= limits_.max_depth) return;
  fail_at(at_, "is nested deeper than " + std::to_string(limits_.max_depth) + " levels", "split it in several drivers");
}

Expression ExpressionParser::parse() {
  if (text_.size() > static_cast<std::size_t>(limits_.max_length))
    throw Error({.element = "expression \"" + shown(text_) + "\"",
                 .value = std::to_string(text_.size()),
                 .problem = "has " + std::to_string(text_.size()) + " characters",
                 .remedy = "at most " + std::to_string(limits_.max_length) + " are read"});
  result_.nodes_.clear();
  result_.text_ = text_;
  ternary(1);
  skip_space();
  if (at_ < text_.size()) fail("an operator or the end");
  return std::move(result_);
}

void ExpressionParser::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
}

bool ExpressionParser::accept(std::string_view token) {
  skip_space();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

void ExpressionParser::expect(char token, const char* what) {
  skip_space();
  if (peek() != token || at_ >= text_.size()) fail(what);
  ++at_;
}

int ExpressionParser::add(Op op, std::size_t begin, int a, int b, int c) {
  if (static_cast<int>(result_.nodes_.size()) >= limits_.max_nodes)
    fail_at(begin, "has more than " + std::to_string(limits_.max_nodes) + " parts", "split it in several drivers");
  Expression::Node node{.op = op, .a = a, .b = b, .c = c};
  node.begin = static_cast<int>(begin);
  node.end = static_cast<int>(at_);
  result_.nodes_.push_back(node);
  return static_cast<int>(result_.nodes_.size()) - 1;
}

int ExpressionParser::ternary(int depth) {
  check_depth(depth);
  skip_space();
  const std::size_t begin = at_;
  const int condition = binary(0, depth);
  if (!accept("?")) return condition;
  const int yes = ternary(depth + 1);
  expect(':', "':' between the branches of '?' (with a space before it, since names may contain ':')");
  const int no = ternary(depth + 1);
  return add(Op::select, begin, condition, yes, no);
}

std::optional<ExpressionParser::Binary> ExpressionParser::peek_binary() const {
  struct Token {
    std::string_view text;
    Op op;
    int precedence;
  };
  static constexpr std::array<Token, 13> tokens = {{{"||", Op::logical_or, 0},
                                                    {"&&", Op::logical_and, 1},
                                                    {"==", Op::equal, 2},
                                                    {"!=", Op::not_equal, 2},
                                                    {"<=", Op::less_equal, 3},
                                                    {">=", Op::greater_equal, 3},
                                                    {"<", Op::less, 3},
                                                    {">", Op::greater, 3},
                                                    {"+", Op::add, 4},
                                                    {"-", Op::subtract, 4},
                                                    {"*", Op::multiply, 5},
                                                    {"/", Op::divide, 5},
                                                    {"%", Op::remainder, 5}}};
  for (const Token& token : tokens)
    if (text_.substr(at_, token.text.size()) == token.text)
      return Binary{token.op, token.precedence, static_cast<int>(token.text.size())};
  return std::nullopt;
}

int ExpressionParser::binary(int least, int depth) {
  check_depth(depth);
  skip_space();
  const std::size_t begin = at_;
  int left = unary(depth);
  for (;;) {
    skip_space();
    const auto found = peek_binary();
    if (!found || found->precedence < least) return left;
    at_ += found->length;
    const int right = binary(found->precedence + 1, depth + 1);
    left = add(found->op, begin, left, right);
  }
}

int ExpressionParser::unary(int depth) {
  check_depth(depth);
  skip_space();
  const std::size_t begin = at_;
  if (accept("-")) return add(Op::negate, begin, unary(depth + 1));
  if (accept("+")) return unary(depth + 1);
  if (text_.substr(at_, 2) != "!=" && accept("!")) return add(Op::logical_not, begin, unary(depth + 1));
  return power(depth);
}

int ExpressionParser::power(int depth) {
  const std::size_t begin = at_;
  const int base = primary(depth);
  if (!accept("^")) return base;
  const int exponent = unary(depth + 1);  // 2^-1, and 2^3^2 = 2^(3^2)
  return add(Op::power, begin, base, exponent);
}

int ExpressionParser::primary(int depth) {
  skip_space();
  const std::size_t begin = at_;
  const char c = peek();
  if (is_digit(c) || c == '.') return number();
  if (c == '\'') return quoted_name();
  if (begins_name(c)) {
    const std::string_view found = name();
    skip_space();
    if (peek() == '(') return call(found, begin, depth);
    if (found != "pi") return variable(std::string(found), begin);
    const int node = add(Op::constant, begin);
    result_.nodes_[node].value = std::numbers::pi;
    return node;
  }
  if (!accept("(")) fail("a number, a name or '('");
  const int inside = ternary(depth + 1);
  expect(')', "')'");
  return inside;
}

std::string_view ExpressionParser::name() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

int ExpressionParser::number() {
  const std::size_t begin = at_;
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) fail_at(begin, "the number is too large or too small", "use another");
  if (error != std::errc()) fail("a number");
  at_ = static_cast<std::size_t>(end - text_.data());
  if (in_name(peek())) fail("an operator after the number (names that begin with a digit stand in '...')");
  const int node = add(Op::constant, begin);
  result_.nodes_[node].value = value;
  return node;
}

int ExpressionParser::quoted_name() {
  const std::size_t begin = at_++;
  std::string name;
  for (;; ++at_) {
    if (at_ >= text_.size()) fail_at(begin, "the quoted name does not end", "expected a second quote");
    if (text_[at_] == '\'') {
      if (text_.substr(at_, 2) != "''") break;
      ++at_;
    }
    name += text_[at_];
  }
  ++at_;
  if (name.empty()) fail_at(begin, "the name is empty", "expected a name between the quotes");
  return variable(std::move(name), begin);
}

int ExpressionParser::variable(std::string name, std::size_t begin) {
  auto& names = result_.variables_;
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) found = names.insert(names.end(), std::move(name));
  return add(Op::variable, begin, static_cast<int>(found - names.begin()));
}

int ExpressionParser::call(std::string_view name, std::size_t begin, int depth) {
  struct Function {
    std::string_view name;
    Op op;
    int arguments;  // 0: two or more
  };
  static constexpr std::array<Function, 25> functions = {{{"abs", Op::abs, 1},
                                                          {"acos", Op::acos, 1},
                                                          {"asin", Op::asin, 1},
                                                          {"atan", Op::atan, 1},
                                                          {"atan2", Op::atan2, 2},
                                                          {"ceil", Op::ceil, 1},
                                                          {"clamp", Op::clamp, 3},
                                                          {"cos", Op::cos, 1},
                                                          {"deg", Op::to_degrees, 1},
                                                          {"exp", Op::exp, 1},
                                                          {"floor", Op::floor, 1},
                                                          {"if", Op::select, 3},
                                                          {"lerp", Op::lerp, 3},
                                                          {"log", Op::log, 1},
                                                          {"max", Op::max, 0},
                                                          {"min", Op::min, 0},
                                                          {"pow", Op::power, 2},
                                                          {"rad", Op::to_radians, 1},
                                                          {"round", Op::round, 1},
                                                          {"sign", Op::sign, 1},
                                                          {"sin", Op::sin, 1},
                                                          {"sqrt", Op::sqrt, 1},
                                                          {"smoothstep", Op::smoothstep, 3},
                                                          {"tan", Op::tan, 1},
                                                          {"mod", Op::remainder, 2}}};
  const auto function =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  if (function == functions.end())
    fail_at(
        begin, "there is no function \"" + shown(name) + "\"",
        "known are abs acos asin atan atan2 ceil clamp cos deg exp floor if lerp log max min mod pow rad round sign "
        "sin smoothstep sqrt tan");
  expect('(', "'('");
  int arguments[3] = {-1, -1, -1};
  int count = 0;
  do {
    const int argument = ternary(depth + 1);
    if (function->arguments == 0 && count >= 1) {
      arguments[0] = add(function->op, begin, arguments[0], argument);  // pairwise from the left
    } else if (count < 3) {
      arguments[count] = argument;
    }
    ++count;
  } while (accept(","));
  const int wanted = function->arguments;
  if ((wanted > 0 && count != wanted) || (wanted == 0 && count < 2))
    fail_at(begin, std::string(name) + " has " + std::to_string(count) + (count == 1 ? " argument" : " arguments"),
            "expected " + (wanted > 0 ? std::to_string(wanted) : std::string("two or more")));
  expect(')', "',' or ')'");
  if (wanted == 0) {
    result_.nodes_[arguments[0]].end = static_cast<int>(at_);
    return arguments[0];
  }
  return add(function->op, begin, arguments[0], arguments[1], arguments[2]);
}

}  // namespace rigspace
