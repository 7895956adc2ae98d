#include "recipe_fields.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using Json = nlohmann::ordered_json;

/// A value of the document that knows where it stands, so that every complaint can say so.
class Place {
 public:
  Place(const Json& json, std::string path, const std::string& file)
      : json_(&json), path_(std::move(path)), file_(file) {}

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    const std::string value = json_->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 60);
    throw Error({.file = file_,
                 .element = path_.empty() ? "" : "\"" + path_ + "\"",
                 .value = value,
                 .problem = problem,
                 .remedy = remedy});
  }

  bool has(std::string_view key) const { return object().contains(key); }
  bool is_null() const { return json_->is_null(); }
  bool is_list() const { return json_->is_array(); }
  bool is_text() const { return json_->is_string(); }

  Place at(std::string_view key) const {
    const auto found = object().find(key);
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    if (found == json_->end())
      throw Error({.file = file_, .element = "\"" + path + "\"", .problem = "is missing", .remedy = "write it again"});
    return {*found, path, file_};
  }

  template <class Visit>  // visit(Place)
  void each(Visit visit) const {
    if (!json_->is_array()) fail("is no list", "expected [..]");
    for (std::size_t k = 0; k < json_->size(); ++k)
      visit(Place((*json_)[k], path_ + "[" + std::to_string(k) + "]", file_));
  }
  template <class Visit>  // visit(key, Place)
  void each_field(Visit visit) const {
    for (const auto& [key, value] : object().items()) visit(key, Place(value, path_ + "." + key, file_));
  }

  double number() const {
    if (!json_->is_number()) fail("is no number", "expected one");
    return json_->get<double>();
  }
  std::int64_t count() const {
    if (!json_->is_number_integer() || json_->get<double>() < 0 || json_->get<double>() > 1e15)
      fail("is no count", "expected a whole number from 0");
    return json_->get<std::int64_t>();
  }
  int small_count() const {
    const std::int64_t value = count();
    if (value > std::numeric_limits<int>::max()) fail("is too large", "expected a smaller number");
    return static_cast<int>(value);
  }
  bool truth() const {
    if (!json_->is_boolean()) fail("is neither true nor false", "expected one of the two");
    return json_->get<bool>();
  }
  std::string text() const {
    if (!json_->is_string()) fail("is no text", "expected \"..\"");
    return json_->get<std::string>();
  }
  std::vector<double> numbers() const {
    std::vector<double> values;
    if (!json_->is_array()) fail("is no list", "expected [..]");
    values.reserve(json_->size());
    each([&](const Place& place) { values.push_back(place.number()); });
    return values;
  }
  template <std::size_t n>
  int word(const std::string_view (&words)[n]) const {
    const std::string given = text();
    std::string list;
    for (std::size_t k = 0; k < n; ++k) {
      if (words[k] == given) return static_cast<int>(k);
      list += (list.empty() ? "" : ", ") + std::string(words[k]);
    }
    fail("is \"" + given + "\"", "expected one of " + list);
  }

  /// Runs what may throw an Error about a value, and says where it stands.
  template <class Action>
  void check(Action action) const {
    try {
      action();
    } catch (const Error& error) {
      fail((error.info().element.empty() ? "" : "is wrong: " + error.info().element + " ") + error.info().problem,
           error.info().remedy);
    }
  }

 private:
  const Json& object() const {
    if (!json_->is_object()) fail("is no object", "expected {..}");
    return *json_;
  }

  const Json* json_;
  std::string path_;
  const std::string& file_;
};

/// [[time, value], ..], as written: a word behind them for a curve that is not eased.
Curve read_keys(const Place& place) {
  Curve curve = smooth_keys({}, {});
  place.each([&](const Place& key) {
    if (key.is_text()) return void(curve.interpolation = static_cast<Interpolation>(key.word(kCurveWords)));
    const std::vector<double> numbers = key.numbers();
    if (numbers.size() != 2 && numbers.size() != 4)
      key.fail("is no key", "expected [time, value], or [time, value, slope before, slope after]");
    curve.times.push_back(numbers[0]), curve.values.push_back(numbers[1]);
    curve.in_tangents.push_back(numbers.size() == 4 ? numbers[2] : 0);
    curve.out_tangents.push_back(numbers.size() == 4 ? numbers[3] : 0);
  });
  if (curve.interpolation != Interpolation::hermite) curve.in_tangents.clear(), curve.out_tangents.clear();
  if (curve.times.empty()) place.fail("has no key", "expected [[time, value], ..]");
  return curve;
}

/// What a control of a part is set to, and whether it can be.
RecipeValue read_value(const Place& place, std::string part, std::string control) {
  RecipeValue value{.part = std::move(part), .control = std::move(control)};
  if (value.control == "hit")
    value.moments = place.numbers();
  else if (place.is_list())
    value.keys = read_keys(place);
  else
    value.value = place.number();
  place.check([&] {
    Look scratch;
    value.apply_to(scratch);
  });
  return value;
}

RecipePart read_part(const Place& place) {
  RecipePart part{.name = place.at("name").text(), .preset = place.at("preset").text()};
  place.at("preset").check([&] { preset_named(part.preset); });
  const char* key = place.has("controls") ? "controls" : "joints";
  std::vector<std::string>& names = place.has("controls") ? part.controls : part.joints;
  place.at(key).each([&](const Place& name) { names.push_back(name.text()); });
  if (names.empty()) place.at(key).fail("is empty", "a part has at least one");
  part.found = place.at("found").truth();
  if (place.has("stiffness")) {
    part.stiffness = place.at("stiffness").numbers();
    if (part.stiffness.size() != part.controls.size())
      place.at("stiffness").fail("does not fit the controls", "expected a number for each");
    for (const double scale : part.stiffness)
      if (!(scale > 0)) place.at("stiffness").fail("has a number that is not positive", "1 is as stiff as the body");
  }
  place.at("look").each_field(
      [&](const std::string& field, const Place& value) { read_value(value, part.name, field).apply_to(part.look); });
  return part;
}

/// Values are for parts that the recipe has.
std::vector<RecipeValue> read_values(const Place& place, const Recipe& recipe) {
  std::vector<RecipeValue> values;
  place.each_field([&](const std::string& key, const Place& value) {
    const std::size_t dot = key.rfind('.');
    if (dot == std::string::npos) value.fail("is no PART.CONTROL", "for example \"tail.amount\": 0.6");
    values.push_back(read_value(value, key.substr(0, dot), key.substr(dot + 1)));
    if (std::none_of(recipe.parts.begin(), recipe.parts.end(),
                     [&](const RecipePart& part) { return part.name == values.back().part; }))
      value.fail("is for a part that the recipe lacks", "remove it, or name another part");
  });
  return values;
}

void read_options(const Place& place, RecipeOptions& options) {
  SimulationOptions& physics = options.physics;
  physics.method = Method::full;  // of recipes that do not say: there was no other
  place.each_field([&](const std::string& key, const Place& value) {
    for (const auto& field : kPhysicsNumbers)
      if (field.name == key) return void(physics.*field.value = value.number());
    for (const auto& field : kPhysicsCounts)
      if (field.name == key) return void(physics.*field.value = value.small_count());
    if (key == "integrator")
      physics.integrator = static_cast<IntegratorKind>(value.word(kIntegratorWords));
    else if (key == "loop")
      physics.looping = static_cast<Looping>(value.word(kLoopWords));
    else if (key == "follow")
      physics.follow_animation = value.word(kFollowWords) == 1;
    else if (key == "fps")
      options.frame_rate = value.number();
    else if (key == "additive")
      options.additive = value.truth();
    else if (key == "cubic_keys")
      options.cubic_keys = value.truth();
    else if (key == "soft")
      options.soft = static_cast<SoftForm>(value.word(kSoftWords));
    else if (key == "max_influences")
      options.max_influences = value.small_count();
    else if (key == "protect")
      value.each([&](const Place& pattern) { options.protect.push_back(pattern.text()); });
    else if (key == "collide")
      value.each([&](const Place& word) { options.collide.push_back(word.text()); });
    else if (key == "friction")
      physics.collisions.friction = value.number();
    else if (key == "paper")
      physics.paper = value.truth();
    else if (key == "method")
      value.check([&] { physics.method = method_named(value.text()); });
    else if (key == "interior")
      value.check([&] { physics.interior = interior_named(value.text()); });
    else if (key == "solver")
      value.check([&] { physics.curvature = rig_curvature_named(value.text()); });
    else if (key == "material")
      value.check([&] { physics.material = material_kind(value.text()); });
    else if (key == "chains")
      options.chains = static_cast<ChainForm>(value.word(kChainWords));
    else
      value.fail("is no option", "`rigspace simulate --help` lists them");
  });
  if (!(options.frame_rate >= 0 && options.frame_rate <= 1000))
    place.at("fps").fail("is out of range", "expected 0 (the source's) to 1000");
  place.check([&] { physics.validate(); });
}

PartReport read_report(const Place& place) {
  PartReport report{.flesh = place.at("flesh").truth()};
  for (const auto& field : kReportFields) report.*field.value = place.at(field.name).number();
  for (const auto& field : kReportShares)
    if (place.has(field.name)) report.*field.value = place.at(field.name).number();
  for (const auto& field : kReportDepths)
    if (place.has(field.name)) report.*field.value = place.at(field.name).number();
  return report;
}

void read_curves(const Place& place, RecipeClip& clip) {
  clip.times = place.at("times").numbers();
  for (std::size_t k = 1; k < clip.times.size(); ++k)
    if (!(clip.times[k] > clip.times[k - 1]))
      place.at("times").fail("does not increase at its number " + std::to_string(k + 1), "times are in seconds");
  if (!clip.has_motion()) place.at("times").fail("is empty", "a finished clip has at least one");
  place.at("curves").each([&](const Place& curve) {
    clip.curves.push_back({.control = curve.at("control").text(),
                           .unit = static_cast<Unit>(curve.at("unit").word(kUnitWords)),
                           .values = curve.at("values").numbers()});
    const std::size_t count = clip.curves.back().values.size();
    if (count != clip.times.size())
      curve.at("values").fail("has " + std::to_string(count) + " numbers",
                              "expected " + std::to_string(clip.times.size()) + ", one per time");
  });
}

RecipeClip read_clip(const Place& place, const Recipe& recipe) {
  RecipeClip clip{.name = place.at("name").text(), .base = place.at("base").text()};
  clip.frame_rate = place.at("fps").number();
  if (!(clip.frame_rate > 0 && clip.frame_rate <= 1000)) place.at("fps").fail("is out of range", "expected 1 to 1000");
  clip.start = place.at("start").number();
  if (!place.at("end").is_null()) clip.end = place.at("end").number();
  clip.preroll = place.at("preroll").number();
  clip.set = read_values(place.at("set"), recipe);
  place.at("edits").each([&](const Place& edit) {
    clip.edits.push_back({edit.at("from").number(), edit.at("to").number(), read_values(edit.at("set"), recipe)});
    if (!(clip.edits.back().from < clip.edits.back().to)) edit.fail("ends before it begins", "expected from < to");
  });
  clip.stopped = place.has("stopped") && place.at("stopped").truth();
  if (!place.at("finished").truth() && !clip.stopped) return clip;
  clip.loop = place.at("loop").truth();
  clip.seam = place.at("seam").number();
  for (const auto& field : kClipCounts) clip.*field.value = place.at(field.name).small_count();
  place.at("report").each([&](const Place& report) { clip.parts.push_back(read_report(report)); });
  if (clip.parts.size() != recipe.parts.size())
    place.at("report").fail("has " + std::to_string(clip.parts.size()) + " parts",
                            "expected " + std::to_string(recipe.parts.size()));
  read_curves(place, clip);
  return clip;
}

RecipeInput read_input(const Place& input) {
  return {.file = input.at("file").text(),
          .bytes = static_cast<std::uint64_t>(input.at("bytes").count()),
          .hash = input.at("hash").text(),
          .process = input.has("process") ? input.at("process").text() : "",
          .object = input.has("object") ? input.at("object").text() : ""};
}

Recipe read_document(const Place& place) {
  const std::int64_t schema = place.at("schema").count();
  if (!place.has("program") || place.at("program").text() != "rigspace")
    place.fail("is no recipe", "name a .soft.json");
  if (schema != kRecipeSchema)
    place.at("schema").fail("is " + std::to_string(schema),
                            "this program reads " + std::to_string(kRecipeSchema) + "; use the one that wrote it");
  Recipe recipe;
  recipe.version = place.at("version").text();
  recipe.input = read_input(place.at("input"));
  if (place.has("on")) recipe.on = read_input(place.at("on"));
  constexpr std::string_view kFormats[] = {".glb", ".gltf", ".rigspace.json"};
  recipe.format = kFormats[place.at("output").word(kFormats)];
  if (place.has("notes")) place.at("notes").each([&](const Place& note) { recipe.notes.push_back(note.text()); });
  read_options(place.at("options"), recipe.options);
  place.at("parts").each([&](const Place& part) {
    recipe.parts.push_back(read_part(part));
    for (std::size_t k = 0; k + 1 < recipe.parts.size(); ++k)
      if (recipe.parts[k].name == recipe.parts.back().name)
        part.at("name").fail("is \"" + recipe.parts[k].name + "\" for a second time", "give each part its own name");
  });
  if (recipe.parts.empty()) place.at("parts").fail("is empty", "a recipe has at least one part");
  place.at("clips").each([&](const Place& clip) { recipe.clips.push_back(read_clip(clip, recipe)); });
  return recipe;
}

}  // namespace

Recipe parse_recipe(std::string_view text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (!text.starts_with('{'))
      throw Error({.file = name, .problem = "is no recipe", .remedy = "name the .soft.json that simulate wrote"});
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error({.file = name + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')),
                 .problem = "is not JSON from here on",
                 .remedy = "check commas, quotes and brackets, or run simulate again"});
  } catch (const Json::exception& error) {  // a number that no double holds
    throw Error({.file = name, .problem = "has a number that is too large", .remedy = "run simulate again"});
  }
  return read_document(Place(json, "", name));
}

Recipe read_recipe(const std::filesystem::path& path) { return parse_recipe(read_text(path), path.string()); }

}  // namespace rigspace
