#include "rigspace/io/json_text.h"

#include "json_sax.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

namespace rigspace {
namespace {

using Json = Field::Json;

constexpr std::size_t kDeepest = 32;

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + std::min(offset, text.size()), '\n'));
}

/// What the parser does not check: depth, and keys that stand twice (the later one would win in silence).
class Limits : public QuietSax {
 public:
  std::string element, problem;
  std::size_t position = 0;  // of broken JSON

  bool start_object(std::size_t) override { return open(); }
  bool key(string_t& key) override {
    if (keys_.back().insert(key).second) return true;
    element = "field \"" + key + "\"";
    problem = "stands twice in one object";
    return false;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    position = at;
    problem = "is not valid JSON: " + complaint(error);
    return false;
  }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() <= kDeepest) return true;
    problem = "nests deeper than " + std::to_string(kDeepest) + " levels";
    return false;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  std::vector<std::set<std::string>> keys_;
};

/// Walks valid JSON with comments, to find where a value begins.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  /// Lines of all lists and objects, in one pass; `value` is what was parsed here. Depth is bounded by Limits.
  void index(const Json& value, std::unordered_map<const Json*, int>& lines) {
    blank();
    if (!value.is_structured()) {
      skip();
      return;
    }
    line_ += static_cast<int>(std::count(text_.begin() + counted_, text_.begin() + at_, '\n'));
    counted_ = static_cast<std::ptrdiff_t>(at_);
    lines[&value] = line_;
    ++at_;
    for (const Json& item : value) {  // in the text's order
      blank();
      if (value.is_object()) {
        quoted_line();
        blank();
        ++at_;  // the colon
      }
      index(item, lines);
      blank();
      if (at_ < text_.size() && text_[at_] == ',') ++at_;
    }
    blank();
    ++at_;  // the closing bracket
    blank();
  }

  std::size_t find(const std::vector<Field::Step>& steps) {
    blank();
    for (const Field::Step& step : steps)
      if (!enter(step)) break;
    return at_;
  }

 private:
  void blank() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  /// The raw characters of a string, quotes included, passed over.
  std::string_view quoted_line() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }

  /// Passes over a value without recursion.
  void skip() {
    int depth = 0;
    do {
      blank();
      if (at_ >= text_.size()) return;
      const char c = text_[at_];
      if (c == '"') {
        quoted_line();
      } else {
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        ++at_;
        if (depth == 0 && c != '}' && c != ']')
          while (at_ < text_.size() && std::string_view(",]}/ \t\r\n").find(text_[at_]) == std::string_view::npos)
            ++at_;
      }
    } while (depth > 0);
    blank();
  }

  bool enter(const Field::Step& step) {
    const bool by_key = std::holds_alternative<std::string>(step);
    if (at_ >= text_.size() || text_[at_] != (by_key ? '{' : '[')) return false;
    ++at_;
    for (std::size_t k = 0; at_ < text_.size(); ++k) {
      blank();
      if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']') return false;
      if (by_key) {
        const Json key = Json::parse(quoted_line(), nullptr, false);
        blank();
        ++at_;  // the colon
        blank();
        if (key.is_string() && key.get<std::string>() == std::get<std::string>(step)) return true;
      } else if (k == std::get<std::size_t>(step)) {
        return true;
      }
      skip();
      if (at_ < text_.size() && text_[at_] == ',') ++at_;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::ptrdiff_t counted_ = 0;  // characters whose line breaks are in line_
};

std::string plain(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

std::string shown(const Json& value) {
  std::string text = value.is_structured() ? std::string(value.is_array() ? "a list" : "an object") : value.dump();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace

JsonText::JsonText(std::string text, std::string file, std::size_t largest)
    : text_(std::move(text)), file_(std::move(file)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);  // a byte order mark
  if (text_.size() > largest)
    throw Error({.file = file_,
                 .problem = "is larger than " + std::to_string(largest >> 20) + " MiB",
                 .remedy = "keep meshes and keys in files of their own"});
  Limits limits;
  if (!Json::sax_parse(text_, &limits, nlohmann::json::input_format_t::json, true, true)) {
    const std::string where =
        limits.position > 0 ? file_ + ":" + std::to_string(line_at(text_, limits.position - 1)) : file_;
    throw Error({.file = where, .element = limits.element, .problem = limits.problem});
  }
  json_ = std::make_unique<const Json>(Json::parse(text_, nullptr, true, true));
  Walker(text_).index(*json_, lines_);
}

JsonText::~JsonText() = default;

int JsonText::line_of(const std::vector<Field::Step>& steps) const { return line_at(text_, Walker(text_).find(steps)); }

int JsonText::line_of(const Json& container) const {
  const auto found = lines_.find(&container);
  return found == lines_.end() ? 0 : found->second;
}

bool Field::is_null() const { return value_->is_null(); }
bool Field::is_text() const { return value_->is_string(); }
bool Field::is_number() const { return value_->is_number(); }
bool Field::is_list() const { return value_->is_array(); }
bool Field::is_object() const { return value_->is_object(); }

std::string Field::path() const {
  std::string path;
  for (const Step& step : steps_) {
    if (const auto* key = std::get_if<std::string>(&step))
      path += (path.empty() ? "" : ".") + *key;
    else
      path.append("[").append(std::to_string(std::get<std::size_t>(step))).append("]");
  }
  return path;
}

int Field::line() const {
  const int line = text_->line_of(*value_);
  return line > 0 ? line : text_->line_of(steps_);
}

std::string Field::place() const { return text_->file() + ":" + std::to_string(line()); }

void Field::fail(std::string problem, std::string remedy) const {
  throw Error({.file = place(),
               .element = steps_.empty() ? std::string("the document") : path(),
               .value = value_->is_structured() ? std::string() : shown(*value_),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

void Field::located(const std::function<void()>& body) const {
  try {
    body();
  } catch (const Error& error) {
    if (!error.info().file.empty()) throw;
    ErrorInfo info = error.info();
    info.file = place();
    if (info.code == ErrorCode::usage) info.code = ErrorCode::bad_input;
    if (info.value.empty() && !value_->is_structured()) info.value = shown(*value_);
    if (!steps_.empty()) info.element = info.element.empty() ? path() : path() + ": " + info.element;
    throw Error(info);
  }
}

Field Field::child(const Json& value, Step step) const {
  std::vector<Step> steps = steps_;
  steps.push_back(std::move(step));
  return {text_, &value, std::move(steps)};
}

void Field::allow(std::initializer_list<std::string_view> keys) const { allow(std::span(keys.begin(), keys.size())); }

void Field::allow(std::span<const std::string_view> keys) const {
  if (!is_object()) fail("is " + shown(json()), "expected an object");
  for (const auto& [key, value] : json().items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    std::string all;
    for (const std::string& each : known) all += (all.empty() ? "expected " : ", ") + each;
    child(value, key).fail("is no field that is known here", suggestion(key, known, all));
  }
}

Field Field::operator[](std::string_view key) const {
  if (const auto found = find(key)) return *found;
  fail("lacks the field \"" + std::string(key) + "\"");
}

std::optional<Field> Field::find(std::string_view key) const {
  if (!is_object()) fail("is " + shown(json()), "expected an object");
  const auto found = json().find(key);
  if (found == json().end()) return std::nullopt;
  return child(*found, std::string(key));
}

std::vector<Field> Field::items() const {
  if (!is_list()) fail("is " + shown(json()), "expected a list");
  std::vector<Field> result;
  for (std::size_t k = 0; k < json().size(); ++k) result.push_back(child(json()[k], k));
  return result;
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!is_object()) fail("is " + shown(json()), "expected an object");
  std::vector<std::pair<std::string, Field>> result;
  for (const auto& [key, value] : json().items()) result.emplace_back(key, child(value, key));
  return result;
}

std::string Field::text() const {
  if (!is_text()) fail("is " + shown(json()), "expected a text in quotes");
  std::string text = json().get<std::string>();
  if (text.empty()) fail("is empty");
  return text;
}

std::string Field::any_text() const { return is_text() && json().get_ref<const std::string&>().empty() ? "" : text(); }

bool Field::boolean() const {
  if (!json().is_boolean()) fail("is " + shown(json()), "expected true or false");
  return json().get<bool>();
}

double Field::number() const {
  if (!is_number()) fail("is " + shown(json()), "expected a number");
  const double value = json().get<double>();
  if (!std::isfinite(value)) fail("is not finite");
  return value;
}

double Field::number(double low, double high) const {
  const double value = number();
  if (!(value >= low && value <= high))
    fail("is " + shown(json()), high >= 1e9   ? "expected a number of at least " + plain(low)
                                : low <= -1e9 ? "expected a number of at most " + plain(high)
                                              : "expected a number from " + plain(low) + " to " + plain(high));
  return value;
}

int Field::integer(int low, int high) const {
  const double value = number(low, high);
  if (value != std::floor(value)) fail("is " + shown(json()), "expected a whole number");
  return static_cast<int>(value);
}

std::int64_t Field::count() const {
  if (!json().is_number_integer() || json().get<double>() < 0 || json().get<double>() > 1e15)
    fail("is " + shown(json()), "expected a whole number from 0");
  return json().get<std::int64_t>();
}

Vec3 Field::vec3() const {
  const std::vector<double> values = numbers();
  if (values.size() != 3) fail("has " + std::to_string(values.size()) + " numbers", "expected 3");
  return {values[0], values[1], values[2]};
}

std::vector<double> Field::numbers() const {
  if (!is_list()) fail("is " + shown(json()), "expected a list");
  std::vector<double> values;
  values.reserve(json().size());
  for (std::size_t k = 0; k < json().size(); ++k) {  // lists of numbers are long: no Field for each
    const Json& item = json()[k];
    values.push_back(item.is_number() ? item.get<double>() : child(item, k).number());
    if (!std::isfinite(values.back())) child(item, k).number();
  }
  return values;
}

std::vector<std::string> Field::texts() const {
  std::vector<std::string> values;
  for (const Field& item : items()) values.push_back(item.text());
  return values;
}

int Field::one_of(std::initializer_list<std::string_view> words) const {
  return one_of(std::span(words.begin(), words.size()));
}

int Field::one_of(std::span<const std::string_view> words) const {
  const std::string word = text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  std::string all;
  for (const std::string_view each : words) all += (all.empty() ? "expected " : ", ") + std::string(each);
  fail("is \"" + word + "\"", all);
}

}  // namespace rigspace
