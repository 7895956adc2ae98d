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

#include "rigspace/apps/inverse/learned_jacobian.h"
#include "rigspace/apps/inverse/root_motion.h"
#include "rigspace/base/progress.h"
#include "rigspace/optimize/local_regression.h"

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
  /// Controls, by patterns, that may be used though the clips do not use them; each is swung alone for an example. Of
  /// rigs in other processes, where all_rotations is set or there are no clips: empty means those that lists offer.
  std::vector<std::string> controls;
  FrameOrigin origin = FrameOrigin::centroid;
  bool heading = true;  ///< where the root can turn
  int samples = 750;    ///< at most: memory grows with the square
  int spread = 20;      ///< see SampleChoice
  Kernel kernel = Kernel::multiquadric;
  /// Learns dx/dy beside y (IRM 4.4). Rigs with exact Jacobians can do without.
  bool learn_jacobian = false;
  /// Learns from all examples, beyond the samples, by local corrections of so many each (LocalRegression); 0: does not.
  int local = 0;
  /// Weight, beside places in sizes, of where the features are to each other (IRM 6.2): up to `related` pairs of them
  /// that vary most count while they are near each other. 0: places alone.
  double relations = 0;
  int related = 60;
  double rate = 0;  ///< frames a second taken from the clips; 0: the rate of their keys

  void validate() const;
};

/// Where dx/dy comes from.
enum class JacobianSource {
  rig,          ///< the rig's own: exact where it is built in, else by differences
  learned,      ///< IRM 4.4: no evaluation of the rig; of models that were trained with it
  differences,  ///< one evaluation of the rig a control, for comparison
};

struct RefineOptions {
  int max_iterations = 8;   ///< steps of one frame, each with one evaluation of the rig
  int max_jacobians = 1;    ///< of one frame that follows another; the last one serves for further steps
  double tolerance = 1e-6;  ///< share of the size: a smaller change of the joints ends it
  double prior = 1e-7;      ///< w above
  JacobianSource jacobian = JacobianSource::rig;
  double smoothness = 0;  ///< weight of the change from the frame before, in the same metric as the prior
  bool keep_limits = true;
  Vec offset;  ///< added to each prediction, in the coordinates of y; empty: nothing

  void validate() const;
};

struct InversePose {
  Vec p;                   ///< all controls, orientations as clips keep them
  Vec y;                   ///< coordinates, seen from the character
  Vec predicted;           ///< the same before refinement, within limits
  double joint_error = 0;  ///< root mean square distance of features from targets, share of the size
  double uncertainty = 0;  ///< standard deviation of the prediction, beside that of the examples among themselves
  bool guessed = false;    ///< farther from all examples than they are from each other
  int iterations = 0;
  int evaluations = 0;  ///< of the rig, those for Jacobians apart
  int jacobians = 0;    ///< that were made; steps also use the one of a step or frame before while it serves
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
  /// Predicts and refines. `before`: the pose of the frame before, for smoothness, and to begin with as far from the
  /// prediction as that ended; may be null.
  InversePose solve(In x, const RefineOptions& options = {}, const InversePose* before = nullptr) const;
  /// One frame a column, each with the one before: several times as fast as one by one. Throws Error as `solve` does.
  std::vector<InversePose> solve_motion(const Mat& X, const RefineOptions& options = {},
                                        const ProgressCallback& progress = {}) const;

  const FeatureRig& features() const;
  const PoseCoordinates& coordinates() const;
  const RootMotion& root() const;
  const KernelRegression& regression() const;
  const LearnedJacobian* learned_jacobian() const;  ///< null: was not asked for
  const LocalRegression* local() const;             ///< null: was not asked for
  const Mat& metric() const;                        ///< C^-1 above
  /// A target as the regression sees it (places about the origin, turned by the heading, in sizes, then relations where
  /// it was trained with them), and where the rig
  /// has to bring its features for it, scene units.
  struct Seen {
    Vec f, target;
  };
  Seen seen_from_itself(In x) const;
  /// All controls of a pose that is seen from the character, where this target is.
  Vec controls_of(In y, In x) const;
  /// The reverse of it: y of a pose, all controls, seen from the character.
  Vec coordinates_of(In p) const;
  double size() const;        ///< of the features at rest, scene units
  int example_count() const;  ///< frames that samples were chosen from
  /// Root mean square leave-one-out residual of the samples, in typical changes of controls.
  double leave_one_out() const;

  /// Frames of motions (a matrix each, a column a frame) that would make the model surer of all of them, the most
  /// useful first: what to animate next. `gain`: by how much the summed variance of all frames falls, as a share.
  struct Suggestion {
    int motion = 0, frame = 0;
    double gain = 0;
  };
  std::vector<Suggestion> suggest(std::span<const Mat> motions, int count = 1) const;

  /// One file with version and checksum. `load` throws Error for a file that is none, damaged, or of another rig.
  void save(const std::filesystem::path& path, const std::string& rig_file) const;
  static InverseModel load(const std::filesystem::path& path, const Character& character);
  /// The file of the rig that a model was trained on: what `save` was given.
  static std::string rig_file_of(const std::filesystem::path& path);

  struct Parts;  ///< private to the room

 private:
  explicit InverseModel(std::unique_ptr<Parts> parts);
  Placement placement_of(In x) const;
  Vec seen(In x, const Placement& from) const;
  void check_target(In x) const;
  std::vector<InversePose> solve_frames(const Mat& X, const RefineOptions& options, const InversePose* before,
                                        const ProgressCallback& progress) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace rigspace
