#pragma once
// Posing a character by pulls (RSP 6), as `rigspace pose`, rigspace.pose in Python and other front ends offer it:
// vertices, targets and controls are given by name.
//
//   const CharacterSource source{.file = "hero.glb"};
//   const Character hero = source.load({});
//   const PosedCharacter posed = pose_character(hero, source.name(), {.pulls = {pose_target("hand_l=+0,0.3,0.1")}});
//   save_pose(posed, hero, source, "pose.glb");

#include "rigspace/apps/physics/pose_path.h"
#include "rigspace/jobs/character_source.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// A vertex that is pulled, and where to. Lengths in scene units, positions in scene space.
struct PoseTarget {
  std::string vertex;  ///< a point of the rig `12`, `nearest:x,y,z`, or a joint's name: the vertex nearest to that
  /// `x,y,z`; `+x,y,z`, relative to the vertex in the start pose; `FILE.csv`, a path in lines of time,x,y,z with times
  /// in s. Empty: `times` and `points` are used.
  std::string target = {};
  std::vector<double> times = {};  ///< s, increasing: keys of a path; a single one is a place
  std::vector<Vec3> points = {};   ///< one for each time

  /// Whether the target is a path over time, so that the result is a motion.
  bool moves() const { return target.empty() ? times.size() > 1 : target.ends_with(".csv"); }
};

/// `VERTEX=TARGET`, divided at the last `=`. Throws Error if either side is empty.
PoseTarget pose_target(const std::string& text);

/// Patterns with * and ?, on controls, their nodes or their groups.
struct PosePatterns {
  std::vector<std::string> free;  ///< only these may change; empty: posable_controls
  std::vector<std::string> also;  ///< may change too
  std::vector<std::string> keep;  ///< may not change; decides where another list matches as well
};

struct PoseRequest {
  std::vector<PoseTarget> pulls;
  std::vector<std::string> holds = {};  ///< vertices that stay where the start pose has them, as PoseTarget::vertex
  PosePatterns controls = {};
  Vec start = {};              ///< all controls; empty: the rest pose
  std::string clip = {};       ///< of a motion: the clip that moves the controls that are not free; empty: none does
  double fps = 24;             ///< keys a second of a motion
  bool dynamic = false;        ///< with momentum, for targets that move
  double metres_per_unit = 0;  ///< of the scene, for momentum; 0: guessed from the size (scene_unit.h)
  std::string name = "Pose";   ///< of the clip that is made
  /// strength, keep_limits, max_iterations, material and use_cache are used; points, controls, step and unit are set
  /// from the fields above.
  PoserOptions poser = {.use_cache = true};

  bool moves() const;  ///< whether any target moves
};

struct PosedCharacter {
  Vec start;              ///< all controls before
  std::vector<int> free;  ///< controls that could change, ascending
  double size = 1;        ///< scene units: Poser::size
  double fps = 24;        ///< of the request
  bool moves = false;     ///< a motion; false: one pose
  PosedClip posed;        ///< all times; a pose is one time
  Animation clip;         ///< the motion, or the pose as one key of each control that is not at rest
  Vec last() const { return posed.poses.rightCols<1>(); }  ///< all controls at the last time
};

/// The pose, or along paths the motion, in which the pulled vertices are at their targets and the flesh has the least
/// elastic energy (Poser). `name` stands for the character in messages. Throws Error for texts that name nothing, for
/// `dynamic` without a target that moves, as Poser does, and Cancelled. A solve that does not converge is no error:
/// see PosedClip::not_converged.
PosedCharacter pose_character(const Character& character, const std::string& name, const PoseRequest& request,
                              const ProgressCallback& progress = {});

/// Writes the result, by the ending of the file: .rigspace.json (the controls as curves), .glb or .gltf (the character
/// with the clip), .obj, .ply or .npy (the points of one pose). A glTF document of the source is kept and the clip
/// added to it; other rigs are converted to joints and shapes (plain_character). Throws Error for other endings, and
/// for the points of a motion.
void save_pose(const PosedCharacter& posed, const Character& character, const CharacterSource& source,
               const std::filesystem::path& output);

}  // namespace rigspace
