// The curve editor: the simulated layer of the present clip as few keys, and the user's edits.

#include "../studio.h"
#include "../units.h"

#include "rigspace/anim/key_edits.h"
#include "rigspace/apps/physics/editable_keys.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace::studio {
namespace {

struct Editor {
  double tolerance = 1e-3;                             // share of the height
  std::shared_ptr<const SimulatedCharacter> made_for;  // by which `editable` is known
  std::unique_ptr<EditableKeys> editable;
};

const RecipeClip& baked_clip(Studio& studio) {
  const auto& baked = studio.baked();
  if (!baked || baked->recipe().clips.empty())
    refuse("the simulated layer", "", "is not made yet",
           "wait until the clip is baked, a moment after the last change");
  return baked->recipe().clips.front();
}

const EditableKeys& editable(Studio& studio, Editor& editor) {
  if (editor.made_for != studio.baked() || !editor.editable) {
    editor.editable = std::make_unique<EditableKeys>(studio.baked()->character(), studio.baked()->recipe());
    editor.made_for = studio.baked();
  }
  return *editor.editable;
}

const ClipEdits& edits_of(Studio& studio) {
  static const ClipEdits kNone;
  const auto at = studio.project().edits.find(studio.playback().state().clip);
  return at == studio.project().edits.end() ? kNone : at->second;
}

Json keys_json(const Curve& curve) {
  Json keys = Json::array();
  const bool cubic = curve.interpolation == Interpolation::hermite && curve.in_tangents.size() == curve.times.size();
  for (std::size_t k = 0; k < curve.times.size(); ++k)
    keys.push_back({{"time", curve.times[k]},
                    {"value", curve.values[k]},
                    {"in", cubic ? curve.in_tangents[k] : 0},
                    {"out", cubic ? curve.out_tangents[k] : 0}});
  return keys;
}

/// The artist's motion of a control from its rest value; of a joint that is keyed as an orientation the component of
/// its rotation vector from rest. Degrees, or the control's unit.
double artists_value(std::span<const Control> controls, int control, In rest, In p) {
  const Control& own = controls[static_cast<std::size_t>(control)];
  const double factor = shown_units(own);
  const std::string_view name(own.name);
  const int q = own.unit == Unit::angle ? find_control(controls, own.node + ".qx") : -1;
  double value = p[control] - rest[control];
  if (q >= 0 && name.size() > 2 && name[name.size() - 2] == 'r') {
    const auto quaternion = [q](In from) { return Quat(from[q + 3], from[q], from[q + 1], from[q + 2]).normalized(); };
    const Eigen::AngleAxisd turn(quaternion(rest).conjugate() * quaternion(p));
    const double angle = std::remainder(turn.angle(), 2 * std::numbers::pi);
    value += angle * turn.axis()[name.back() - 'x'];
  }
  return factor * value;
}

Json curves_get(Studio& studio, Editor& editor, const Arguments& given) {
  const std::vector<std::string> asked = given.texts("controls", 64);
  const RecipeClip& clip = baked_clip(studio);
  const Character& character = studio.baked()->character();
  const std::span<const Control> controls = character.rig->controls();
  std::vector<int> places;
  for (const std::string& name : asked) {
    places.push_back(find_control(controls, name));
    if (places.back() < 0)
      refuse("control \"" + name + "\"", name, "is not in the rig", "the panel Controls lists them");
  }
  constexpr int kMostSamples = 1200;
  const double length = studio.playback().duration();
  const int count = std::clamp(static_cast<int>(std::ceil(length * clip.frame_rate)), 1, kMostSamples);
  const SoftMotion motion = motion_from_recipe(clip, controls);
  const Sampler artist(*character.clip(clip.base), controls);
  const Vec rest = character.rig->rest();
  Json answer{{"times", Json::array()}, {"curves", Json::array()}};
  std::vector<Json> artists(asked.size(), Json::array()), soft = artists;
  for (int k = 0; k <= count; ++k) {
    const double time = length * k / count;
    answer["times"].push_back(time);
    Vec p = rest;
    artist.sample(std::min(time, character.clip(clip.base)->duration), p);
    for (std::size_t c = 0; c < asked.size(); ++c) artists[c].push_back(artists_value(controls, places[c], rest, p));
  }
  const std::vector<Track> tracks = editable(studio, editor).keys(clip, asked, editor.tolerance);
  ClipFix fix = fix_of(edits_of(studio));
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const Control& control = controls[static_cast<std::size_t>(places[c])];
    const double factor = shown_units(control);
    const auto row = std::lower_bound(motion.controls.begin(), motion.controls.end(), places[c]);
    const bool moved = row != motion.controls.end() && *row == places[c];
    for (const Json& at : answer["times"]) {
      double value = 0;
      if (moved) {  // linear between the steps of the physics
        const auto after = std::upper_bound(motion.times.begin(), motion.times.end(), at.get<double>());
        const auto last = std::ssize(motion.times) - 1;
        const auto k = std::clamp<std::ptrdiff_t>(after - motion.times.begin() - 1, 0, last);
        const auto next = std::min(k + 1, last);
        const double gap = motion.times[static_cast<std::size_t>(next)] - motion.times[static_cast<std::size_t>(k)];
        const double u =
            gap > 0 ? std::clamp((at.get<double>() - motion.times[static_cast<std::size_t>(k)]) / gap, 0.0, 1.0) : 0;
        const auto r = row - motion.controls.begin();
        value = factor * ((1 - u) * motion.deviation(r, k) + u * motion.deviation(r, next));
      }
      soft[c].push_back(value);
    }
    answer["curves"].push_back({{"control", control.name},
                                {"unit", std::string(name(control.unit))},
                                {"artist", std::move(artists[c])},
                                {"soft", std::move(soft[c])},
                                {"simulated", keys_json(tracks[c].curve)},
                                {"keys", keys_json(edited_keys(tracks[c].curve, fix.curve_of(control.name)))}});
  }
  return answer;
}

Curve curve_from(const Json& keys) {
  Curve curve;
  curve.interpolation = Interpolation::hermite;
  for (const Json& key : keys) {
    if (!key.is_object())
      refuse("argument \"keys\"", "", "has an entry that is no key", "expected {time, value, in, out}");
    const Arguments read(key);
    curve.times.push_back(read.number("time", -1e6, 1e6)), curve.values.push_back(read.number("value", -1e6, 1e6));
    curve.in_tangents.push_back(read.number("in", -1e9, 1e9)),
        curve.out_tangents.push_back(read.number("out", -1e9, 1e9));
  }
  if (curve.times.empty()) refuse("argument \"keys\"", "", "is empty", "a curve has at least one key");
  curve.validate("the edited curve");
  return curve;
}

std::vector<ProjectKey> project_keys(const Curve& curve) {
  std::vector<ProjectKey> keys;
  for (std::size_t k = 0; k < curve.times.size(); ++k)
    keys.push_back({curve.times[k], curve.values[k], curve.in_tangents[k], curve.out_tangents[k]});
  return keys;
}

void curves_edit(Studio& studio, Editor& editor, const Arguments& given) {
  const std::string control = given.text("control"), clip = studio.playback().state().clip;
  const RecipeClip& baked = baked_clip(studio);
  if (find_control(studio.baked()->character().rig->controls(), control) < 0)
    refuse("control \"" + control + "\"", control, "is not in the rig", "the panel Controls lists them");
  const std::string names[] = {control};
  const Curve simulated = editable(studio, editor).keys(baked, names, editor.tolerance).front().curve;
  Curve fix = fix_from_edit(baked, simulated, curve_from(given.list("keys", 20000)));
  // What modes and strokes add is in the curve that is seen, and stays theirs.
  const ClipFix others = fix_without_hands(edits_of(studio));
  if (const Curve* other = others.curve_of(control)) {
    if (fix.times.empty()) fix = curve_from(Json::array({{{"time", 0}, {"value", 0}, {"in", 0}, {"out", 0}}}));
    fix = sum_of_keys(fix, *other, -1);
  }
  const std::vector<ProjectKey> keys = project_keys(fix);
  studio.edit("keys of " + control, "keys." + clip + "." + control, [&](Project& project) {
    if (keys.empty())
      project.edits[clip].controls.erase(control);
    else
      project.edits[clip].controls[control] = keys;
  });
}

/// The simulated layer, with its influence, and all corrections of the present clip become one layer of keys that hands
/// can change: artist + influence * soft + fix = artist + keys. The simulated layer is muted from then on.
void curves_merge(Studio& studio, Editor& editor) {
  const RecipeClip& clip = baked_clip(studio);
  const std::span<const Control> controls = studio.baked()->character().rig->controls();
  const ClipFix fix = fix_of(edits_of(studio));
  std::vector<std::string> names;
  if (fix.weight() > 0)
    for (const int c : motion_from_recipe(clip, controls).controls)
      names.push_back(controls[static_cast<std::size_t>(c)].name);
  ClipEdits merged{.mute = true};
  for (const Track& track : fix.tracks) merged.controls[track.control] = project_keys(track.curve);
  for (const Track& track : editable(studio, editor).keys(clip, names, editor.tolerance)) {
    Curve none = track.curve;
    for (std::vector<double>* numbers : {&none.values, &none.in_tangents, &none.out_tangents})
      std::fill(numbers->begin(), numbers->end(), 0);
    const Curve* const own = fix.curve_of(track.control);
    merged.controls[track.control] = project_keys(sum_of_keys(own ? *own : none, track.curve, fix.weight()));
  }
  studio.edit("merge the layers", "", [&](Project& project) { project.edits[clip.base] = std::move(merged); });
}

Json curves_slice(Studio& studio, const Editor& editor) {
  const ClipEdits& edits = edits_of(studio);
  Json edited = Json::object();
  for (const auto& [clip, own] : studio.project().edits) {
    if (own.controls.empty()) continue;
    edited[clip] = Json::array();
    for (const auto& [control, keys] : own.controls) edited[clip].push_back(control);
  }
  return {{"layer", {{"mute", edits.mute}, {"influence", edits.influence}}},
          {"tolerance", editor.tolerance},
          {"edited", std::move(edited)}};
}

}  // namespace

void add_curves_panel(Studio& studio) {
  const auto editor = std::make_shared<Editor>();
  studio.add_slice("curves", [&studio, editor] { return curves_slice(studio, *editor); });
  studio.add_command("curves.get",
                     [&studio, editor](const Arguments& given) { return curves_get(studio, *editor, given); });
  studio.add_command("curves.edit", [&studio, editor](const Arguments& given) {
    curves_edit(studio, *editor, given);
    return Json::object();
  });
  studio.add_command("curves.layer", [&studio](const Arguments& given) {
    const std::string clip = studio.playback().state().clip;
    if (clip.empty()) refuse("the layer", "", "belongs to a clip", "choose a clip first");
    studio.edit("simulated layer", "layer." + clip, [&](Project& project) {
      ClipEdits& edits = project.edits[clip];
      if (given.has("mute")) edits.mute = given.flag("mute");
      if (given.has("influence")) edits.influence = given.number("influence", 0, 1);
    });
    return Json::object();
  });
  studio.add_command("curves.merge", [&studio, editor](const Arguments&) {
    curves_merge(studio, *editor);
    return Json::object();
  });
  studio.add_command("curves.tolerance", [&studio, editor](const Arguments& given) {
    editor->tolerance = given.number("value", 1e-5, 0.1);
    studio.touch("curves");
    return Json::object();
  });
  studio.add_command("curves.clear", [&studio](const Arguments& given) {
    const std::string clip = studio.playback().state().clip;
    studio.edit("clear edits", "", [&](Project& project) {
      if (given.has("control"))
        project.edits[clip].controls.erase(given.text("control"));
      else
        project.keep_poses_alone(clip);
    });
    return Json::object();
  });
  studio.on_edit([&studio](const Project& before) {
    if (before.edits != studio.project().edits) studio.touch("curves");
  });
}

}  // namespace rigspace::studio
