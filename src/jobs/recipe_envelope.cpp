#include "rigspace/jobs/recipe_envelope.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr const char* kProgram = "rigspace";

Json json_of(const RecipeInput& input) {
  Json json{{"file", input.file}, {"bytes", input.bytes}, {"hash", input.hash}};
  if (!input.process.empty()) json["process"] = input.process;
  if (!input.object.empty()) json["object"] = input.object;
  return json;
}

/// A line a value, but lists of plain values on one: nobody scrolls through a curve.
void print(const Json& json, const std::string& indent, std::string& text) {
  const bool list = json.is_array();
  const bool flat = list && std::none_of(json.begin(), json.end(), [](const Json& j) { return j.is_structured(); });
  if (!json.is_structured() || json.empty() || flat) {
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::string inner = indent + "  ";
  text += list ? '[' : '{';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    text += first ? "\n" : ",\n";
    first = false;
    text += inner;
    if (!list) text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    print(value, inner, text);
  }
  text += '\n' + indent;
  text += list ? ']' : '}';
}

/// Member `key` of an object of the recipe; throws Error naming it.
const Json& member(const Json& json, const char* key, const std::string& file) {
  if (const auto found = json.find(key); json.is_object() && found != json.end()) return *found;
  throw Error({.file = file,
               .element = std::string("\"") + key + "\"",
               .problem = "is missing",
               .remedy = "a recipe is what a job of this program left beside its result"});
}

std::string text_member(const Json& json, const char* key, const std::string& file) {
  const Json& value = member(json, key, file);
  if (value.is_string()) return value.get<std::string>();
  throw Error({.file = file,
               .element = std::string("\"") + key + "\"",
               .value = value.dump(),
               .problem = "is no text",
               .remedy = "run the job again"});
}

RecipeInput input_from(const Json& json, const std::string& file) {
  const Json& bytes = member(json, "bytes", file);
  RecipeInput input{.file = text_member(json, "file", file),
                    .bytes = bytes.is_number_unsigned() ? bytes.get<std::uint64_t>() : 0,
                    .hash = text_member(json, "hash", file)};
  if (json.contains("process")) input.process = text_member(json, "process", file);
  if (json.contains("object")) input.object = text_member(json, "object", file);
  return input;
}

}  // namespace

Json envelope_json(const RecipeEnvelope& envelope, const std::string& application) {
  Json json{{"schema", kSchema}, {"program", kProgram}, {"version", envelope.version}};
  if (!application.empty()) json["application"] = application;
  json["input"] = json_of(envelope.input);
  if (!envelope.on.file.empty()) json["on"] = json_of(envelope.on);
  json["output"] = envelope.format;
  if (!envelope.notes.empty()) json["notes"] = envelope.notes;
  return json;
}

RecipeEnvelope envelope_from(const Json& json, const std::string& file) {
  if (!json.is_object() || json.value("program", Json()) != kProgram || json.value("schema", Json()) != kSchema)
    throw Error(
        {.file = file, .problem = "is no recipe of this program", .remedy = "name what a job left beside its result"});
  RecipeEnvelope envelope{.version = text_member(json, "version", file), .format = text_member(json, "output", file)};
  envelope.input = input_from(member(json, "input", file), file);
  if (json.contains("on")) envelope.on = input_from(json["on"], file);
  if (const auto notes = json.find("notes"); notes != json.end())
    for (const Json& note : *notes) envelope.notes.push_back(note.is_string() ? note.get<std::string>() : note.dump());
  return envelope;
}

std::string recipe_json_text(const Json& json) {
  std::string text;
  print(json, "", text);
  return text + "\n";
}

bool is_recipe(const std::filesystem::path& file) {
  const Json json = Json::parse(read_text(file), nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.value("program", Json()) == kProgram && json.contains("schema");
}

}  // namespace rigspace
