#include "message.h"

#include <cmath>

namespace rigspace::studio {
namespace {

std::string shown(const Json& value) {
  std::string text = written(value);
  constexpr std::size_t kMost = 80;
  if (text.size() > kMost) text = text.substr(0, kMost) + " ..";
  return text;
}

[[noreturn]] void refuse_field(const char* field, const Json& value, const std::string& expected) {
  refuse(std::string("argument \"") + field + "\"", shown(value), "is " + shown(value), "expected " + expected);
}

}  // namespace

void refuse(std::string element, std::string value, std::string problem, std::string remedy) {
  throw Error({.code = ErrorCode::usage,
               .file = "",
               .element = std::move(element),
               .value = std::move(value),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

const Json& Arguments::at(const char* field) const {
  const auto found = message_.find(field);
  if (found == message_.end())
    refuse(std::string("argument \"") + field + "\"", "", "is missing", "the command needs it");
  return *found;
}

bool Arguments::has(const char* field) const {
  const auto found = message_.find(field);
  return found != message_.end() && !found->is_null();
}
bool Arguments::is_number(const char* field) const {
  const auto found = message_.find(field);
  return found != message_.end() && found->is_number();
}
bool Arguments::is_null(const char* field) const {
  const auto found = message_.find(field);
  return found != message_.end() && found->is_null();
}

std::string Arguments::text(const char* field, std::size_t most) const {
  const Json& value = at(field);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > most)
    refuse_field(field, value, "a text of at most " + std::to_string(most) + " bytes");
  return value.get<std::string>();
}

std::string Arguments::text_or(const char* field, std::string otherwise) const {
  return has(field) ? text(field) : std::move(otherwise);
}

double Arguments::number(const char* field, double least, double most) const {
  const Json& value = at(field);
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!(number >= least && number <= most))
    refuse_field(field, value, "a number from " + shown(Json(least)) + " to " + shown(Json(most)));
  return number;
}

int Arguments::integer(const char* field, int least, int most) const {
  const double value = number(field, least, most);
  if (value != std::floor(value)) refuse_field(field, at(field), "a whole number");
  return static_cast<int>(value);
}

bool Arguments::flag(const char* field) const {
  const Json& value = at(field);
  if (!value.is_boolean()) refuse_field(field, value, "true or false");
  return value.get<bool>();
}

const Json& Arguments::list(const char* field, std::size_t most) const {
  const Json& value = at(field);
  if (!value.is_array() || value.size() > most) refuse_field(field, value, "a list of at most " + std::to_string(most));
  return value;
}

const Json& Arguments::object(const char* field, std::size_t most) const {
  const Json& value = at(field);
  if (!value.is_object() || value.size() > most)
    refuse_field(field, value, "an object of at most " + std::to_string(most) + " fields");
  return value;
}

std::vector<double> Arguments::numbers(const char* field, std::size_t most) const {
  std::vector<double> numbers;
  for (const Json& value : list(field, most)) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse_field(field, value, "finite numbers");
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

std::vector<std::string> Arguments::texts(const char* field, std::size_t most) const {
  std::vector<std::string> texts;
  for (const Json& value : list(field, most)) {
    if (!value.is_string()) refuse_field(field, value, "texts");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

Json to_json(const ErrorInfo& error, const std::string& sentence) {
  return {{"sentence", sentence}, {"problem", error.problem}, {"remedy", error.remedy},
          {"file", error.file},   {"element", error.element}, {"value", error.value}};
}

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace rigspace::studio
