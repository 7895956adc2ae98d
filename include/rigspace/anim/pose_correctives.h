#pragma once
// A simulation's offsets baked into a rig as pose-space correctives (Thesis 7.2; Lewis et al. 2000): shapes before the
// skin, each driven by how one joint is turned. What a simulation does that depends on the pose alone (flesh in
// balance, cloth that rests) is then played by any program that blends shapes, under any clip.
//
// At a pose p a simulation has the points s*. With s(p) the rig and B_i = ds_i/dX_i, point i lacks before the skin
//   d_i(p) = B_i^-1 (s*_i - s_i(p)).
// Each joint j has a few example poses, farthest from each other among those that it was given, and pose weights w_je
// over its three turns (rig/pose_weights.h); its rest pose is an example and has no shape. Shapes S_je are the solution
// of  min sum_p |sum_je w_je(p) S_je - d(p)|^2 + ridge |S|^2,  a point at a time, over the joints that hold it and the
// next ones along the skeleton: contributions of joints add up, so that poses may be combined as none of the examples.

#include "rigspace/anim/spring_bones.h"
#include "rigspace/rig/rig_plan.h"

#include <span>
#include <vector>

namespace rigspace {

/// A pose, and where the simulation has the points there.
struct PoseSample {
  Vec p;       ///< all controls of the rig
  Vec points;  ///< scene units, flattened
};

struct CorrectiveOptions {
  int most_examples = 6;       ///< of a joint, beside rest
  double least_turn = 8;       ///< degrees: examples of a joint are at least this far apart
  double ridge = 0.01;         ///< relative to the mean square of the weights; more is smoother between poses
  double least_offset = 2e-3;  ///< offsets below this share of the largest are left out

  void validate() const;
};

/// Parts for a plan: see with_correctives (io/rig_correctives.h).
struct Correctives {
  std::vector<plan::PoseWeights> poses;  ///< `fix_<joint>`, one a joint
  std::vector<plan::Shape> shapes;       ///< `fix_<joint>_2` ..; points counted over the whole rig
};

/// `rig` is what `plan` builds. Throws Error without samples, for sizes that differ, and where no joint of a skin
/// turns.
Correctives fit_correctives(const RigPlan& plan, const Rig& rig, std::span<const PoseSample> samples,
                            const CorrectiveOptions& options = {});

/// How far the points of a rig are from those of the samples, beside how far another one's are: `unbaked` of the rig as
/// it was, `baked` of the rig with correctives, counted as bake_error does.
BakeError corrective_error(const Rig& rig, const Rig& corrected, std::span<const PoseSample> samples);

}  // namespace rigspace
