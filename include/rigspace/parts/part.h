#pragma once
// Parts of a character that physics may move (tail, ear, belly), and the settings of their motion.

#include "rigspace/anim/character.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// A control of a part over time: seconds of the clip, held before its first and after its last key.
struct SettingKeys {
  std::string control;  ///< a field of PartSettings that can be keyed
  Curve curve;
};

/// How a part should move. `--set part.field=value` names the fields as here.
///
/// A field that is keyed over time holds the value of its first key, its base. Rates and amounts are tuned with all
/// fields at their bases and the amount at 1; then the part is simulated once more with the keys and the hits.
struct PartSettings {
  double amount = 1;     ///< exaggeration: scales the deviation from the artist's motion
  double rate = 0;       ///< Hz of the slowest swing; 0: from the part's size
  double settle = 1;     ///< s until 5 % of a swing is left; 0: from the preset
  double lag = 0;        ///< s by which the part trails a steady motion: drag relative to the world
  double overlap = 0.5;  ///< 0..1: how much slower the tip is than the root
  double sag = 0;        ///< share of gravity that is added to the animated shape, which has its droop already
  double limit = 0.25;   ///< largest deviation: of the size of flesh, of a half turn of a chain's joint
  double hold = 1;       ///< 1: the part stops once the animation has stood still for twice `settle`; 0: it never does
  double travel = 0;     ///< share of the character's velocity (mean over a second) that acts as wind, by `lag`
  double push = 1;       ///< share of the change of that velocity that acts as inertial load
  double mix = 1;        ///< 0..1: factor on the final deviation; 0 gives the artist's motion to the bit

  std::vector<SettingKeys> keys = {};  ///< at most one for a control; see `key`
  std::vector<double> hits = {};  ///< s of the clip, any order: times at which the deviation and its velocity are 0

  /// Sets a field by name, for all times. Throws Error naming the fields, or the range.
  void set(std::string_view field, double value);
  /// Keys a field over time, replacing its value and earlier keys; one key is a constant. Between two keys the value is
  /// clamped to their range. Throws Error as `set`, and for `hold`, which is constant over a clip.
  void key(std::string_view field, Curve curve);
  /// The curve of a field; null if it is not keyed.
  const Curve* keys_of(std::string_view field) const;
  /// A field's value at a time of the clip, s.
  double at(std::string_view field, double time) const;
};

/// A smooth curve through these keys with slope 0 at each of them.
Curve smooth_keys(std::vector<double> times, std::vector<double> values);

/// A field of PartSettings: its name in lists, files and command lines, and its range.
struct SettingField {
  std::string_view name;
  double PartSettings::*value;
  double min, max;
  bool keyed = true;  ///< can be keyed over time
};
std::span<const SettingField> setting_fields();

/// Settings under one word.
struct Preset {
  std::string_view name;
  bool flesh;            ///< soft joints around the named bones; otherwise the named joints themselves
  double rate_factor;    ///< k of the rate from size, k sqrt(g / l) / 2 pi
  double damping_ratio;  ///< of the slowest swing; gives `settle` where that is not set
  double lag;            ///< s
  double limit = 0.25;   ///< see PartSettings
};

std::span<const Preset> presets();
/// Throws Error naming the presets.
const Preset& preset_named(std::string_view name);

struct Flesh;  // parts/flesh.h

/// A part of a character that is simulated: a chain of joints, flesh around bones, a sheet on one bone, or controls of
/// the rig.
struct Part {
  std::string name;
  std::string preset;
  std::vector<int>
      bones;  ///< into Character::bones, parents before children: the joints of a chain, or those around flesh
  PartSettings settings;
  bool found = false;                            ///< chosen by the part finder, not named by the user
  std::string reason = {};                       ///< of a found part: why it was chosen, in one sentence
  std::shared_ptr<const Flesh> flesh = nullptr;  ///< of a part with a flesh preset, once it is softened (flesh.h)
  /// Controls of the rig that the part moves in place of joints, ascending: lattice points, wires, flaps. Its solid
  /// comes from with_solid (apps/physics/flesh.h).
  std::vector<int> controls = {};
  /// Stiffness of each of these controls relative to a homogeneous body, positive; empty: 1
  /// (apps/physics/part_stiffness.h).
  std::vector<double> stiffness = {};
  /// Of a sheet (sheet.h): points of the rig, ascending, that follow the one bone in `bones`. `soften` (physics) adds
  /// joints for it; a cloth solver can use the points directly.
  std::vector<int> points = {};
  std::vector<int> joints = {};  ///< of a softened sheet: into the softened character's bones, column by column
  int columns = 0;               ///< of these joints, side by side
};

/// Whether a name contains a word: `ear` is in LeftEar and ears_01, not in gear. Words of four letters and more also
/// count at the start or the end of another word: `tail` in foxtail.
bool has_word(std::string_view name, std::string_view word);
/// The joints that a chain or a sheet turns.
inline const std::vector<int>& turning_joints(const Part& part) {
  return part.points.empty() ? part.bones : part.joints;
}

/// Whether a joint is protected by its name (feet, hands, lips, lids, props): its skin never moves.
bool is_protected(std::string_view name);

/// The chosen parts of find_part_candidates (part_finder.h): at most six, none with a joint of another, each with its
/// reason.
std::vector<Part> find_parts(const Character& character);

/// Parts on the rig's own controls: each group of controls whose name contains the word of a part (has_word: belly,
/// trunk, ear) and whose controls no clip keys.
std::vector<Part> find_control_parts(const Character& character);

/// The parts of a rig that is known by its points and controls alone.
struct ControlPartSearch {
  std::vector<Part> parts;
  std::string remark;  ///< what was found and cannot be moved by the rig's own controls, and why; empty: nothing
};

/// find_control_parts; and where the rig's process gave its skin (anim/bound_skin.h), what find_part_candidates chooses
/// there, each chain on the turns of its joints and flesh on joints that nothing else hangs on. Left out, with a
/// remark, are joints that a constraint turns, flesh without joints of its own, and sheets.
ControlPartSearch search_control_parts(const Character& character);

/// `pattern=preset` on controls, their nodes or their groups, several with commas: one part of all that match, named
/// after the first pattern. Throws Error if a pattern matches nothing.
Part control_part_from_pattern(const Character& character, std::string_view pattern_and_preset);

/// `pattern=preset`, with * and ?, on joint names: `tail*=tail`; several with commas, `pelvis,spine*=belly`. One part
/// for each separate chain that the pattern meets. Patterns that match no joint may name meshes that follow one bone,
/// `Knight_Cape=cape`: a sheet each, unless the preset is flesh. Throws Error if nothing matches.
std::vector<Part> parts_from_pattern(const Character& character, std::string_view pattern_and_preset);

/// `belly.amount`: the first keyed control whose value at this time, the end of a clip, is not that at its start, so
/// that the clip cannot be a loop. Empty if there is none.
std::string unrepeated_control(std::span<const Part> parts, double duration);

}  // namespace rigspace
