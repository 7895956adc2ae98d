#pragma once
// The recipe, `hero.soft.json`, that a run writes beside its result so that it can be repeated, in whole or in part: a
// hash of the input, the parts by the names of their joints or controls, all settings, and the deviations as additive
// curves. Writing and reading a recipe changes no bit of it, nor of the results made from it.

#include "rigspace/apps/physics/clip_fix.h"
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
  SimulationOptions physics;  ///< except start, end and preroll, which each RecipeClip has, and the checkpoints
  double frame_rate = 0;      ///< of the written keys, 1/s; 0: that of the source clip
  bool additive = false;      ///< writes additive clips as well
  bool cubic_keys = false;    ///< writes few cubic keys, fitted to the motion of the skin, in place of one a frame
  SoftForm soft = SoftForm::automatic;
  int max_influences = 4;            ///< joints per point of the skin, soft joints included
  std::vector<std::string> protect;  ///< patterns of joints whose skin gets no soft joints
  ChainForm chains = ChainForm::rods;
  /// What parts collide with: "self", "parts", "ground", "sphere:..", "capsule:.." (obstacle.h), or files of
  /// characters, relative to the recipe's folder. Of SimulationOptions::collisions only the friction is kept.
  std::vector<std::string> collide;
};

struct RecipePart {
  std::string name, preset;
  std::vector<std::string> joints;  ///< parents before children
  PartSettings settings;
  bool found = false;                      ///< see Part
  std::string reason = {};                 ///< see Part
  std::vector<std::string> controls = {};  ///< of the rig, in place of joints: the part moves these as they are
  std::vector<double> stiffness = {};      ///< of each control, in the recipe's order; empty: 1
  /// Of a sheet: what of which mesh, vertices from .. to, both included, counted within the mesh; for a cloth solver
  /// too.
  struct Vertices {
    std::string mesh;
    int from = 0, to = 0;
  };
  std::vector<Vertices> sheet = {};
};

/// One setting of one part, as `tail.amount=0.6`: a number, keys over time, or for "hit" a list of times.
struct RecipeValue {
  std::string part;     ///< name of the part
  std::string control;  ///< a field of PartSettings, or "hit"
  double value = 0;
  Curve keys = {};                   ///< if not empty, in place of `value`; times in s of the clip
  std::vector<double> moments = {};  ///< for "hit": times in s of the clip

  /// Throws Error if there is no such control, or a value is out of its range.
  void apply_to(PartSettings& settings) const;
};

/// A stretch of a clip that was simulated again with other values and blended into the rest (splice).
struct RecipeEdit {
  double from = 0, to = 0;       ///< s of the clip
  std::vector<RecipeValue> set;  ///< override those of the clip
};

struct RecipeCurve {
  std::string control;         ///< name of the control of the rig
  Unit unit = Unit::angle;     ///< degrees for angles, otherwise units of the file
  std::vector<double> values;  ///< deviation from the artist's motion, one per time of the clip
};

struct RecipeClip {
  std::string name;       ///< of the simulated clip
  std::string base;       ///< of the artist's clip
  double frame_rate = 0;  ///< of the keys, 1/s
  double start = 0;       ///< s, as in SimulationOptions
  double end = std::numeric_limits<double>::infinity();
  double preroll = 0;
  std::vector<RecipeValue> set;   ///< for this clip; override the settings of the parts
  std::vector<RecipeEdit> edits;  ///< in the order in which they were made
  ClipFix fix = {};               ///< the artist's corrections on top, which a rerun keeps
  bool loop = false;
  double period = 0;  ///< s, of a loop: see SoftMotion
  std::string why;    ///< the rule that decided whether it loops
  double seam = 0;    ///< see SoftMotion
  int steps = 0, iterations = 0, halved_steps = 0, failed_steps = 0;
  int inverted_steps = 0, recovered_steps = 0, jumps = 0;
  std::vector<PartReport> parts;  ///< in the recipe's order; measured on the whole clip before its edits
  std::vector<double> times;      ///< of the curves, s, increasing; empty: a cancelled run did not reach this clip
  std::vector<RecipeCurve> curves;
  bool stopped = false;  ///< a run was cancelled within this clip, and the curves are SoftMotion::stopped ones

  bool has_motion() const { return !times.empty(); }
  bool finished() const { return has_motion() && !stopped; }
};

struct Recipe : RecipeEnvelope {
  RecipeOptions options;
  std::string tuned_on;  ///< the clip on which rates and amounts of all parts were found; empty: on each clip itself
  std::vector<RecipePart> parts;
  std::vector<RecipeClip> clips;
};

/// Throws Error with the file and line where the text is not JSON, or with the field that is wrong or missing.
Recipe read_recipe(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
Recipe parse_recipe(std::string_view text, const std::string& name);

/// Readable JSON: one value a line; a list of numbers is on one line.
std::string recipe_text(const Recipe& recipe);
/// Writes a temporary file beside `path` and renames it, so that no partial file is left.
void write_recipe(const std::filesystem::path& path, const Recipe& recipe);

/// Convert parts to their form in recipes, and back. The second throws Error if the character has no joint or control
/// of a name. Solids are not stored: soften and with_solid make them again.
std::vector<RecipePart> recipe_parts(const Character& character, std::span<const Part> parts);
std::vector<Part> parts_from_recipe(const Character& character, std::span<const RecipePart> parts);

/// Sets each value on the part that it names. Throws Error if there is no such part or control, or if the value is out
/// of range.
void set_values(std::span<Part> parts, std::span<const RecipeValue> values);

/// Stores the curves (angles in degrees), reports and counts of a motion in the clip. Results are always written from
/// motion_from_recipe, never from the simulated motion itself, so that the rounding to degrees is in all of them and a
/// result has the same bits whether its motion was just simulated or read from a file.
void set_motion(RecipeClip& clip, std::span<const Control> controls, const SoftMotion& motion);
/// The motion of a clip, angles in radians. Throws Error if the rig lacks a control.
SoftMotion motion_from_recipe(const RecipeClip& clip, std::span<const Control> controls);

/// What is written: influence * soft + fix, see clip_fix.h. Without corrections it is motion_from_recipe; with them the
/// times are those of the written frames, at which the sum is exact, and there are rows for all controls that the
/// corrections move. On a loop each curve of the corrections is closed from its start (closed_keys), keys within half a
/// frame of the end included. Throws Error if the rig lacks a control.
SoftMotion layered_motion(const RecipeClip& clip, std::span<const Control> controls);
/// The controls whose correction ends elsewhere than it begins, on a loop; layered_motion closes these.
std::vector<std::string> open_fixes(const RecipeClip& clip);

/// `old` with the curves of `fresh` between the times `from` and `to`, s. Outside the stretch the curves are those of
/// `old` to the bit. At each end of the stretch a smooth step inside it blends the two, for six frames or a quarter of
/// the stretch, whichever is shorter; not where the stretch begins or ends with a clip that does not loop. Throws Error
/// if the two do not have the same times and controls.
RecipeClip splice(const RecipeClip& old, const RecipeClip& fresh, double from, double to);

}  // namespace rigspace
