#pragma once
// Sketch posing as the Thesis prints it (5.3 to 5.15), to compare with: lengths in centimetres, priors as sums with the
// printed weights, no limits, correspondences by arc length fixed while Newton's method converges, strokes that say
// which curve they are.

#include "rigspace/apps/sketch/sketch_poser.h"
#include "rigspace/body/control_mapping.h"
#include "rigspace/geometry/representatives.h"
#include "rigspace/optimize/newton.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

class PrintedPoser {
 public:
  /// The same abstraction, camera and free controls as the poser's, from the pose p. Scene units are metres.
  PrintedPoser(const Character& character, const SketchPoser& poser, const Camera& camera, In p);

  /// Strokes name their curves, or are all of a pooled abstraction.
  SketchReport solve(std::span<const Stroke> strokes);
  const Vec& controls() const { return p_; }

 private:
  SketchAbstraction abstraction_;
  Camera camera_;
  double size_, view_size_;
  Vec p_start_, p_, x_start_;
  std::vector<CharacterCurve> curves_;
  std::vector<Representative> surface_;  // points of the map
  int vertices_;
  std::unique_ptr<ControlMapping> mapping_;
  NewtonWorkspace workspace_;
};

}  // namespace rigspace
