#pragma once
// Key fitting, inside: a clip as groups of components that share key times, and the gauge that measures it on the
// surface.

#include "key_fitting_parts.h"
#include "rigspace/anim/key_fitting.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace::detail {

/// The curve through fitted keys; one key where it is constant. Takes what is outside the keys from `source`.
Curve fitted_curve(const FrameCurve& curve, const Curve& source, double tolerance);

/// How far each control moves the surface, at poses of a clip.
struct Sensitivity {
  std::vector<double> by_control;  ///< largest motion of a point, scene units a unit of the control; 0 if none
  std::vector<int> points;         ///< those that move most, ascending: the ones to watch
  Mat by_point;                    ///< the same for those points alone: controls x points
};
/// `also`: points to watch in any case.
Sensitivity surface_sensitivity(const Rig& rig, const Animation& animation, std::span<const int> also = {});

struct ClipFitOptions {
  bool loop = false, share_times = false;
};

/// The fit of every group of a clip, each within its own tolerance. A group is a scalar track, an orientation, or the
/// tracks that share their times.
class ClipFit {
 public:
  struct Bounds {
    int control;  ///< of the rig
    const FrameCurve* curve;
  };
  struct Saved {
    double tolerance = 0;
    FittedKeys fitted;
    int keys() const { return static_cast<int>(fitted.frames.size()); }
  };

  ClipFit(const Rig& rig, const Animation& animation, std::vector<double> frames, const ClipFitOptions& options);

  int size() const { return static_cast<int>(groups_.size()); }
  const std::vector<double>& frames() const { return frames_; }
  const std::vector<double>& tolerances() const { return tolerances_; }
  void set_tolerance(int group, double tolerance) { tolerances_[group] = tolerance; }
  int keys(int group) const { return static_cast<int>(groups_[group].fitted.frames.size()); }

  /// A tolerance for each group, of which `allowed` on the surface would be the motion of its most sensitive component.
  void share_out(const Sensitivity& sensitivity, double allowed);
  void refit(Effort effort);
  /// The fit of a group with another tolerance.
  Saved fitted(int group, double tolerance, Effort effort) const;
  Saved save(int group) const { return {tolerances_[group], groups_[group].fitted}; }
  void restore(int group, const Saved& saved);
  /// How far each group moves the watched points: groups x points, scene units a unit of its tolerance.
  Mat motion(const Sensitivity& sensitivity) const;

  const Animation& animation() const { return animation_; }
  /// What every fitted control may be between frames.
  std::vector<Bounds> bounds() const;

 private:
  struct Group {
    std::vector<FrameCurve> curves;
    std::vector<int> controls;    ///< of the rig, one per curve
    std::vector<int> tracks;      ///< into the animation's tracks, one per curve; empty for an orientation
    int rotation = -1;            ///< into the animation's rotations
    std::vector<int> moving;      ///< curves that are not constant
    FittedKeys fitted;            ///< components: the moving ones, or all of an orientation
    double fitted_tolerance = 0;  ///< with which it was
    Effort effort = Effort::draft;
  };
  void gather_tracks(const Rig& rig, bool loop, bool share_times);
  void gather_rotations(const Rig& rig, bool loop);
  void write(int group);

  std::vector<double> frames_;
  std::vector<Group> groups_;
  std::vector<double> tolerances_;
  Animation animation_;
};

/// Measures fits of one clip against it on the surface, at frames and half-way between them.
class SurfaceGauge {
 public:
  /// `points`: ascending; empty for all. Keeps references to the rig and to the fit's curves.
  SurfaceGauge(const Rig& rig, const Animation& source, const ClipFit& fit, std::span<const int> points);

  SurfaceError error(const Animation& fitted) const;
  /// The largest error of each point, over time.
  Vec errors_by_point(const Animation& fitted) const;
  /// Whether no error is larger than `allowed`: stops at the first.
  bool within(const Animation& fitted, double allowed) const;

 private:
  struct Moment {
    double time;
    int sample;  ///< of the frame curves
  };
  /// The nearest pose that the source may have had. Bounds are of components before they are normalised, so `p` must
  /// hold those.
  void nearest_pose(const Moment& moment, const Vec& p, Vec& q) const;
  /// Calls body(moment, squared distance of each point), side by side, until it returns false.
  template <class Body>
  void compare(const Animation& fitted, const Body& body) const;

  const Rig& rig_;
  std::unique_ptr<Rig> restricted_;
  std::vector<int> points_;
  std::vector<ClipFit::Bounds> bounds_;
  std::vector<std::array<int, 4>> quaternions_;
  Vec rest_;
  std::vector<Moment> moments_;
};

/// Tolerances for few keys in all, by drafts of the fit that keep the watched points about within `allowed`.
void share_tolerances(ClipFit& fit, const SurfaceGauge& gauge, const Sensitivity& sensitivity, double allowed);

/// Fits with the tolerances as they are; where a watched point is not within `allowed`, with smaller ones for what
/// moves it.
void tighten_tolerances(ClipFit& fit, const SurfaceGauge& gauge, const Sensitivity& sensitivity, double allowed);

/// `factor` times the tolerance for one group after the other, where that saves keys and the gauge stays within
/// `allowed`. Those that save most come first.
void relax_groups(ClipFit& fit, const SurfaceGauge& gauge, double allowed, double factor);

}  // namespace rigspace::detail
