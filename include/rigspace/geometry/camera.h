#pragma once
// Where a picture is taken from, and cameras that frame a whole motion exactly.

#include "rigspace/base/types.h"

#include <limits>
#include <numbers>

namespace rigspace {

/// A camera in scene space, Y up.
struct Camera {
  Vec3 eye{0, 1, 4};
  Vec3 target{0, 1, 0};       ///< seen at the centre of the picture
  double fov = 28 * kDegree;  ///< radians, from the lower to the upper edge of the picture
  /// Scene units from the lower to the upper edge of an orthographic picture, where `fov` is not used; 0: perspective.
  /// `ray`, `project` and the renderer are for perspective; ViewPlane is for both.
  double height = 0;

  /// Columns: right, up, backward; a right-handed orthonormal frame. Looking straight up or down, right stays level.
  Mat3 axes() const;
  /// Unit vector from the eye through a place of the picture, in pixels from its top left corner.
  Vec3 ray(double x, double y, int columns, int rows) const;
  /// Place in the picture (pixels from the top left) and distance along the view; a distance <= 0 is behind the eye.
  Vec3 project(const Vec3& point, int columns, int rows) const;
  /// A perspective camera from far away, with a field of view of 1 degree, that shows nearly the picture of an
  /// orthographic one; a perspective camera is returned as it is.
  Camera as_perspective() const;
  Camera moved(const Vec3& by) const;
  /// Turned about the vertical line through `centre`; positive angles walk the camera counterclockwise seen from above.
  Camera turned(double angle, const Vec3& centre) const;
};

/// The default is a three-quarter view of a character that faces +Z.
struct FramingOptions {
  double azimuth = 32 * kDegree;    ///< radians about Y, from +Z towards +X: where the camera stands
  double elevation = 11 * kDegree;  ///< radians above the horizon, within +-90 degrees
  double fov = 28 * kDegree;        ///< radians, vertical, 1 to 120 degrees
  double margin = 0.07;             ///< free border, as a fraction of the picture, on each side; below 0.45
  double zoom = 1;                  ///< above 1 comes closer than the fit and may cut off

  void validate() const;
};

/// Gathers the points of all frames of a motion; the camera then comes as near as it can with all of them inside the
/// margins. Exact for a perspective camera: the frustum touches the points, not a sphere around them. Uses constant
/// memory.
class Framing {
 public:
  /// `aspect`: width / height of the picture.
  explicit Framing(const FramingOptions& options, double aspect);

  /// Points, flattened, each moved by `shift`. Throws Error if one is not finite.
  void add(In points, const Vec3& shift = Vec3::Zero());

  /// The same points seen from all sides of the vertical line through `centre`: for turntables. The camera then
  /// looks at that line.
  void add_turned(In points, const Vec3& centre);

  /// Throws Error if nothing was added.
  Camera camera() const;
  double lowest() const { return lowest_; }  ///< smallest y of what was added
  bool empty() const { return !(lowest_ < std::numeric_limits<double>::infinity()); }

 private:
  void add_view(const Vec3& point);

  FramingOptions options_;
  double tan_x_, tan_y_;  // half-width and half-height of the framed part, at distance 1
  Mat3 axes_;
  // Supports of the points in the normals of the four sides of the frustum: max of +-x + tan_x z and +-y + tan_y z
  // in view coordinates.
  Eigen::Vector4d support_;
  double nearest_;  // max z in view coordinates
  double lowest_;
  double radius_ = 0;  // largest extent, to stand off a single point
  Vec3 first_ = Vec3::Zero();
};

/// The camera for one pose.
Camera frame(In points, double aspect, const FramingOptions& options = {});

}  // namespace rigspace
