#pragma once
// Private to sketch: poses whose outline resembles a drawing, found by trying joint after joint on a coarse surface.
// Nearest points lead to the pose only from nearby: a limb that crosses another one's line stays there.

#include "rigspace/apps/sketch/sketch_controls.h"
#include "rigspace/apps/sketch/stroke.h"
#include "rigspace/base/progress.h"
#include "rigspace/geometry/view_plane.h"
#include "seen_raster.h"

#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace rigspace {

/// A coarse surface of the character, made once, and how far its outline is from a drawing. One thread at a time.
class OutlineSearch {
 public:
  /// `size`, `view_size`: of the character, scene and view units.
  OutlineSearch(const Character& character, const Camera& camera, double size, double view_size);

  /// The drawing that poses are compared with; view units.
  void set_strokes(std::span<const Stroke> strokes);

  /// Mean squared distance between the drawing and the outline in a pose, either way, shares of the size; distances
  /// above `reach` (share of the size) count as that.
  double distance(In p, double reach);

  /// A better pose, from p: joints from the root outwards are turned at random, and what comes nearer is kept. Joints
  /// turn within their bounds. The same on every run for the same seed.
  Vec better_pose(In p, const SketchControls& controls, std::uint32_t seed, const ProgressCallback& progress);

  long evaluations() const { return evaluations_; }  ///< poses compared so far

 private:
  void mark(const std::vector<int>& cells, std::vector<int>& far) const;

  std::shared_ptr<const Rig> rig_;  ///< restricted to the coarse surface's points
  std::unique_ptr<Workspace> workspace_;
  std::vector<Triangle> triangles_;
  ViewPlane view_;
  double size_, view_size_;
  std::vector<std::vector<int>> joints_;  ///< angles, among all controls, of each node, from the root outwards
  SeenRaster raster_;
  std::vector<int> drawn_, contour_;          ///< cells on the lines
  std::vector<int> far_drawn_, far_contour_;  ///< of each cell, in thirds of a cell: how far it is from these
  Vec x_;
  long evaluations_ = 0;
};

}  // namespace rigspace
