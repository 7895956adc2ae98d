#pragma once
// The inverse of a rig, learned from its own clips (IRM): places of joints in, values of controls out.
//
// Poses are seen from the character itself (its origin, and its heading where the root can turn), so that a walk along
// another path is the same pose. A kernel regression gives the controls; damped least squares on the rig itself then
// brings the joints to their targets:
//
//   min  |x(y) - x*|^2 / (j size^2) + w / m (y - y*)^T C^-1 (y - y*)
//
// y* is the prediction and C the covariance of the examples' coordinates plus their mean variance, so that what is left
// free by the targets stays where animators had it: the refinement of IRM (13) drifts along redundant controls (its
// figure 10).

#include "rigspace/apps/inverse/root_motion.h"
#include "rigspace/base/progress.h"
#include "rigspace/optimize/kernel_regression.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rigspace {

enum class FrameOrigin { root, centroid };  ///< the first feature, or the mean of all

struct InverseTraining {
  std::vector<std::string> clips;   ///< names with * and ?; empty: all
  std::vector<std::string> joints;  ///< names with * and ?; empty: all
  std::vector<int> points;          ///< of the rig, in place of joints
  /// Rotations of all joints may be used, though the clips do not: for motions that the clips have nothing of. Without
  /// clips the examples are swings of each joint alone.
  bool all_rotations = false;
  FrameOrigin origin = FrameOrigin::centroid;
  bool heading = true;  ///< where the root can turn
  int samples = 750;    ///< at most: memory grows with the square
  int spread = 20;      ///< see SampleChoice
  Kernel kernel = Kernel::multiquadric;
  double rate = 0;  ///< frames a second taken from the clips; 0: the rate of their keys

  void validate() const;
};

struct RefineOptions {
  int max_iterations = 8;
  double tolerance = 1e-5;  ///< share of the size: a smaller change of the joints ends it
  double prior = 1e-5;      ///< w above
  double smoothness = 0;    ///< weight of the change from the frame before, in the same metric as the prior
  bool keep_limits = true;

  void validate() const;
};

struct InversePose {
  Vec p;                   ///< all controls, orientations as clips keep them
  Vec y;                   ///< coordinates, seen from the character
  double joint_error = 0;  ///< root mean square distance of features from targets, share of the size
  double uncertainty = 0;  ///< standard deviation of the prediction, beside that of the examples among themselves
  bool guessed = false;    ///< farther from all examples than they are from each other
  int iterations = 0;
  bool converged = true;
};

class InverseModel {
 public:
  /// The character must outlive the model. Throws Error where it has no clips, or nothing in them moves.
  InverseModel(const Character& character, const InverseTraining& training, const ProgressCallback& progress = {});
  ~InverseModel();
  InverseModel(InverseModel&&) noexcept;

  /// x: features in their order, flattened, scene units.
  InversePose predict(In x) const;
  /// Predicts and refines. `before`: the pose of the frame before, for smoothness; may be null.
  InversePose solve(In x, const RefineOptions& options = {}, const InversePose* before = nullptr) const;

  const FeatureRig& features() const;
  const PoseCoordinates& coordinates() const;
  const RootMotion& root() const;
  const KernelRegression& regression() const;
  double size() const;        ///< of the features at rest, scene units
  int example_count() const;  ///< frames that samples were chosen from
  /// Root mean square leave-one-out residual of the samples, in typical changes of controls.
  double leave_one_out() const;

  /// One file with version and checksum. `load` throws Error for a file that is none, damaged, or of another rig.
  void save(const std::filesystem::path& path, const std::string& rig_file) const;
  static InverseModel load(const std::filesystem::path& path, const Character& character);
  /// The file of the rig that a model was trained on: what `save` was given.
  static std::string rig_file_of(const std::filesystem::path& path);

 private:
  struct Parts;
  explicit InverseModel(std::unique_ptr<Parts> parts);
  Placement placement_of(In x) const;
  Vec seen(In x, const Placement& from) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace rigspace
