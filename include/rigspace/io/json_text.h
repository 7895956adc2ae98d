#pragma once
// JSON that people write by hand, with comments: errors name the line and the field. The one reader of JSON for rig
// files, curves, recipes and what other rooms add to rig files (rig_blocks.h).

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
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
  void allow(std::span<const std::string_view> keys) const;
  Field operator[](std::string_view key) const;  ///< must be there
  std::optional<Field> find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  /// Every item of a list; throws if this is none.
  std::vector<Field> items() const;
  /// Every member of an object, in the file's order; throws if this is none.
  std::vector<std::pair<std::string, Field>> members() const;

  std::string text() const;      ///< not empty
  std::string any_text() const;  ///< may be empty
  bool boolean() const;
  double number() const;  ///< finite
  double number(double low, double high) const;
  int integer(int low, int high) const;
  std::int64_t count() const;  ///< a whole number from 0 to 10^15
  Vec3 vec3() const;
  std::vector<double> numbers() const;
  std::vector<std::string> texts() const;
  /// One of some words; returns its position among them.
  int one_of(std::initializer_list<std::string_view> words) const;
  int one_of(std::span<const std::string_view> words) const;

  bool is_null() const;
  bool is_text() const;
  bool is_number() const;
  bool is_list() const;
  bool is_object() const;

  [[noreturn]] void fail(std::string problem, std::string remedy = {}) const;
  /// Errors thrown by `body` get this line, field and value unless they name a file of their own; those about usage
  /// become errors about input.
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
  static constexpr std::size_t kLargest = std::size_t{64} << 20;  ///< bytes, of what people write

  /// Parses; `file` stands in messages. Throws Error for broken JSON, a key that stands twice in one object, depth
  /// beyond 32 or a text of more than `largest` bytes.
  JsonText(std::string text, std::string file, std::size_t largest = kLargest);
  JsonText(const JsonText&) = delete;  // fields point into it
  ~JsonText();

  Field root() const { return {this, json_.get(), {}}; }
  const std::string& file() const { return file_; }
  /// The line on which the value at the end of these steps begins.
  int line_of(const std::vector<Field::Step>& steps) const;
  /// The same for a list or an object, without a search; 0 for other values.
  int line_of(const Field::Json& container) const;

 private:
  std::string text_, file_;
  std::unique_ptr<const Field::Json> json_;
  std::unordered_map<const Field::Json*, int> lines_;  // of lists and objects
};

}  // namespace rigspace
