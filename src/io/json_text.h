#pragma once
// JSON that people write by hand, with comments: whatever is wrong with it is said with its line and its field.

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace rigspace {

class JsonText;

/// A place in the document: its value and the way to it. Cheap to copy; the JsonText must outlive it.
class Field {
 public:
  using Step = std::variant<std::string, std::size_t>;  ///< a key, or a position in a list
  using Json = nlohmann::ordered_json;

  const Json& json() const { return *value_; }
  std::string path() const;   ///< as people write it: deformers[2].points
  int line() const;           ///< counted from 1
  std::string place() const;  ///< file:line

  /// Throws unless this is an object with these keys alone; names what a wrong one may have meant.
  void allow(std::initializer_list<std::string_view> keys) const;
  Field operator[](std::string_view key) const;  ///< must be there
  std::optional<Field> find(std::string_view key) const;
  /// Every item of a list; throws if this is none.
  std::vector<Field> items() const;
  /// Every member of an object, in the file's order; throws if this is none.
  std::vector<std::pair<std::string, Field>> members() const;

  std::string text() const;  ///< not empty
  bool boolean() const;
  double number() const;  ///< finite
  double number(double low, double high) const;
  int integer(int low, int high) const;
  Vec3 vec3() const;
  std::vector<double> numbers() const;
  std::vector<std::string> texts() const;
  /// One of some words; returns its position among them.
  int one_of(std::initializer_list<std::string_view> words) const;

  bool is_text() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  bool is_list() const { return value_->is_array(); }
  bool is_object() const { return value_->is_object(); }

  [[noreturn]] void fail(std::string problem, std::string remedy = {}) const;
  /// Errors thrown by `body` are told this line and field unless they know a line of their own.
  void located(const std::function<void()>& body) const;

 private:
  friend class JsonText;
  Field(const JsonText* text, const Json* value, std::vector<Step> steps)
      : text_(text), value_(value), steps_(std::move(steps)) {}
  Field child(const Json& value, Step step) const;

  const JsonText* text_;
  const Json* value_;
  std::vector<Step> steps_;
};

class JsonText {
 public:
  /// Parses; `file` stands in messages. Throws Error for broken JSON, a key that stands twice in one object, depth
  /// beyond 32 or a text that is larger than 64 MiB.
  JsonText(std::string text, std::string file);
  JsonText(const JsonText&) = delete;  // fields point into it

  Field root() const { return {this, &json_, {}}; }
  const std::string& file() const { return file_; }
  /// The line on which the value at the end of these steps begins.
  int line_of(const std::vector<Field::Step>& steps) const;
  /// The same for a list or an object, without a search; 0 for other values.
  int line_of(const Field::Json& container) const;

 private:
  std::string text_, file_;
  Field::Json json_;
  std::unordered_map<const Field::Json*, int> lines_;  // of lists and objects
};

}  // namespace rigspace
