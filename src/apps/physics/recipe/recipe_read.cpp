#include "fix/fix_json.h"
#include "recipe_fields.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"
#include "rigspace/jobs/arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr std::size_t kLargestRecipe = std::size_t{1} << 30;  // bytes; it contains the curves of all clips

int small_count(const Field& field) { return field.integer(0, std::numeric_limits<int>::max()); }

/// Reads [[time, value], ..], with a last word for an interpolation other than smooth keys.
Curve read_keys(const Field& place) {
  Curve curve = smooth_keys({}, {});
  for (const Field& key : place.items()) {
    if (key.is_text()) {
      curve.interpolation = static_cast<Interpolation>(key.one_of(kCurveWords));
      continue;
    }
    const std::vector<double> numbers = key.numbers();
    if (numbers.size() != 2 && numbers.size() != 4)
      key.fail("is no key", "expected [time, value], or [time, value, slope before, slope after]");
    curve.times.push_back(numbers[0]), curve.values.push_back(numbers[1]);
    curve.in_tangents.push_back(numbers.size() == 4 ? numbers[2] : 0);
    curve.out_tangents.push_back(numbers.size() == 4 ? numbers[3] : 0);
  }
  if (curve.interpolation != Interpolation::hermite) curve.in_tangents.clear(), curve.out_tangents.clear();
  if (curve.times.empty()) place.fail("has no key", "expected [[time, value], ..]");
  return curve;
}

/// Reads the value of a setting of a part and checks it.
RecipeValue read_value(const Field& place, std::string part, std::string control) {
  RecipeValue value{.part = std::move(part), .control = std::move(control)};
  if (value.control == "hit")
    value.moments = place.numbers();
  else if (place.is_list())
    value.keys = read_keys(place);
  else
    value.value = place.number();
  place.located([&] {
    PartSettings scratch;
    value.apply_to(scratch);
  });
  return value;
}

RecipePart read_part(const Field& place) {
  RecipePart part{.name = place["name"].any_text(), .preset = place["preset"].any_text()};
  place["preset"].located([&] { preset_named(part.preset); });
  const char* key = place.has("controls") ? "controls" : "joints";
  std::vector<std::string>& names = place.has("controls") ? part.controls : part.joints;
  for (const Field& name : place[key].items()) names.push_back(name.any_text());
  if (names.empty()) place[key].fail("is empty", "a part has at least one");
  part.found = place["found"].boolean();
  if (place.has("reason")) part.reason = place["reason"].any_text();
  if (place.has("sheet"))
    for (const Field& run : place["sheet"].items()) {
      const std::vector<double> ends = run["vertices"].numbers();
      if (ends.size() != 2 || !(ends[0] >= 0 && ends[1] >= ends[0] && ends[1] < 1e9))
        run["vertices"].fail("is no stretch of vertices", "expected [first, last]");
      part.sheet.push_back({run["mesh"].any_text(), static_cast<int>(ends[0]), static_cast<int>(ends[1])});
    }
  if (place.has("stiffness")) {
    part.stiffness = place["stiffness"].numbers();
    if (part.stiffness.size() != part.controls.size())
      place["stiffness"].fail("does not fit the controls", "expected a number for each");
    for (const double scale : part.stiffness)
      if (!(scale > 0)) place["stiffness"].fail("has a number that is not positive", "1 is as stiff as the body");
  }
  for (const auto& [control, value] : place["look"].members())
    read_value(value, part.name, control).apply_to(part.settings);
  return part;
}

/// Reads values, named PART.CONTROL, and checks that the recipe has these parts.
std::vector<RecipeValue> read_values(const Field& place, const Recipe& recipe) {
  std::vector<RecipeValue> values;
  for (const auto& [key, value] : place.members()) {
    const std::size_t dot = key.rfind('.');
    if (dot == std::string::npos) value.fail("is no PART.CONTROL", "for example \"tail.amount\": 0.6");
    values.push_back(read_value(value, key.substr(0, dot), key.substr(dot + 1)));
    if (std::none_of(recipe.parts.begin(), recipe.parts.end(),
                     [&](const RecipePart& part) { return part.name == values.back().part; }))
      value.fail("is for a part that the recipe lacks", "remove it, or name another part");
  }
  return values;
}

/// Turns off the correction that is named.
void read_correction(const Field& word, Corrections& corrections) {
  std::vector<std::string_view> names;
  for (const auto& each : kCorrections) names.push_back(each.name);
  corrections.*kCorrections[word.one_of(names)].value = false;
}

void read_option(const std::string& key, const Field& value, RecipeOptions& options) {
  SimulationOptions& physics = options.physics;
  for (const auto& field : kPhysicsNumbers)
    if (field.name == key) return void(physics.*field.value = value.number());
  for (const auto& field : kPhysicsCounts)
    if (field.name == key) return void(physics.*field.value = small_count(value));
  if (key == "integrator")
    physics.integrator = static_cast<IntegratorKind>(value.one_of(kIntegratorWords));
  else if (key == "loop")
    physics.looping = static_cast<Looping>(value.one_of(kLoopWords));
  else if (key == "loop_clips")
    for (const Field& pattern : value.items()) physics.play.loop.push_back(pattern.any_text());
  else if (key == "once_clips")
    for (const Field& pattern : value.items()) physics.play.once.push_back(pattern.any_text());
  else if (key == "follow")
    physics.follow_animation = value.one_of(kFollowWords) == 1;
  else if (key == "fps")
    options.frame_rate = value.number();
  else if (key == "additive")
    options.additive = value.boolean();
  else if (key == "cubic_keys")
    options.cubic_keys = value.boolean();
  else if (key == "soft")
    options.soft = static_cast<SoftForm>(value.one_of(kSoftWords));
  else if (key == "max_influences")
    options.max_influences = small_count(value);
  else if (key == "protect")
    for (const Field& pattern : value.items()) options.protect.push_back(pattern.any_text());
  else if (key == "collide")
    for (const Field& word : value.items()) options.collide.push_back(word.any_text());
  else if (key == "friction")
    physics.collisions.friction = value.number();
  else if (key == "gravity")
    physics.gravity = value.vec3();
  else if (key == "without")
    for (const Field& word : value.items()) read_correction(word, physics.corrections);
  else if (key == "paper")
    physics.paper = value.boolean();
  else if (key == "method")
    value.located([&] { physics.method = method_named(value.any_text()); });
  else if (key == "quality")
    physics.quality = value.number();
  else if (key == "interior")
    value.located([&] { physics.interior = interior_named(value.any_text()); });
  else if (key == "solver")
    value.located([&] { physics.curvature = rig_curvature_named(value.any_text()); });
  else if (key == "material")
    value.located([&] { physics.material = material_kind(value.any_text()); });
  else if (key == "chains")
    options.chains = static_cast<ChainForm>(value.one_of(kChainWords));
  else
    value.fail("is no option", "`rigspace simulate --help` lists them");
}

void read_options(const Field& place, RecipeOptions& options) {
  options.physics.method = Method::full;  // for old recipes without this field, when it was the only method
  for (const auto& [key, value] : place.members()) read_option(key, value, options);
  if (!(options.frame_rate >= 0 && options.frame_rate <= kMostFrameRate))
    place["fps"].fail("is out of range", "expected 0 (the source's) to 1000");
  place.located([&] { options.physics.validate(); });
}

PartReport read_report(const Field& place) {
  PartReport report{.flesh = place["flesh"].boolean()};
  for (const auto& field : kReportFields) report.*field.value = place[field.name].number();
  for (const auto& field : kReportShares)
    if (place.has(field.name)) report.*field.value = place[field.name].number();
  for (const auto& field : kReportExtras)
    if (place.has(field.name)) report.*field.value = place[field.name].number();
  return report;
}

void read_curves(const Field& place, RecipeClip& clip) {
  clip.times = place["times"].numbers();
  for (std::size_t k = 1; k < clip.times.size(); ++k)
    if (!(clip.times[k] > clip.times[k - 1]))
      place["times"].fail("does not increase at its number " + std::to_string(k + 1), "times are in seconds");
  if (!clip.has_motion()) place["times"].fail("is empty", "a finished clip has at least one");
  for (const Field& curve : place["curves"].items()) {
    clip.curves.push_back({.control = curve["control"].any_text(),
                           .unit = static_cast<Unit>(curve["unit"].one_of(kUnitWords)),
                           .values = curve["values"].numbers()});
    const std::size_t count = clip.curves.back().values.size();
    if (count != clip.times.size())
      curve["values"].fail("has " + std::to_string(count) + " numbers",
                           "expected " + std::to_string(clip.times.size()) + ", one per time");
  }
}

RecipeClip read_clip(const Field& place, const Recipe& recipe) {
  RecipeClip clip{.name = place["name"].any_text(), .base = place["base"].any_text()};
  clip.frame_rate = place["fps"].number();
  if (!(clip.frame_rate > 0 && clip.frame_rate <= kMostFrameRate))
    place["fps"].fail("is out of range", "expected 1 to 1000");
  clip.start = place["start"].number();
  if (!place["end"].is_null()) clip.end = place["end"].number();
  clip.preroll = place["preroll"].number();
  clip.set = read_values(place["set"], recipe);
  for (const Field& edit : place["edits"].items()) {
    clip.edits.push_back({edit["from"].number(), edit["to"].number(), read_values(edit["set"], recipe)});
    if (!(clip.edits.back().from < clip.edits.back().to)) edit.fail("ends before it begins", "expected from < to");
  }
  if (place.has("fix")) clip.fix = read_clip_fix(place["fix"]);
  clip.stopped = place.has("stopped") && place["stopped"].boolean();
  if (!place["finished"].boolean() && !clip.stopped) return clip;
  clip.loop = place["loop"].boolean();
  clip.seam = place["seam"].number();
  if (place.has("why")) clip.why = place["why"].any_text();
  for (const auto& field : kClipCounts) clip.*field.value = small_count(place[field.name]);
  for (const auto& field : kClipExtras)
    if (place.has(field.name)) clip.*field.value = small_count(place[field.name]);
  for (const Field& report : place["report"].items()) clip.parts.push_back(read_report(report));
  if (clip.parts.size() != recipe.parts.size())
    place["report"].fail("has " + std::to_string(clip.parts.size()) + " parts",
                         "expected " + std::to_string(recipe.parts.size()));
  read_curves(place, clip);
  clip.period = place.has("period") ? place["period"].number() : clip.times.back();
  return clip;
}

Recipe read_document(const Field& place) {
  Recipe recipe{envelope_from(place)};
  read_options(place["options"], recipe.options);
  if (place.has("tuned_on")) recipe.tuned_on = place["tuned_on"].any_text();
  for (const Field& part : place["parts"].items()) {
    recipe.parts.push_back(read_part(part));
    for (std::size_t k = 0; k + 1 < recipe.parts.size(); ++k)
      if (recipe.parts[k].name == recipe.parts.back().name)
        part["name"].fail("is \"" + recipe.parts[k].name + "\" for a second time", "give each part its own name");
  }
  for (const Field& clip : place["clips"].items()) recipe.clips.push_back(read_clip(clip, recipe));
  if (recipe.parts.empty() && !recipe.clips.empty())
    place["parts"].fail("is empty", "a recipe with clips has at least one part");
  return recipe;
}

}  // namespace

Recipe parse_recipe(std::string_view text, const std::string& name) {
  const auto refuse = [&](const char* problem) {
    throw Error({.file = name,
                 .problem = problem,
                 .remedy = "name a recipe: the .soft.json that simulate writes beside its result"});
  };
  if (!text.starts_with('{')) refuse("is no recipe");
  const JsonText document(std::string(text), name, kLargestRecipe);
  if (const auto& root = document.root(); !root.has("program") || !root.has("schema"))
    refuse("is JSON, but no recipe of this program");
  return read_document(document.root());
}

Recipe read_recipe(const std::filesystem::path& path) { return parse_recipe(read_text(path), path.string()); }

}  // namespace rigspace
