#pragma once
// A character posed by strokes (Thesis 5): the controls for which the curves of its abstraction, as the camera sees
// them, lie on what was drawn.

#include "rigspace/apps/sketch/abstraction.h"
#include "rigspace/apps/sketch/nested_joints.h"
#include "rigspace/apps/sketch/sketch_controls.h"
#include "rigspace/apps/sketch/stroke_assignment.h"
#include "rigspace/base/progress.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// Weights of priors are relative to strokes that are missed everywhere by the size of the character, and do not depend
/// on the mesh, the units or the number of samples (5.10 to 5.12 do).
struct SketchOptions {
  SketchControlOptions controls = {};
  /// Of each control that is one unit (see SketchControls) away from where it was, for strokes with a jitter of 1 % of
  /// the size: what is drawn steadily is followed more closely. The weight grows with the square of the jitter that is
  /// estimated from the strokes, from 1/50 to 4 times this.
  double pose = 8e-7;
  double plane = 1e-4;        ///< of the surface moved along the view by the size
  double distance = 1e-4;     ///< of the surface far from all curves that were drawn, moved by the size
  int representatives = 200;  ///< points that stand for the surface in these two
  StrokeCleaning cleaning = {};
  double aspect = 1;        ///< width over height of the picture: strokes wholly beyond it are refused
  double reach = 0.025;     ///< share of the size: a stroke is reached if its root mean square distance is below
  int max_iterations = 30;  ///< of the last stage of a solve
  bool try_others = true;   ///< other assignments and directions are tried for strokes that were not reached

  void validate() const;
};

struct StrokeReport {
  std::string stroke;     ///< its name, or "stroke 3"
  std::string curve;      ///< empty: it stands for none
  bool reversed = false;  ///< drawn from the curve's end to its beginning
  double residual = 0;    ///< root mean square distance, as a share of the size
  bool reached = false;
};

struct SketchReport {
  std::vector<StrokeReport> strokes;  ///< one for each that is left after scribbles were grouped
  double residual = 0;                ///< of all strokes, by their length
  int iterations = 0, solves = 0;
  long evaluations = 0;  ///< of the rig: poses, and Jacobians of rigs with exact ones as one each
  bool converged = true;

  int unreached() const;
};

class TiedCurves;
class OutlineSearch;
struct PoseAttempt;
struct PoseSearch;

/// Keeps abstraction, representatives and memory between strokes; of a black box also its Jacobian. Joints that are all
/// siblings are posed as chains (nest_joints); poses given and returned are always the character's own. One thread at a
/// time.
class SketchPoser {
 public:
  /// In the pose p, all controls. The character must outlive the poser. Throws Error if the camera is inside the body
  /// or no control moves the abstraction.
  SketchPoser(const Character& character, SketchAbstraction abstraction, const Camera& camera, In p,
              const SketchOptions& options = {});
  ~SketchPoser();
  SketchPoser(const SketchPoser&) = delete;
  SketchPoser& operator=(const SketchPoser&) = delete;

  /// The pose that the next strokes start from, and that priors hold to; controls that are not free stay there.
  void set_pose(In p);

  /// Poses the character. From the last pose rather than that of set_pose if `go_on`: while a stroke is being drawn.
  /// Throws Error, with the pose unchanged, for strokes that are none (check_stroke). Strokes that no pose reaches are
  /// reported, not thrown.
  SketchReport solve(std::span<const Stroke> strokes, bool go_on = false, const ProgressCallback& progress = {});

  const Vec& controls() const { return nested_ ? p_original_ : p_; }  ///< all
  const std::vector<int>& free() const { return free_; }
  /// Of each of free(); of joints that are siblings those of the chains, whose controls `free` there counts.
  const SketchControls& limits() const;
  const SketchAbstraction& abstraction() const { return abstraction_; }
  /// The abstraction as it is seen in the present pose, one stroke a curve.
  std::vector<Stroke> seen() const;
  /// The extended rig, its points that the curves are on (ascending), and the curves on these.
  const std::shared_ptr<const Rig>& rig() const;
  const std::vector<int>& points() const;
  const std::vector<CharacterCurve>& curves() const;
  double size() const { return size_; }            ///< of the character, scene units
  double view_size() const { return view_size_; }  ///< the same as it is seen, view units

 private:
  void tie();
  struct Drawing {
    std::span<const Stroke> strokes;  // clean
    double jitter;
    const ProgressCallback* progress;
  };
  PoseSearch searching(const Drawing& drawing, const SketchOptions& options);
  PoseAttempt follow_outline(const Drawing& drawing, PoseAttempt from);
  PoseAttempt best_outline(const Drawing& drawing, PoseAttempt first, bool near);
  /// Strokes in an order and direction that do not depend on those of the drawing. Returns the jitter of the hand, as a
  /// share of the size: found after that too, since sums of the same numbers the other way round differ in their last
  /// digits.
  double prepare(std::span<const Stroke> strokes, std::vector<Stroke>& clean) const;

  const Character& original_;
  std::optional<NestedCharacter> nested_;  // joints of the original as chains, where they are siblings
  const Character& character_;             // that of nested_, else the original
  SketchAbstraction abstraction_;
  Camera camera_;
  SketchOptions options_;
  Vec p_start_, p_;        // of character_
  Vec p_original_;         // p_ in the original's controls, where there is nested_
  std::vector<int> free_;  // in the original's controls
  double size_ = 1, view_size_ = 1;
  std::unique_ptr<TiedCurves> tied_;
  std::unique_ptr<OutlineSearch> outline_search_;  // made when a drawn outline is first missed
};

}  // namespace rigspace
