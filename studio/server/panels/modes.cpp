// Principal modes of the simulated layer as a few sliders (RSP figure 9): each scales what one mode does in the clip.
// The result is corrections on top of the layer, as the curve editor makes them.

#include "../studio.h"
#include "../units.h"

#include "rigspace/anim/control_modes.h"
#include "rigspace/anim/key_fitting.h"

#include <algorithm>

namespace rigspace::studio {
namespace {

struct Modes {
  std::shared_ptr<const SimulatedCharacter> made_for;
  ControlModes modes;
};

/// The factors of the present clip, one a mode.
std::vector<double> factors_now(Studio& studio, const Modes& found) {
  const auto at = studio.project().edits.find(studio.playback().state().clip);
  std::vector<double> factors = at == studio.project().edits.end() ? std::vector<double>{} : at->second.factors;
  factors.resize(static_cast<std::size_t>(found.modes.count()), 1.0);
  return factors;
}

bool is_current(Studio& studio, const Modes& found) { return found.made_for && found.made_for == studio.baked(); }

Json modes_slice(Studio& studio, const Modes& found) {
  Json list = Json::array();
  if (!is_current(studio, found)) return {{"state", "none"}, {"modes", list}};
  const std::vector<double> factors = factors_now(studio, found);
  for (int k = 0; k < found.modes.count(); ++k) {
    const ControlMode& mode = found.modes.modes[static_cast<std::size_t>(k)];
    list.push_back({{"name", "mode " + std::to_string(k + 1)},
                    {"share", mode.share},
                    {"min", mode.min},
                    {"max", mode.max},
                    {"factor", factors[static_cast<std::size_t>(k)]}});
  }
  return {{"state", "ready"}, {"modes", std::move(list)}};
}

void find(Studio& studio, Modes& found, int count) {
  const auto& baked = studio.baked();
  if (!baked || baked->recipe().clips.empty())
    refuse("the simulated layer", "", "is not made yet",
           "wait until the clip is baked, a moment after the last change");
  const RecipeClip& clip = baked->recipe().clips.front();
  const Character& character = baked->character();
  std::vector<int> controls = motion_from_recipe(clip, character.rig->controls()).controls;
  const ModeSample sample{.clip = character.clip(clip.name), .base = character.clip(clip.base)};
  found.modes = find_modes(character, controls, std::span(&sample, 1), {.count = count});
  found.made_for = baked;
}

/// What the factors add to a control: the difference of both clips at the frames, as cubic keys.
Curve added(const SoftMotion& motion, const Vec& change, double factor, double tolerance) {
  Curve dense;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    dense.times.push_back(motion.times[k]);
    dense.values.push_back(factor * change[static_cast<Eigen::Index>(k)]);
  }
  return fit_curve(dense, {.tolerance = tolerance, .loop = motion.closes()});
}

/// Corrections of all controls that the modes move: D U (f - 1) r over time.
std::map<std::string, std::vector<ProjectKey>> corrections(Studio& studio, const Modes& found,
                                                           const std::vector<double>& factors) {
  const RecipeClip& clip = studio.baked()->recipe().clips.front();
  const Character& character = studio.baked()->character();
  const std::span<const Control> controls = character.rig->controls();
  const SoftMotion motion = motion_from_recipe(clip, controls);
  Mat change(static_cast<Eigen::Index>(found.modes.controls.size()), motion.deviation.cols());
  for (Eigen::Index t = 0; t < motion.deviation.cols(); ++t) {
    Vec deviation = Vec::Zero(change.rows());
    for (std::size_t c = 0; c < found.modes.controls.size(); ++c) {
      const auto at = std::lower_bound(motion.controls.begin(), motion.controls.end(), found.modes.controls[c]);
      deviation[static_cast<Eigen::Index>(c)] = motion.deviation(at - motion.controls.begin(), t);
    }
    Vec r = found.modes.reduced(deviation);
    for (Eigen::Index k = 0; k < r.size(); ++k) r[k] *= factors[static_cast<std::size_t>(k)] - 1;
    change.col(t) = found.modes.expanded(r);
  }
  std::map<std::string, std::vector<ProjectKey>> all;
  for (std::size_t c = 0; c < found.modes.controls.size(); ++c) {
    const Control& control = controls[static_cast<std::size_t>(found.modes.controls[c])];
    const auto row = static_cast<Eigen::Index>(c);
    const double factor = shown_units(control), largest = factor * change.row(row).cwiseAbs().maxCoeff();
    if (largest < 1e-9) continue;
    constexpr double kClose = 2e-3;  // of the largest change
    const Curve curve = added(motion, change.row(row).transpose(), factor, kClose * largest);
    for (std::size_t k = 0; k < curve.times.size(); ++k)
      all[control.name].push_back({curve.times[k], curve.values[k],
                                   curve.in_tangents.empty() ? 0 : curve.in_tangents[k],
                                   curve.out_tangents.empty() ? 0 : curve.out_tangents[k]});
  }
  return all;
}

}  // namespace

void add_modes_panel(Studio& studio) {
  const auto found = std::make_shared<Modes>();
  studio.add_slice("modes", [&studio, found] { return modes_slice(studio, *found); });
  studio.add_command("modes.find", [&studio, found](const Arguments& given) {
    find(studio, *found, given.has("count") ? given.integer("count", 1, 24) : 6);
    studio.touch("modes");
    return Json::object();
  });
  studio.add_command("modes.set", [&studio, found](const Arguments& given) {
    if (!is_current(studio, *found)) refuse("modes", "", "are not found for the present motion", "find them first");
    const int mode = given.integer("mode", 0, found->modes.count() - 1);
    std::vector<double> factors = factors_now(studio, *found);
    factors[static_cast<std::size_t>(mode)] = given.number("factor", 0, 5);
    const std::string clip = studio.playback().state().clip;
    const auto added = corrections(studio, *found, factors);
    studio.edit("mode " + std::to_string(mode + 1), "modes." + clip,
                [&](Project& project) { project.edits[clip].modes = added, project.edits[clip].factors = factors; });
    studio.touch("modes");
    return Json::object();
  });
  studio.on_edit([&studio](const Project&) { studio.touch("modes"); });
  studio.add_tick([&studio, found, shown = false]() mutable {
    if (const bool now = is_current(studio, *found); now != shown) shown = now, studio.touch("modes");
  });
}

}  // namespace rigspace::studio
