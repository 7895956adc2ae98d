// The rig's controls: those that a clip keys, that physics moves, that the user holds.

#include "../studio.h"
#include "../units.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

namespace rigspace::studio {
namespace {

Json limit(const Control& control, double value) {
  return std::isfinite(value) ? Json(value * shown_units(control)) : Json();
}

/// How stiff the project makes a control: the last pattern that meets it counts.
double stiffness_of(const Project& project, const Control& control) {
  for (auto text = project.stiffness.rbegin(); text != project.stiffness.rend(); ++text) {
    const std::size_t equals = text->rfind('=');
    const std::string_view pattern = std::string_view(*text).substr(0, equals);
    if (equals != std::string::npos && (matches(control, pattern) || matches_pattern(control.group, pattern)))
      return std::strtod(text->c_str() + equals + 1, nullptr);
  }
  return 1;
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
                    {"stiffness", stiffness_of(studio.project(), control)},
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

/// Stiffness is that of solids on controls of the rig: of others nothing could be changed.
void require_free(Studio& studio, const std::string& pattern) {
  const auto file = studio.file();
  if (!file) refuse("the studio", "", "has no character", "open a file first");
  const std::span<const Control> controls = file->character->character().rig->controls();
  for (const LivePart& part : file->character->parts())
    for (const int c : part.free)
      if (const Control& control = controls[static_cast<std::size_t>(c)];
          part.kind == "controls" && (matches(control, pattern) || matches_pattern(control.group, pattern)))
        return;
  refuse("stiffness of \"" + pattern + "\"", pattern, "is of no simulated control of the rig",
         "free the control first; joints of a glTF have a rate in place of a stiffness");
}

Vec3 vector_of(const Arguments& given, const char* field) {
  const std::vector<double> numbers = given.numbers(field, 3);
  if (numbers.size() != 3)
    refuse(std::string("argument \"") + field + "\"", "", "has other than three numbers", "expected [x, y, z]");
  return {numbers[0], numbers[1], numbers[2]};
}

int bone_named(const BonePlaces& bones, const std::string& name) {
  const auto at = std::find(bones.names().begin(), bones.names().end(), name);
  if (at == bones.names().end()) refuse("joint \"" + name + "\"", name, "is not in the rig", "drag one that is shown");
  return static_cast<int>(at - bones.names().begin());
}

/// The least turn of three controls that takes a handle, fixed to a bone, as near to the target as they can. Whatever
/// these controls mean (a rotation vector, Euler angles in any order, a driver's input), only the place of the handle
/// counts: Levenberg-Marquardt on F(v) = handle(p + v) - target, with J by differences.
Vec3 turn_toward(const std::array<int, 3>& turned, const Vec& p, const std::function<Vec3(In)>& handle,
                 const Vec3& target) {
  constexpr int kMostSteps = 20;
  constexpr double kDifference = 1e-5, kMostTurn = 0.5;  // radians
  Vec3 total = Vec3::Zero();
  const auto at = [&](const Vec3& v) {
    Vec q = p;
    for (int k = 0; k < 3; ++k) q[turned[k]] += v[k];
    return Vec3(handle(q) - target);
  };
  Vec3 F = at(total);
  double damping = 1e-3;
  for (int step = 0; step < kMostSteps; ++step) {
    Mat3 J;
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = kDifference * Vec3::Unit(k);
      J.col(k) = (at(total + e) - at(total - e)) / (2 * kDifference);
    }
    const Mat3 H = J.transpose() * J;
    const double scale = H.trace();
    if (!(scale > 0)) break;
    Vec3 v = -(H + damping * scale * Mat3::Identity()).ldlt().solve(J.transpose() * F);
    if (const double size = v.norm(); size > kMostTurn) v *= kMostTurn / size;
    const Vec3 next = at(total + v);
    if (next.squaredNorm() < F.squaredNorm()) {
      const double gain = F.norm() - next.norm();
      total += v, F = next, damping = std::max(1e-9, 0.2 * damping);
      if (gain < 1e-7 * (F.norm() + 1e-12)) break;
    } else {
      damping *= 10;
      if (damping > 1e3) break;
    }
  }
  return total;
}

/// Holds the turning controls of a joint so that a handle is where the pointer is.
Json aim(Studio& studio, const Arguments& given) {
  Playback& playback = studio.playback();
  if (!playback.is_open()) refuse("the studio", "", "has no character", "open a file first");
  const Character& character = playback.character().character();
  BonePlaces bones(character);
  const std::string joint = given.text("joint");
  bone_named(bones, joint);
  const int stands_at = bone_named(bones, given.has("handle") ? given.text("handle") : joint);
  const Vec3 beyond = given.has("beyond") ? vector_of(given, "beyond") : Vec3(Vec3::Zero());
  const Vec3 target = vector_of(given, "target");
  const std::span<const Control> controls = character.rig->controls();
  std::array<int, 3> turned{};
  for (int k = 0; k < 3; ++k) {
    const std::string name = joint + ".r" + static_cast<char>('x' + k);
    turned[k] = find_control(controls, name);
    if (turned[k] < 0)
      refuse("joint \"" + joint + "\"", joint, "has no controls that turn it", "drag another one, or its own controls");
  }
  std::vector<Affine> worlds;
  const auto handle = [&](In p) {
    bones.worlds(p, worlds);
    return apply(worlds[static_cast<std::size_t>(stands_at)], beyond);
  };
  // From the pose that is seen: what physics adds to it stays.
  const Vec3 by = turn_toward(turned, playback.pose(), handle, target);
  Json values = Json::object();
  for (int k = 0; k < 3; ++k) {
    const Control& control = controls[static_cast<std::size_t>(turned[k])];
    const double value = std::clamp(playback.artists_pose()[turned[k]] + by[k], control.min, control.max);
    playback.hold(turned[k], value);
    values[control.name] = value * shown_units(control);
  }
  return {{"values", std::move(values)}};
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
  studio.add_command("controls.aim", [&studio, due](const Arguments& given) {
    Json answer = aim(studio, given);
    if (*due == 0) *due = 2;
    return answer;
  });
  studio.add_command("controls.release", [&studio](const Arguments&) {
    studio.playback().let_go();
    studio.touch("controls");
    return Json::object();
  });
  studio.add_command("controls.stiffness", [&studio](const Arguments& given) {
    const std::string pattern = given.text("pattern");
    const std::string text = pattern + "=" + written(Json(given.number("value", 1e-3, 1e3)));
    require_free(studio, pattern);
    studio.edit("stiffness of " + pattern, "stiffness." + pattern, [&](Project& project) {
      std::erase_if(project.stiffness, [&](const std::string& each) { return each.starts_with(pattern + "="); });
      project.stiffness.push_back(text);
    });
    return Json::object();
  });
}

}  // namespace rigspace::studio
