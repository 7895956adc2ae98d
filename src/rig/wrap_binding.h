#pragma once
// How wrapped points hang on triangles: made once, at rest.

#include "rigspace/rig/wrap.h"

#include <array>

namespace rigspace {

constexpr int kMaxWrapTriangles = 64;  ///< that one point hangs on

/// Point y = sum over its hangers of  a + alpha e1 + beta e2 + gamma n, each times its weight.
struct Hanger {
  int triangle;               ///< into WrapBinding::triangles
  std::array<int, 3> corner;  ///< of the triangle's corners, among those of the wrapped point
  double a, e1, e2, n;        ///< weight times 1, alpha, beta, gamma
};

struct WrapBinding {
  std::vector<int> passed;          ///< points of the base that come first: WrapRig's alone
  std::vector<Triangle> triangles;  ///< those that a point hangs on, of the base's points
  std::vector<Mat3> to_frame;       ///< of each: inverse of [e1 e2 n] at rest
  std::vector<int> start{0};        ///< of each wrapped point's hangers, and one more
  std::vector<Hanger> hangers;
  std::vector<int> corner_start{0};  ///< of each wrapped point's corners, and one more
  std::vector<int> corners;          ///< points of the base, each once in a wrapped point, ascending there

  int wrapped_count() const { return static_cast<int>(start.size()) - 1; }
  /// Leaves out the triangles that no point hangs on, and finds the corners: after all else is set.
  void finish();
  /// For some of the wrapped points, ascending; the base's points keep their numbers.
  WrapBinding of(std::span<const int> wrapped) const;
  /// Gives the points of the base their place among those that are kept, ascending.
  void renumber(std::span<const int> kept);
};

WrapBinding bind_wrap(const TriMesh& base_mesh, In wrapped_rest, const WrapOptions& options);

/// A triangle in some pose.
struct TriangleFrame {
  Vec3 a, e1, e2;
  Vec3 normal;  ///< e1 x e2 / sqrt(|e1 x e2|): as long as the triangle is wide; zero for one without area
  Mat3 slope;   ///< d normal / d (e1 x e2)

  TriangleFrame() = default;
  TriangleFrame(const Triangle& triangle, In points);

  Vec3 at(const Hanger& hanger) const { return hanger.a * a + hanger.e1 * e1 + hanger.e2 * e2 + hanger.n * normal; }
  /// Adds the derivative of at(hanger) by the three corners to those of the wrapped point's corners.
  void add_by_corners(const Hanger& hanger, Mat3* by_corner) const;
  Mat3 axes() const {
    Mat3 axes;
    axes << e1, e2, normal;
    return axes;
  }
};

/// All triangles that points hang on, in a pose.
void pose_frames(const WrapBinding& binding, In base_points, std::vector<TriangleFrame>& frames);
Vec3 wrapped_point(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped);
/// Derivatives of a wrapped point by its corners, one each.
void wrapped_by_corners(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped,
                        Mat3* by_corner);
/// Its derivative by its own rest position, with the weights held, as a skin's are.
Mat3 wrapped_slope(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped);

}  // namespace rigspace
