#include "rigspace/apps/inverse/edit_motion.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kPieces = 32;  // of a span of the path

/// A Catmull-Rom curve on the ground by arc length.
class GroundPath {
 public:
  explicit GroundPath(std::span<const Vec3> through) {
    std::vector<Vec3> points(through.begin(), through.end());
    for (Vec3& each : points) each.y() = 0;
    points.insert(points.begin(), 2 * points[0] - points[1]);
    points.push_back(2 * points[points.size() - 1] - points[points.size() - 2]);
    for (std::size_t k = 1; k + 2 < points.size(); ++k)
      for (int piece = 0; piece < kPieces; ++piece) {
        const double u = static_cast<double>(piece) / kPieces;
        const Vec3 &a = points[k - 1], &b = points[k], &c = points[k + 1], &d = points[k + 2];
        add(0.5 * (2 * b + u * (c - a) + u * u * (2 * a - 5 * b + 4 * c - d) + u * u * u * (3 * b - a - 3 * c + d)));
      }
    add(points[points.size() - 2]);
  }

  /// Place and direction after a way s; beyond the ends straight on.
  std::pair<Vec3, Vec3> at(double s) const {
    const auto next = std::ranges::upper_bound(ways_, s);
    const std::size_t k = std::clamp<std::size_t>(static_cast<std::size_t>(next - ways_.begin()), 1, ways_.size() - 1);
    const Vec3 along = (places_[k] - places_[k - 1]).normalized();
    return {places_[k - 1] + (s - ways_[k - 1]) * along, smooth_direction(k, s)};
  }

 private:
  void add(const Vec3& place) {
    const double way = places_.empty() ? 0 : ways_.back() + (place - places_.back()).norm();
    if (!places_.empty() && way <= ways_.back()) return;
    places_.push_back(place), ways_.push_back(way);
  }
  /// Directions of neighbouring pieces, blended.
  Vec3 smooth_direction(std::size_t k, double s) const {
    const auto piece = [&](std::size_t each) -> Vec3 {
      each = std::clamp<std::size_t>(each, 1, ways_.size() - 1);
      return (places_[each] - places_[each - 1]).normalized();
    };
    const double u = std::clamp((s - ways_[k - 1]) / (ways_[k] - ways_[k - 1]), 0.0, 1.0);
    return u < 0.5 ? ((0.5 + u) * piece(k) + (0.5 - u) * piece(k - 1)).normalized()
                   : ((1.5 - u) * piece(k) + (u - 0.5) * piece(k + 1)).normalized();
  }

  std::vector<Vec3> places_;
  std::vector<double> ways_;
};

double eased(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u); }

Vec3 middle_of(const Mat& X, Eigen::Index frame) { return X.col(frame).reshaped(3, X.rows() / 3).rowwise().mean(); }

}  // namespace

JointMotion along_path(const JointMotion& straight, std::span<const Vec3> path, const Terrain& terrain) {
  const Mat& X = straight.X;
  const Vec3 first = middle_of(X, 0);
  Vec3 axis = middle_of(X, X.cols() - 1) - first;
  axis.y() = 0;
  // A leg's length, or, of a motion that has none, half of the height.
  double low = INFINITY, high = -INFINITY;
  for (Eigen::Index i = 1; i < X.rows(); i += 3)
    low = std::min(low, X.row(i).minCoeff()), high = std::max(high, X(i, 0));
  const double leg = straight.body.leg > 0 ? straight.body.leg : 0.5 * std::max(1e-12, high - low);
  if (axis.norm() < 0.1 * leg && !path.empty())
    throw Error({.element = "motion \"" + straight.name + "\"",
                 .value = straight.name,
                 .problem = "stays where it is, so it cannot be bent along a path",
                 .remedy = "give a motion that travels"});
  if (path.size() == 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "path",
                 .value = "1",
                 .problem = "has one point",
                 .remedy = "give at least two"});
  axis = axis.norm() > 0 ? Vec3(axis.normalized()) : Vec3(Vec3::UnitZ());
  const Vec3 start(first.x(), 0, first.z()), beside = Vec3::UnitY().cross(axis);
  const std::vector<Vec3> own{start, start + axis};
  const GroundPath ground(path.empty() ? std::span<const Vec3>(own) : path);
  const auto height = [&](const Vec3& at) { return terrain ? terrain(at.x(), at.z()) : 0; };
  // A place of the straight motion's ground, and its directions, on the path.
  const auto bent = [&](double way, double side) {
    const auto [at, along] = ground.at(way);
    const Vec3 across = Vec3::UnitY().cross(along);
    return std::tuple<Vec3, Vec3, Vec3>(at + side * across, along, across);
  };
  JointMotion result = straight;
  result.carried = true;
  result.body.limbs.clear(), result.body.directions.resize(0, X.cols());  // they turn with the path
  for (Eigen::Index k = 0; k < X.cols(); ++k) {
    const Vec3 middle = middle_of(X, k) - start;
    const double way = middle.dot(axis), side = middle.dot(beside);
    const auto [at, along, across] = bent(way, side);
    double under = 0;  // mean of the terrain, half a leg around
    for (const double ahead : {-0.5, -0.25, 0.0, 0.25, 0.5}) under += height(at + ahead * leg * along) / 5;
    for (Eigen::Index j = 0; j < X.rows() / 3; ++j) {
      const Vec3 x = X.block<3, 1>(3 * j, k), off = x - start;
      const double share = eased(((x.y() - low) / leg - 0.15) / 0.85);  // of the body as one
      const Vec3 own_ground = std::get<0>(bent(off.dot(axis), off.dot(beside)));
      const Vec3 as_one = at + (off.dot(axis) - way) * along + (off.dot(beside) - side) * across;
      Vec3 to = (1 - share) * own_ground + share * as_one;
      to.y() = x.y() + (1 - share) * height(own_ground) + share * under;
      result.X.block<3, 1>(3 * j, k) = to;
    }
  }
  return result;
}

}  // namespace rigspace
