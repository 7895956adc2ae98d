#pragma once
// What `rigspace sketch` does, in one function.

#include "rigspace/apps/sketch/sketch_poser.h"
#include "rigspace/apps/sketch/stroke_file.h"
#include "rigspace/base/progress.h"

#include <string>
#include <vector>

namespace rigspace {

/// A camera that frames these points. `spec`: front, back, left, right, top, three-quarter, or JSON: {"azimuth",
/// "elevation", "fov"} in degrees, or {"eye", "target", "fov"}, either with "orthographic": true, or for the second
/// "height" in scene units. A view from the left shows the character's left side. `aspect`: width over height of the
/// picture. Throws Error for any other text.
Camera sketch_camera(const std::string& spec, In points, double aspect);
/// The camera as JSON that sketch_camera reads.
std::string camera_json(const Camera& camera);

/// The abstraction of this name: one of the character's own, or stick, action, outline. Throws Error, naming those that
/// there are.
SketchAbstraction find_abstraction(const Character& character, const std::string& name, In p, const Camera& camera);

struct SketchJob {
  std::string abstraction = "stick";
  std::string camera;           ///< see sketch_camera; empty: that of the drawing, else of the abstraction, else front
  SketchOptions options = {};   ///< `aspect` is the drawing's
  std::string clip = "Sketch";  ///< name of the clip that is made
};

/// The abstraction of strokes that are drawn over the character (Stroke::to).
inline constexpr const char* kDrawnAbstraction = "drawn";

/// One solve of the drawing: its strokes have one time, one view and one abstraction.
struct SketchedPose {
  double time = 0;  ///< s
  Camera camera;
  Vec p;  ///< all controls
  SketchReport report;
  std::vector<Stroke> strokes, seen;  ///< as drawn, and the abstraction as it is seen in the pose found
};

struct SketchResult {
  Camera camera;
  std::string abstraction;
  double size = 1;  ///< of the character, scene units
  std::vector<int> free;
  std::vector<SketchedPose> poses;  ///< by time; of one time the last one counts
  /// Keys of all controls that differ from rest at any time: one key, or one for each time.
  Animation clip;

  int unreached() const;
  bool converged() const;
};

/// Poses the character, which stands in pose p, by a drawing. Strokes of several times give several poses, each from
/// the one before, and a clip. Strokes with a `to` are drawn over the character: they become the abstraction. Throws
/// Error for what is no drawing; nothing is changed then.
SketchResult pose_by_sketch(const Character& character, const StrokeFile& drawing, In p, const SketchJob& job = {},
                            const ProgressCallback& progress = {});

}  // namespace rigspace
