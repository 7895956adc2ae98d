#pragma once
// A motion of joints onto the controls of a rig: what `rigspace inverse apply` does.

#include "rigspace/apps/inverse/inverse_model.h"

namespace rigspace {

/// Places of joints over time.
struct JointMotion {
  std::string name;
  std::vector<std::string> joints;
  std::vector<double> times;  ///< seconds, ascending
  Mat X;                      ///< column k: the joints at times[k], flattened, scene units
  bool carried = false;       ///< rotations were carried over to another skeleton, rather than places
};

struct JointMotionOptions {
  double rate = 0;  ///< frames a second; 0: the rate of the clip's keys
  /// Skeletons whose joints rest within this share of the size of each other are one: then places are targets as they
  /// are. Else each bone of `own` turns as the source's bone of that name turned from its rest pose, with the lengths
  /// of `own`; rest poses are aligned bone by bone, and paths scaled by the heights.
  double same = 1e-3;
};

/// The joints of `model`'s character, as a clip of `source` moves them. Names are compared without case, separators and
/// what stands before a colon. Throws Error naming a joint that the source lacks, or a bone without length.
JointMotion joint_motion(const Character& own, const InverseModel& model, const Character& source,
                         const Animation& clip, const JointMotionOptions& options = {});

struct MappedMotion {
  Animation clip;                   ///< on the rig's own controls, a linear key a frame
  std::vector<InversePose> frames;  ///< one for each time
  double joint_error = 0;           ///< root mean square over all frames, share of the size
  double worst_error = 0;           ///< of a frame
  double worst_time = 0;            ///< seconds
  int guessed = 0;                  ///< frames far from all examples
  int unconverged = 0;
};

/// Frame after frame. Throws Error if the motion's joints are not the model's, or a frame is not finite.
MappedMotion map_motion(const Character& own, const InverseModel& model, const JointMotion& motion,
                        const RefineOptions& options = {}, const ProgressCallback& progress = {});

}  // namespace rigspace
