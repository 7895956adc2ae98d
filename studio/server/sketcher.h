#pragma once
// Solves the drawings of the sketch panel. SketchPoser is kept while view, abstraction and the pose before the strokes
// stay the same. Used by one thread at a time.

#include "drawing.h"
#include "rigspace/apps/physics/live_character.h"
#include "rigspace/apps/sketch/sketch_poser.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace::studio {

/// A curve of the abstraction in space, as it lies in a pose.
struct SpaceCurve {
  std::string name;
  bool closed = false;
  std::vector<Vec3> points;  ///< scene space
};

struct SketchSolve {
  Vec p;                ///< all controls of the artist's character
  double residual = 0;  ///< share of the size
  double ms = 0;        ///< of the solve alone
  bool converged = true;
};

class Sketcher {
 public:
  explicit Sketcher(std::shared_ptr<const LiveCharacter> character);
  ~Sketcher();

  const LiveCharacter* live() const { return live_.get(); }
  const Character& character() const { return live_->artists(); }

  /// The abstractions that the character has: its own, and those that can be made of its skeleton and view.
  const std::vector<std::string>& abstractions();

  /// The curves of an abstraction in the pose p; of an outline as the camera sees it.
  std::vector<SpaceCurve> curves(const std::string& abstraction, const std::string& camera, In p);

  /// Poses the character by all strokes, from the pose `start`; writes residuals into the strokes. Without strokes, or
  /// with the first of a pair alone, `start`. Throws Error for what is no stroke.
  SketchSolve solve(std::vector<DrawnStroke>& strokes, const Vec& start, const ProgressCallback& progress);

  /// Puts a new stroke into its place among `strokes`: finds its curve, and replaces what was drawn for that curve from
  /// the same view, unless that is locked. `seen`: the pose that it was drawn over.
  void insert(std::vector<DrawnStroke>& strokes, DrawnStroke stroke, const Vec& start, const Vec& seen,
              const ProgressCallback& progress);

  /// The pose while a stroke is being drawn over the pose `seen`; the stroke may end anywhere along its curve.
  SketchSolve preview(const std::vector<DrawnStroke>& strokes, const DrawnStroke& stroke, const Vec& seen,
                      const ProgressCallback& progress);

 private:
  struct Kept {
    std::string abstraction, camera;
    double aspect = 1;
    Vec start;
    std::unique_ptr<SketchPoser> poser;
  };
  struct Places;
  SketchPoser& poser_for(Kept& kept, const DrawnStroke& like, const Vec& start, bool partial);
  SketchSolve solve_together(std::span<DrawnStroke> strokes, const Vec& start, const ProgressCallback& progress);
  SketchSolve solve_pairs(std::span<DrawnStroke> strokes, const Vec& start, bool partial, const ProgressCallback&);
  Vec pose_before(std::span<DrawnStroke> former, const Vec& start, const ProgressCallback& progress);
  DrawnStroke carried_back(DrawnStroke stroke, const Vec& seen, const Vec& start) const;

  std::shared_ptr<const LiveCharacter> live_;
  std::optional<std::vector<std::string>> abstractions_;
  Kept kept_, previewing_;
  std::string previewed_;  // the stroke that previewing_ last saw
  std::unique_ptr<Places> places_;
  std::vector<DrawnStroke> solved_;  // strokes from former views, with
  Vec solved_start_, solved_pose_;   // the pose before and after them
};

/// A camera of JSON that camera_json wrote.
Camera camera_from(const std::string& json);

}  // namespace rigspace::studio
