#include "number_reader.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rigspace {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v'; }

}  // namespace

std::string shown(std::string_view word) {
  std::string text(word.substr(0, 24));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + text + "\"";
}

NumberReader::NumberReader(std::span<const std::byte> bytes, const std::string& file)
    : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file_(file) {}

void NumberReader::skip_space() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      next_line();
    } else {
      return;
    }
  }
}

std::string_view NumberReader::peek() {
  skip_space();
  std::size_t end = at_;
  while (end < text_.size() && !is_space(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view NumberReader::word() {
  const std::string_view result = peek();
  at_ += result.size();
  return result;
}

void NumberReader::next_line() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

bool NumberReader::skip_past(std::string_view text) {
  const std::size_t found = text_.find(text, at_);
  at_ = found == std::string_view::npos ? text_.size() : found + text.size();
  return found != std::string_view::npos;
}

void NumberReader::fail(std::string_view element, const std::string& problem, std::string_view remedy) const {
  std::string where = file_;
  if (!binary) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_to_ = at_;
    where += ":" + std::to_string(line_);
  }
  throw Error({.file = where, .element = std::string(element), .problem = problem, .remedy = std::string(remedy)});
}

template <class Value>
Value NumberReader::raw(std::string_view what) {
  if (left() < sizeof(Value)) fail(what, "is missing: the file ends", "is it whole?");
  Value value;
  std::memcpy(&value, text_.data() + at_, sizeof value);
  at_ += sizeof value;
  return value;
}

std::int64_t NumberReader::text_integer(std::string_view what) {
  const std::string_view text = peek();
  if (text.empty()) fail(what, "is missing: the file ends", "is it whole?");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(what, "is " + shown(text), "expected a whole number");
  at_ += text.size();
  return value;
}

std::int64_t NumberReader::integer(std::string_view what) {
  return binary ? raw<std::int32_t>(what) : text_integer(what);
}

std::int64_t NumberReader::size(std::string_view what) { return binary ? raw<std::int64_t>(what) : text_integer(what); }

double NumberReader::real(std::string_view what) {
  double value = 0;
  if (binary) {
    value = raw<double>(what);
  } else {
    std::string_view text = peek();
    if (text.empty()) fail(what, "is missing: the file ends", "is it whole?");
    const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // Numbers too small for a double are zero, as far as positions go.
    const bool tiny = error == std::errc::result_out_of_range && std::abs(value) < 1;
    if ((error != std::errc() && !tiny) || end != digits.data() + digits.size())
      fail(what, "is " + shown(text), "expected a number");
    at_ += text.size();
  }
  if (!(std::abs(value) < 1e100)) fail(what, "is not a finite number of a sensible size", "expected a position");
  return value;
}

std::int64_t NumberReader::count(std::int64_t value, std::string_view what, std::int64_t bytes_each) {
  if (value < 0 || value > static_cast<std::int64_t>(left()) / bytes_each + 1)
    fail(what, "is " + std::to_string(value), "there is not as much in the file");
  return value;
}

}  // namespace rigspace
