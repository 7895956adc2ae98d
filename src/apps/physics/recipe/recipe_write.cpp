#include "fix/fix_json.h"
#include "recipe_fields.h"
#include "rigspace/base/files.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace rigspace {
namespace {

using Json = nlohmann::ordered_json;

/// [[time, value], ..] for smooth keys; for other interpolations the word for it is added at the end, and tangents that
/// are not 0 are added to the keys.
Json json_of(const Curve& keys) {
  Json json = Json::array();
  const bool hermite = keys.interpolation == Interpolation::hermite;
  for (std::size_t k = 0; k < keys.times.size(); ++k) {
    Json key{keys.times[k], keys.values[k]};
    if (hermite && (keys.in_tangents[k] != 0 || keys.out_tangents[k] != 0))
      key.push_back(keys.in_tangents[k]), key.push_back(keys.out_tangents[k]);
    json.push_back(std::move(key));
  }
  if (!hermite) json.push_back(name(keys.interpolation));
  return json;
}

Json json_of(const PartSettings& settings) {
  Json json = Json::object();
  for (const SettingField& field : setting_fields()) {
    const Curve* keys = settings.keys_of(field.name);
    json[std::string(field.name)] = keys != nullptr ? json_of(*keys) : Json(settings.*field.value);
  }
  if (!settings.hits.empty()) json["hit"] = settings.hits;
  return json;
}

Json json_of(const RecipePart& part) {
  Json json{{"name", part.name}, {"preset", part.preset}, {"found", part.found}};
  if (!part.reason.empty()) json["reason"] = part.reason;
  const bool joints = part.controls.empty();
  json[joints ? "joints" : "controls"] = joints ? part.joints : part.controls;
  if (!part.stiffness.empty()) json["stiffness"] = part.stiffness;
  for (const RecipePart::Vertices& run : part.sheet)
    json["sheet"].push_back({{"mesh", run.mesh}, {"vertices", {run.from, run.to}}});
  json["look"] = json_of(part.settings);
  return json;
}

Json json_of(const std::vector<RecipeValue>& values) {
  Json json = Json::object();
  for (const RecipeValue& each : values)
    json[each.part + "." + each.control] = each.control == "hit"      ? Json(each.moments)
                                           : !each.keys.times.empty() ? json_of(each.keys)
                                                                      : Json(each.value);
  return json;
}

Json json_of(const RecipeOptions& options) {
  const SimulationOptions& physics = options.physics;
  Json json = Json::object();
  for (const auto& field : kPhysicsNumbers) json[std::string(field.name)] = physics.*field.value;
  for (const auto& field : kPhysicsCounts) json[std::string(field.name)] = physics.*field.value;
  json["integrator"] = kIntegratorWords[static_cast<int>(physics.integrator)];
  json["loop"] = kLoopWords[static_cast<int>(physics.looping)];
  if (!physics.play.loop.empty()) json["loop_clips"] = physics.play.loop;
  if (!physics.play.once.empty()) json["once_clips"] = physics.play.once;
  json["follow"] = kFollowWords[physics.follow_animation ? 1 : 0];
  json["fps"] = options.frame_rate;
  json["additive"] = options.additive;
  json["cubic_keys"] = options.cubic_keys;
  json["soft"] = kSoftWords[static_cast<int>(options.soft)];
  json["max_influences"] = options.max_influences;
  json["protect"] = options.protect;
  if (!options.collide.empty()) json["collide"] = options.collide, json["friction"] = physics.collisions.friction;
  if (!(physics.corrections == Corrections{})) {
    json["without"] = Json::array();
    for (const auto& field : kCorrections)
      if (!(physics.corrections.*field.value)) json["without"].push_back(field.name);
  }
  if (physics.paper) json["paper"] = true;
  if (physics.method != Method::full) json["method"] = name(physics.method);
  if (physics.quality != SimulationOptions{}.quality) json["quality"] = physics.quality;
  if (physics.interior != Interior::dynamic) json["interior"] = name(physics.interior);
  if (physics.curvature != RigCurvature::none) json["solver"] = name(physics.curvature);
  if (physics.gravity != earth_gravity())
    json["gravity"] = {physics.gravity.x(), physics.gravity.y(), physics.gravity.z()};
  if (physics.material != MaterialKind::stable_neo_hookean) json["material"] = name(physics.material);
  if (options.chains != ChainForm::rods) json["chains"] = kChainWords[static_cast<int>(options.chains)];
  return json;
}

Json json_of(const PartReport& report) {
  Json json = Json::object();
  json["flesh"] = report.flesh;
  for (const auto& field : kReportFields) json[std::string(field.name)] = report.*field.value;
  for (const auto& field : kReportShares)
    if (report.*field.value != 1) json[std::string(field.name)] = report.*field.value;
  for (const auto& field : kReportExtras)
    if (report.*field.value != 0 || (field.value == &PartReport::deepest_at && report.deepest > 0))
      json[std::string(field.name)] = report.*field.value;
  return json;
}

Json json_of(const RecipeCurve& curve) {
  return {{"control", curve.control}, {"unit", kUnitWords[static_cast<int>(curve.unit)]}, {"values", curve.values}};
}

Json json_of(const RecipeClip& clip) {
  Json json{{"name", clip.name}, {"base", clip.base}, {"fps", clip.frame_rate}, {"start", clip.start}};
  json["end"] = std::isfinite(clip.end) ? Json(clip.end) : Json();
  json["preroll"] = clip.preroll;
  json["set"] = json_of(clip.set);
  json["edits"] = Json::array();
  for (const RecipeEdit& edit : clip.edits)
    json["edits"].push_back({{"from", edit.from}, {"to", edit.to}, {"set", json_of(edit.set)}});
  if (!clip.fix.empty()) json["fix"] = json_of(clip.fix);
  json["finished"] = clip.finished();
  if (!clip.has_motion()) return json;
  if (clip.stopped) json["stopped"] = true;
  json["loop"] = clip.loop;
  json["period"] = clip.period;
  json["why"] = clip.why;
  json["seam"] = clip.seam;
  for (const auto& field : kClipCounts) json[std::string(field.name)] = clip.*field.value;
  for (const auto& field : kClipExtras)
    if (clip.*field.value != 0) json[std::string(field.name)] = clip.*field.value;
  json["report"] = Json::array();
  for (const PartReport& report : clip.parts) json["report"].push_back(json_of(report));
  json["times"] = clip.times;
  json["curves"] = Json::array();
  for (const RecipeCurve& curve : clip.curves) json["curves"].push_back(json_of(curve));
  return json;
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  Json json = envelope_json(recipe);
  json["options"] = json_of(recipe.options);
  if (!recipe.tuned_on.empty()) json["tuned_on"] = recipe.tuned_on;
  json["parts"] = Json::array();
  for (const RecipePart& part : recipe.parts) json["parts"].push_back(json_of(part));
  json["clips"] = Json::array();
  for (const RecipeClip& clip : recipe.clips) json["clips"].push_back(json_of(clip));
  return recipe_json_text(json);
}

void write_recipe(const std::filesystem::path& path, const Recipe& recipe) { write_file(path, recipe_text(recipe)); }

}  // namespace rigspace
