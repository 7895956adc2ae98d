#include "rigspace/jobs/recipe_envelope.h"

#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"

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

/// A line a value, but lists of plain values on one, so that a curve is one line.
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

RecipeInput input_from(const Field& input) {
  return {.file = input["file"].any_text(),
          .bytes = static_cast<std::uint64_t>(input["bytes"].count()),
          .hash = input["hash"].any_text(),
          .process = input.has("process") ? input["process"].any_text() : "",
          .object = input.has("object") ? input["object"].any_text() : ""};
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

RecipeEnvelope envelope_from(const Field& root) {
  const std::int64_t schema = root["schema"].count();
  if (!root.has("program") || root["program"].any_text() != kProgram)
    root.fail("is no recipe", "name a recipe: the .soft.json that a job writes beside its result");
  if (schema != kSchema)
    root["schema"].fail("is " + std::to_string(schema),
                        "this program reads " + std::to_string(kSchema) + "; use the one that wrote it");
  constexpr std::string_view kFormats[] = {".glb", ".gltf", ".rigspace.json"};
  RecipeEnvelope envelope{.version = root["version"].any_text(), .input = input_from(root["input"])};
  if (root.has("on")) envelope.on = input_from(root["on"]);
  envelope.format = kFormats[root["output"].one_of(kFormats)];
  if (root.has("notes"))
    for (const Field& note : root["notes"].items()) envelope.notes.push_back(note.any_text());
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
