#pragma once
// Parts of a character that move by themselves, in an animator's words: tail, ear, belly.

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

/// How a part should settings. Each field is a control of the part, named as here in `--set part.field=value`.
///
/// A control that is keyed over time has its first key's value in its field: that is its base. Rates and amounts of a
/// first result are looked for with all controls at their bases and the amount at 1; then the part is simulated once
/// more, with the keys and the hits.
struct PartSettings {
  double amount = 1;     ///< exaggeration: scales the deviation from the artist's motion
  double rate = 0;       ///< Hz of the slowest swing; 0: from the part's size
  double settle = 1;     ///< s until 5 % of a swing is left; 0: from the preset
  double lag = 0;        ///< s that the part trails what drives it: drag relative to the world
  double overlap = 0.5;  ///< 0..1: how much slower the tip is than the root
  double sag = 0;        ///< droop by gravity, added: 1 is all of it
  double limit = 0.25;   ///< largest deviation: of the size of flesh, of a half turn of a chain's joint
  double hold = 1;       ///< 1: dead still once nothing has moved for twice `settle`; 0: never quite
  double travel = 0;  ///< how much of the character's own speed, the mean over a second, is wind that `lag` trails in
  double push = 1;    ///< how much of that speed's own change, the mean over a second, is felt
  double mix = 1;     ///< 0..1: weight of the result over the artist's motion; 0 is the artist's to the bit

  std::vector<SettingKeys> keys = {};  ///< at most one for a control; see `key`
  std::vector<double> hits = {};  ///< s of the clip, any order: there the part is in the artist's pose, and at rest

  /// Sets a field by name, for all times. Throws Error naming the fields, or the range.
  void set(std::string_view field, double value);
  /// Keys a field over time, in place of what it was; one key is a constant. Between its keys the value never goes
  /// beyond them, whatever the curve does. Throws Error as `set`, and for `hold`, which is for a whole clip.
  void key(std::string_view field, Curve curve);
  /// The curve of a keyed field; null of one that is not.
  const Curve* keys_of(std::string_view field) const;
  /// A field's value at a time of the clip, s.
  double at(std::string_view field, double time) const;
};

/// Keys that are eased into and out of: smooth, flat at every key.
Curve smooth_keys(std::vector<double> times, std::vector<double> values);

/// A field of the settings as lists, files and command lines name it.
struct SettingField {
  std::string_view name;
  double PartSettings::*value;
  double min, max;
  bool keyed = true;  ///< can be keyed over time
};
std::span<const SettingField> setting_fields();

/// One word that stands for a settings.
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

struct Flesh;

struct Part {
  std::string name;
  std::string preset;
  std::vector<int> bones;  ///< into Character::bones, parents before children: of flesh, those that it hangs on
  PartSettings settings;
  bool found = false;                            ///< by itself, as against named by somebody
  std::string reason = {};                       ///< of a part that was found: why, in one sentence
  std::shared_ptr<const Flesh> flesh = nullptr;  ///< of a part with a flesh preset, once it is softened (flesh.h)
  /// Of the rig, ascending: the part moves these as they are, lattice points, wires, flaps, and has no joints. Its
  /// solid comes from with_solid (flesh.h).
  std::vector<int> controls = {};
  /// Of each of these controls, relative to a homogeneous body: positive; empty: 1 (part_stiffness.h).
  std::vector<double> stiffness = {};
  /// Of a sheet (sheet.h): points of the rig, ascending, that follow the one bone in `bones`. It gets joints of its own
  /// when it is softened (flesh.h); a solver for cloth can take the points as they are.
  std::vector<int> points = {};
  std::vector<int> joints = {};  ///< of a softened sheet: into the softened character's bones, column by column
  int columns = 0;               ///< of these joints, side by side
};

/// Whether a word stands in a name as a word: `ear` in LeftEar and ears_01, not in gear; words of four letters and more
/// also at the start or the end of one, `tail` in foxtail.
bool has_word(std::string_view name, std::string_view word);
/// The joints that a chain or a sheet turns.
inline const std::vector<int>& turning_joints(const Part& part) {
  return part.points.empty() ? part.bones : part.joints;
}

/// Whether a joint's name says that its skin never moves: feet, hands, lips, lids, props.
bool is_protected(std::string_view name);

/// The parts that an animator would hand to physics first, at most six, none with a joint of another; with reasons
/// (part_finder.h says which were looked at). Joints that are protected by name (feet, hands, props, face) are never
/// taken unless a part names them itself.
std::vector<Part> find_parts(const Character& character);

/// Parts on the rig's own controls: every group whose name sounds like a part (belly, trunk, ears) and whose controls
/// no clip keys.
std::vector<Part> find_control_parts(const Character& character);

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
