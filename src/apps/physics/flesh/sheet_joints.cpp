#include "sheet_joints.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/geometry/signed_distance.h"
#include "rigspace/parts/sheet.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace rigspace {
namespace {

constexpr double kHeld = 0.04;       // of the length: the seam at the attached end, which stays with the bone
constexpr double kOneColumn = 0.3;   // width over length: narrower sheets are strands
constexpr double kTwoColumns = 0.6;  // narrower ones have a left and a right half
constexpr int kBins = 6;             // along the length, where widths are measured
constexpr double kLeastHalf = 0.1;   // of the width: of a sheet that ends in a point

/// Places on a sheet: s from 0 at the attached end to 1 at the free one, t from -1 at its left edge to 1 at its right.
class SheetPlaces {
 public:
  /// `left`: of the character, roughly.
  SheetPlaces(const Sheet& sheet, std::vector<Vec3> points, const Vec3& left) : points_(std::move(points)) {
    down_ = (sheet.free - sheet.attached).normalized();
    Mat spread = Mat::Zero(3, 3);
    Vec3 mean = Vec3::Zero();
    for (const Vec3& x : points_) mean += x / static_cast<double>(points_.size());
    for (const Vec3& x : points_) {
      const Vec3 d = x - mean - down_.dot(x - mean) * down_;
      spread += d * d.transpose();
    }
    across_ = symmetric_eigen(spread).vectors.col(2);
    if (across_.dot(left) > 0) across_ = -across_;
    low_ = std::numeric_limits<double>::infinity();
    double high = -low_;
    for (const Vec3& x : points_) low_ = std::min(low_, down_.dot(x)), high = std::max(high, down_.dot(x));
    length_ = std::max(1e-12, high - low_);
    fit_edges();
    fit_surface();
  }

  double length() const { return length_; }
  double width() const { return 2 * half_at_widest_; }
  double s(const Vec3& x) const { return std::clamp((down_.dot(x) - low_) / length_, 0.0, 1.0); }
  double t(const Vec3& x) const {
    const double along = s(x), left = edges_[0][0] + along * edges_[0][1], right = edges_[1][0] + along * edges_[1][1];
    const double half = std::max(kLeastHalf * half_at_widest_, 0.5 * (right - left));
    return std::clamp((across_.dot(x) - 0.5 * (left + right)) / half, -1.0, 1.0);
  }
  /// On the sheet: the quadratic in s and t that fits its points best.
  Vec3 at(double s, double t) const { return surface_ * basis(s, t); }

 private:
  using Basis = Eigen::Matrix<double, 6, 1>;
  static Basis basis(double s, double t) {
    Basis b;
    b << 1, s, t, s * s, s * t, t * t;
    return b;
  }

  /// Straight lines through the outermost points of each bin.
  void fit_edges() {
    std::array<double, kBins> left, right;
    left.fill(std::numeric_limits<double>::infinity()), right.fill(-std::numeric_limits<double>::infinity());
    for (const Vec3& x : points_) {
      const int bin = std::min(kBins - 1, static_cast<int>(kBins * s(x)));
      const double side = across_.dot(x);
      left[bin] = std::min(left[bin], side), right[bin] = std::max(right[bin], side);
    }
    for (int edge = 0; edge < 2; ++edge) {
      double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
      for (int bin = 0; bin < kBins; ++bin) {
        const double x = (bin + 0.5) / kBins, y = edge == 0 ? left[bin] : right[bin];
        if (!std::isfinite(y)) continue;
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
      }
      const double det = n * sxx - sx * sx, slope = det > 1e-12 ? (n * sxy - sx * sy) / det : 0;
      edges_[edge] = {(sy - slope * sx) / std::max(1.0, n), slope};
    }
    for (const double s : {0.0, 1.0})
      half_at_widest_ =
          std::max(half_at_widest_, 0.5 * (edges_[1][0] + s * edges_[1][1] - edges_[0][0] - s * edges_[0][1]));
    half_at_widest_ = std::max(half_at_widest_, 1e-9 * length_);
  }

  void fit_surface() {
    constexpr double kRidge = 1e-6;  // of the number of points: few points in one line do not determine the terms in t
    Mat A = kRidge * static_cast<double>(points_.size()) * Mat::Identity(6, 6), B = Mat::Zero(6, 3);
    for (const Vec3& x : points_) {
      const Basis b = basis(s(x), t(x));
      A += b * b.transpose();
      B += b * x.transpose();
    }
    surface_ = solve_ldlt(A, B).transpose();
  }

  std::vector<Vec3> points_;
  Vec3 down_, across_;
  double low_ = 0, length_ = 1, half_at_widest_ = 0;
  std::array<std::array<double, 2>, 2> edges_;  // left and right: offset and slope over s
  Eigen::Matrix<double, 3, 6> surface_;
};

/// Two neighbours and how much of each: hats on the centres, smoothly.
struct Between {
  int first, second;  // -1: before the first centre
  double share;       // of the second
};
Between between(double x, double first_centre, double spacing, int count, bool before) {
  const double at = (x - first_centre) / spacing;
  if (at >= count - 1) return {count - 1, count - 1, 0};
  if (at <= 0) return before ? Between{-1, 0, smooth_step(-0.5, 0, at)} : Between{0, 0, 0};
  const int k = static_cast<int>(at);
  return {k, k + 1, smooth_step(0, 1, at - k)};
}

std::string joint_name(const Part& part, int columns, int column, int row) {
  const char* side = columns == 1 ? "" : column == 0 ? "_l" : column == columns - 1 ? "_r" : "_m";
  char number[16];
  std::snprintf(number, sizeof number, "_%02d", row + 1);
  return "soft_" + part.name + side + number;
}

}  // namespace

SheetJoints sheet_joints(const Character& character, const Part& part, int most) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  const Sheet sheet = measured_sheet(character, part.points);
  const auto workspace = rig.make_workspace();
  Vec s, u;
  rig.evaluate(*workspace, rig.rest(), s);
  rig.evaluate_slots(*workspace, rig.rest(), u);
  std::vector<Vec3> points;
  for (const int i : part.points) points.emplace_back(point(s, i));
  const Mat3 axes = character_frame(character).axes_near_scene();
  const SheetPlaces places(sheet, points, axes.col(0));  // characters face along z: their left is +x

  SheetJoints result;
  const double breadth = places.width() / places.length();
  result.columns = breadth < kOneColumn ? 1 : breadth < kTwoColumns ? 2 : 3;
  result.rows = 4;
  while (result.columns * result.rows > std::max(2, most))
    (result.rows > 3 || result.columns == 1 ? result.rows : result.columns)--;
  const double step = (1 - kHeld) / result.rows;  // along s

  // The joints' axes at rest are the character's own nearest to the scene's, so that their curves read as left, up,
  // forward.
  const int bone = part.bones.front();
  const Affine world = transform_at(u, rig.graph().slots()[character.bones[bone].slot]);
  const Mat3 A = linear(world);
  Mat3 R = nearest_orthogonal(A);
  if (R.determinant() < 0) R = -R;
  const Mat3 to_parent = A.inverse(), to_joint = (A * R.transpose() * axes).inverse();
  const auto column_at = [&](int c) { return -1 + (2.0 * c + 1) / result.columns; };
  for (int c = 0; c < result.columns; ++c)
    for (int r = 0; r < result.rows; ++r) {
      const Vec3 x = places.at(kHeld + r * step, column_at(c));
      SoftJoint joint{.name = joint_name(part, result.columns, c, r), .parent = bone};
      if (r == 0) {
        joint.translation = to_parent * (x - translation(world));
        joint.rotation = Quat(R.transpose() * axes).normalized();
      } else {
        joint.translation = to_joint * (x - places.at(kHeld + (r - 1) * step, column_at(c)));
        joint.above = static_cast<int>(result.joints.size()) - 1;
      }
      result.joints.push_back(std::move(joint));
    }

  for (const Vec3& x : points) {
    const Between row = between(places.s(x), kHeld + 0.5 * step, step, result.rows, true);
    const Between column = between(places.t(x), column_at(0), 2.0 / result.columns, result.columns, false);
    std::vector<std::pair<int, double>> shares;
    for (const auto& [r, down] : {std::pair(row.first, 1 - row.share), std::pair(row.second, row.share)})
      for (const auto& [c, side] : {std::pair(column.first, 1 - column.share), std::pair(column.second, column.share)})
        if (r >= 0 && down * side > 1e-4) shares.emplace_back(c * result.rows + r, down * side);
    std::sort(shares.begin(), shares.end());
    result.shares.push_back(std::move(shares));
  }
  return result;
}

}  // namespace rigspace
