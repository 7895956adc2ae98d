#pragma once
// What a run leaves beside its result, `hero.soft.json`, so that it can be repeated, in whole or in part: the input by
// its content, the parts by the names of their joints or controls, all values, and the deviations as additive curves. A
// recipe that is written and read again is the same to the bit, and so is what is made from it.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/apps/physics/soft_form.h"
#include "rigspace/jobs/recipe_envelope.h"

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct RecipeOptions {
  SimulationOptions physics;  ///< but for start, end and preroll, which are each clip's own, and the checkpoints
  double frame_rate = 0;      ///< 1/s, of the keys; 0: the source's
  bool additive = false;      ///< additive clips too
  bool cubic_keys = false;    ///< few cubic keys, fitted on the skin, in place of one a frame
  SoftForm soft = SoftForm::automatic;
  int max_influences = 4;            ///< of a point of the skin, once it has soft joints
  std::vector<std::string> protect;  ///< patterns of joints whose skin flesh leaves alone
  ChainForm chains = ChainForm::rods;
  /// What parts run into: "self", "parts", "ground", "sphere:..", "capsule:.." (collisions.h), or files of characters,
  /// relative to the recipe's folder. Of the physics' own collisions only the friction is kept.
  std::vector<std::string> collide;
};

struct RecipePart {
  std::string name, preset;
  std::vector<std::string> joints;  ///< parents before children
  PartSettings settings;
  bool found = false;                      ///< see Part
  std::vector<std::string> controls = {};  ///< of the rig, in place of joints: the part moves these as they are
  std::vector<double> stiffness = {};      ///< of each control, in the recipe's order; empty: 1
};

/// `tail.amount=0.6`; or keys over time; or, of the control `hit`, moments.
struct RecipeValue {
  std::string part;     ///< its name
  std::string control;  ///< a field of PartSettings, or "hit"
  double value = 0;
  Curve keys = {};                   ///< in place of the value, if there are any: seconds of the clip
  std::vector<double> moments = {};  ///< of "hit": s of the clip

  /// Throws Error if there is no such control, or a value is out of its range.
  void apply_to(PartSettings& settings) const;
};

/// A stretch of a clip that was made again with other values, and blended into the rest.
struct RecipeEdit {
  double from = 0, to = 0;       ///< s of the clip
  std::vector<RecipeValue> set;  ///< on top of the clip's own
};

struct RecipeCurve {
  std::string control;         ///< of the rig
  Unit unit = Unit::angle;     ///< degrees for angles, otherwise units of the file
  std::vector<double> values;  ///< deviation from the artist's motion, one per time of the clip
};

struct RecipeClip {
  std::string name;       ///< of the soft clip
  std::string base;       ///< of the artist's
  double frame_rate = 0;  ///< 1/s, of the keys
  double start = 0;       ///< s, as in SimulationOptions
  double end = std::numeric_limits<double>::infinity();
  double preroll = 0;
  std::vector<RecipeValue> set;   ///< that hold for this clip, on top of the parts' own
  std::vector<RecipeEdit> edits;  ///< in the order in which they were made
  bool loop = false;
  double seam = 0;  ///< see SoftMotion
  int steps = 0, iterations = 0, halved_steps = 0, failed_steps = 0;
  std::vector<PartReport> parts;  ///< in the recipe's order; of the whole clip, before its edits
  std::vector<double> times;      ///< s, increasing; none: a stopped run did not come to this clip
  std::vector<RecipeCurve> curves;
  bool stopped = false;  ///< the curves are those of a run that was stopped within this clip: see SoftMotion

  bool has_motion() const { return !times.empty(); }
  bool finished() const { return has_motion() && !stopped; }
};

struct Recipe : RecipeEnvelope {
  RecipeOptions options;
  std::vector<RecipePart> parts;
  std::vector<RecipeClip> clips;
};

/// Throws Error naming the file and the line where it is no JSON, or the field that is wrong or missing.
Recipe read_recipe(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
Recipe parse_recipe(std::string_view text, const std::string& name);

/// Readable JSON: a line a value, but lists of numbers on one.
std::string recipe_text(const Recipe& recipe);
/// Written beside and renamed.
void write_recipe(const std::filesystem::path& path, const Recipe& recipe);

/// Parts, there and back. Throws Error if the character has no joint or control of a
/// name. Solids are not kept: see soften, with_solid.
std::vector<RecipePart> recipe_parts(const Character& character, std::span<const Part> parts);
std::vector<Part> parts_from_recipe(const Character& character, std::span<const RecipePart> parts);

/// The part's control of each value is set. Throws Error if there is no such part or control, or the value is out of
/// its range.
void set_values(std::span<Part> parts, std::span<const RecipeValue> values);

/// Curves, report and figures of a motion, into the clip; there to degrees, back to radians. What a recipe makes is
/// made from motion_from_recipe, so that curves in degrees are the truth, and no bit depends on whether a motion was
/// just simulated or read.
void set_motion(RecipeClip& clip, std::span<const Control> controls, const SoftMotion& motion);
/// Throws Error if the rig lacks a control.
SoftMotion motion_from_recipe(const RecipeClip& clip, std::span<const Control> controls);

/// `old` with `fresh` between two times, in seconds. Outside it is `old` to the bit; at each end the curves go over in
/// a smooth step that lies inside the stretch and lasts six frames, or a quarter of the stretch if that is less. An end
/// of the stretch at an end of a clip that plays once needs no such step and has none. Throws Error if the two do not
/// have the same times and controls.
RecipeClip splice(const RecipeClip& old, const RecipeClip& fresh, double from, double to);

}  // namespace rigspace
