#pragma once
// A motion of joints onto the controls of a rig: what `rigspace inverse apply` does.

#include "rigspace/apps/inverse/inverse_model.h"
#include "rigspace/apps/inverse/joint_mapping.h"
#include "rigspace/apps/inverse/keep_apart.h"

#include <array>

namespace rigspace {

/// What a source's body does that another body should do too, apart from places.
struct BodyFacts {
  std::array<std::vector<bool>, 2> stands;  ///< left and right foot, at each frame: it is on the floor and still
  std::array<int, 2> toes{-1, -1};          ///< own bones that stand: toes, or feet without
  std::vector<std::array<int, 2>> limbs;    ///< own bones: upper arms, forearms, thighs, shins, from and to
  Mat directions;             ///< column k: unit vectors of the source's limbs at times[k], turned to the own facing
  double leg = 0;             ///< own, scene units
  double source_sliding = 0;  ///< of its standing toes, in its own leg lengths a second

  int standing_frames() const;  ///< of both feet together
};

/// Places of joints over time.
struct JointMotion {
  std::string name;
  std::vector<std::string> joints;
  std::vector<double> times;  ///< seconds, ascending
  Mat X;                      ///< column k: the joints at times[k], flattened, scene units
  bool carried = false;       ///< rotations were carried over to another skeleton, rather than places
  JointMapping mapping;       ///< of whose joints
  double scale = 1;           ///< own size / source's size, of paths
  BodyFacts body;             ///< empty where no body on two legs was carried
};

struct JointMotionOptions {
  double rate = 0;  ///< frames a second; 0: the rate of the clip's keys
  /// Skeletons whose joints rest within this share of the size of each other are one: then places are targets as they
  /// are. Else each bone of `own` turns as the source's counterpart turned from its reference pose, with the lengths of
  /// `own`; reference poses are aligned bone by bone, and paths scaled by the legs (without legs, by all lengths).
  double same = 1e-3;
  std::vector<GivenMatch> given;  ///< overrules what is found
  bool plant_feet = true;         ///< feet that stand in the source stand here, by turning thighs and shins
  double reference_time = -1;     ///< seconds: the source's pose then is its reference pose; -1: as the file has it
};

/// The joints of `model`'s character, as a clip of `source` moves them. Throws Error naming a joint that the source
/// lacks, or a bone without length, or a frame that is not finite.
JointMotion joint_motion(const Character& own, const InverseModel& model, const Character& source,
                         const Animation& clip, const JointMotionOptions& options = {});

/// The features of `model`, joints or points, as a clip of its own character moves them.
JointMotion own_motion(const Character& own, const InverseModel& model, const Animation& clip, double rate = 0);

struct MappedMotion {
  Animation clip;                   ///< on the rig's own controls, a linear key a frame
  std::vector<InversePose> frames;  ///< one for each time
  double joint_error = 0;           ///< root mean square over all frames, share of the size
  double worst_error = 0;           ///< of a frame
  double worst_time = 0;            ///< seconds
  int guessed = 0;                  ///< frames far from all examples
  int unconverged = 0;
  double sliding = 0;          ///< mean level speed of toes while the source's stand, own leg lengths a second
  int parted = 0;              ///< frames in which pieces were brought apart
  double depth_before = 0;     ///< share of the character's size: how deep they would be
  double depth = 0;            ///< and are
  double direction_error = 0;  ///< root mean square angle of arms and legs from the source's, radians
};

inline constexpr int kMappingSteps = 30;  ///< at most, of a frame: motions of other bodies begin far from the examples

/// Frame after frame. `apart` (may be null): pieces that are kept out of others. Throws Error if the motion's joints
/// are not the model's, or a frame is not finite.
MappedMotion map_motion(const Character& own, const InverseModel& model, const JointMotion& motion,
                        const RefineOptions& options = {.max_iterations = kMappingSteps},
                        const ProgressCallback& progress = {}, const KeepApart* apart = nullptr);

}  // namespace rigspace
