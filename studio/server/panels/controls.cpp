// The rig's controls: what a clip keys, what physics moves, what hands hold.

#include "../studio.h"
#include "../units.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace::studio {
namespace {

Json limit(const Control& control, double value) {
  return std::isfinite(value) ? Json(value * shown_units(control)) : Json();
}

Json controls_slice(Studio& studio) {
  Json list = Json::array();
  const auto file = studio.file();
  if (!file) return {{"controls", list}};
  const Character& character = file->character->character();
  std::set<int> keyed;
  if (const Animation* clip = character.clip(studio.playback().state().clip)) {
    const Sampler sampler(*clip, character.rig->controls());
    keyed.insert(sampler.animated().begin(), sampler.animated().end());
  }
  std::set<int> free;
  for (const LivePart& part : file->character->parts()) free.insert(part.free.begin(), part.free.end());
  const std::span<const Control> controls = character.rig->controls();
  const auto& held = studio.playback().held();
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const Control& control = controls[static_cast<std::size_t>(c)];
    if (control.unit == Unit::quaternion) continue;
    const auto own = held.find(c);
    // A joint's orientation is keyed as a quaternion, and shown on rx ry rz.
    const bool turns = control.unit == Unit::angle && keyed.contains(find_control(controls, control.node + ".qx"));
    list.push_back({{"name", control.name},
                    {"node", control.node},
                    {"group", control.group},
                    {"unit", std::string(name(control.unit))},
                    {"rest", control.rest * shown_units(control)},
                    {"min", limit(control, control.min)},
                    {"max", limit(control, control.max)},
                    {"keyed", keyed.contains(c) || turns},
                    {"free", free.contains(c)},
                    {"held", own == held.end() ? Json() : Json(own->second * shown_units(control))}});
  }
  return {{"controls", std::move(list)}};
}

void hold(Studio& studio, const Arguments& given) {
  if (!studio.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  const std::span<const Control> controls = studio.playback().character().character().rig->controls();
  std::vector<std::pair<int, std::optional<double>>> values;
  for (const auto& [name, value] : given.object("values", 1000).items()) {
    const int control = find_control(controls, name);
    if (control < 0) refuse("control \"" + name + "\"", name, "is not in the rig", "the panel Controls lists them");
    if (value.is_null()) {
      values.emplace_back(control, std::nullopt);
      continue;
    }
    const Control& known = controls[static_cast<std::size_t>(control)];
    const double number = value.is_number() ? value.get<double>() / shown_units(known) : std::nan("");
    if (!std::isfinite(number))
      refuse("control \"" + name + "\"", written(value), "is no number", "give one, or null to let go");
    values.emplace_back(control, std::clamp(number, known.min, known.max));
  }
  for (const auto& [control, value] : values) studio.playback().hold(control, value);
}

}  // namespace

void add_controls_panel(Studio& studio) {
  studio.add_slice("controls", [&studio] { return controls_slice(studio); });
  // A hand that drags sends 60 values a second, and the slice of a large rig has 100 kB: it follows five times a
  // second.
  const auto due = std::make_shared<int>(0);
  studio.add_tick([&studio, due] {
    if (*due > 0 && --*due == 0) studio.touch("controls");
  });
  studio.add_command("controls.hold", [&studio, due](const Arguments& given) {
    hold(studio, given);
    if (*due == 0) *due = 2;
    return Json::object();
  });
  studio.add_command("controls.release", [&studio](const Arguments&) {
    studio.playback().let_go();
    studio.touch("controls");
    return Json::object();
  });
  studio.add_command("controls.stiffness", [&studio](const Arguments& given) {
    const std::string pattern = given.text("pattern");
    const std::string text = pattern + "=" + written(Json(given.number("value", 1e-3, 1e3)));
    studio.edit("stiffness of " + pattern, "stiffness." + pattern, [&](Project& project) {
      std::erase_if(project.stiffness, [&](const std::string& each) { return each.starts_with(pattern + "="); });
      project.stiffness.push_back(text);
    });
    return Json::object();
  });
}

}  // namespace rigspace::studio
