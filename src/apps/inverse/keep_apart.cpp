#include "rigspace/apps/inverse/keep_apart.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

std::vector<const Piece*> pieces_matching(const Character& character, std::span<const std::string> patterns) {
  std::vector<const Piece*> found;
  for (const std::string& pattern : patterns) {
    const std::size_t before = found.size();
    for (const Piece& piece : character.pieces)
      if (matches_pattern(piece.name, pattern)) found.push_back(&piece);
    if (found.size() == before)
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "piece \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "is not one of this character's",
                   .remedy = "`rigspace info` lists their names"});
  }
  return found;
}

}  // namespace

void KeepApartOptions::validate() const {
  require_option(gap >= 0 && reach > gap, "gap", gap,
                 "expected a share of the size, at least 0 and less than the reach");
  require_option(near > 0, "near", near, "expected a share of the size above 0");
  require_option(weight > 0, "weight", weight, "expected one above 0");
  require_option(most_points > 0, "number of points", most_points, "expected at least 1");
}

struct KeepApart::Found {
  std::vector<int> points;    // of the rig, ascending
  std::vector<int> kept_out;  // into these
  TriMesh surface;            // all of these points
  double size = 1;

  Found(const Character& character, std::span<const std::string> pieces, std::span<const std::string> from,
        const KeepApartOptions& options) {
    options.validate();
    const Vec rest = rest_surface(character).points;
    size = bounding_box(rest).diagonal();
    std::vector<int> chosen;
    std::vector<Vec3> all;
    for (const Piece* piece : pieces_matching(character, pieces)) {
      const int step = std::max(1, piece->point_count / options.most_points);
      for (int i = 0; i < piece->point_count; ++i) {
        if (i % step == 0) chosen.push_back(piece->first_point + i);
        all.emplace_back(point(rest, piece->first_point + i));
      }
    }
    std::vector<Triangle> triangles;
    std::map<int, bool> far;  // points of the others
    for (const Piece* piece : pieces_matching(character, from))
      for (const Triangle& triangle : piece->triangles) {
        for (const int corner : triangle)
          if (!far.contains(corner))
            far[corner] = std::ranges::all_of(
                all, [&](const Vec3& each) { return (point(rest, corner) - each).norm() > options.near * size; });
        if (far[triangle[0]] && far[triangle[1]] && far[triangle[2]]) triangles.push_back(triangle);
      }
    if (triangles.empty())
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "surface",
                   .problem = "is nowhere far enough from the pieces that are to be kept out of it",
                   .remedy = "name other pieces"});
    points = chosen;
    for (const Triangle& triangle : triangles) points.insert(points.end(), triangle.begin(), triangle.end());
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    const auto place = [&](int each) {
      return static_cast<int>(std::ranges::lower_bound(points, each) - points.begin());
    };
    for (const int each : chosen) kept_out.push_back(place(each));
    for (const Triangle& each : triangles)
      surface.triangles.push_back({place(each[0]), place(each[1]), place(each[2])});
    surface.points.resize(3 * std::ssize(points));
    for (std::size_t k = 0; k < points.size(); ++k) point(surface.points, static_cast<int>(k)) = point(rest, points[k]);
  }
};

KeepApart::KeepApart(const Character& character, std::span<const std::string> pieces, std::span<const std::string> from,
                     const KeepApartOptions& options)
    : KeepApart(character, options, Found(character, pieces, from, options)) {}

KeepApart::KeepApart(const Character& character, const KeepApartOptions& options, Found found)
    : options_(options),
      points_(character, std::span<const int>(found.points)),
      kept_out_(std::move(found.kept_out)),
      triangles_(found.surface.triangles),
      size_(found.size),
      surface_(found.surface) {}

std::vector<KeepApart::Place> KeepApart::places(In x) const {
  surface_.move(x);
  std::vector<Place> found;
  for (const int each : kept_out_) {
    const Touch touch = surface_.nearest(point(x, each), options_.reach * size_, Vec3::Zero());
    if (!touch.found || touch.gap >= options_.gap * size_) continue;
    found.push_back({.point = each,
                     .corners = triangles_[static_cast<std::size_t>(touch.triangle)],
                     .weights = touch.barycentric,
                     .normal = touch.normal,
                     .gap = touch.gap / size_});
  }
  return found;
}

double KeepApart::cost(const std::vector<Place>& found) const {
  double sum = 0;
  for (const Place& each : found) sum += std::pow(options_.gap - each.gap, 2);
  return sum / static_cast<double>(kept_out_.size());
}

double KeepApart::depth(In p) const {
  Vec x;
  points_.evaluate(p, x);
  double deepest = 0;
  for (const Place& each : places(x)) deepest = std::max(deepest, -each.gap);
  return deepest;
}

bool KeepApart::refine(const InverseModel& model, In x, const RefineOptions& refinement, InversePose& pose) const {
  const PoseCoordinates& coordinates = model.coordinates();
  const FeatureRig& features = model.features();
  const Vec target = model.seen_from_itself(x).target;
  const double scale = 1 / (features.count() * model.size() * model.size());
  const double held = refinement.prior / static_cast<double>(pose.y.size());
  const double share = options_.weight / static_cast<double>(kept_out_.size());
  struct At {
    Vec y, x, around;
    std::vector<Place> found;
    double misses = 0, cost = 0;
  };
  const auto at = [&](const Vec& y) {
    At there{.y = y};
    const Vec p = coordinates.pose(y);
    features.evaluate(p, there.x), points_.evaluate(p, there.around);
    there.found = places(there.around);
    there.misses = (there.x - target).squaredNorm() * scale;
    const Vec off = y - pose.predicted;
    there.cost = there.misses + held * off.dot(model.metric() * off) + options_.weight * cost(there.found);
    ++pose.evaluations;
    return there;
  };
  At here = at(pose.y);
  if (here.found.empty()) return false;
  bool moved = false;
  double damping = 1e-8;
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    const Vec p = coordinates.pose(here.y);
    const Mat J = features.jacobian(p, coordinates.chosen()) * coordinates.typical().asDiagonal();
    const Mat around = points_.jacobian(p, coordinates.chosen()) * coordinates.typical().asDiagonal();
    Mat H = scale * J.transpose() * J + (held + damping) * model.metric();
    Vec g = scale * J.transpose() * (here.x - target) + held * (model.metric() * (here.y - pose.predicted));
    for (const Place& each : here.found) {
      Vec slope = around.middleRows<3>(3 * each.point).transpose() * each.normal;
      for (int k = 0; k < 3; ++k)
        slope -= each.weights[k] *
                 (around.middleRows<3>(3 * each.corners[static_cast<std::size_t>(k)]).transpose() * each.normal);
      slope /= size_;
      H += share * slope * slope.transpose();
      g -= share * (options_.gap - each.gap) * slope;
    }
    const Vec step = -solve_ldlt(H, g);
    At next;
    bool down = false;
    for (double length = 1; length > 0.05 && !down; length *= 0.5) {
      Vec y = here.y + length * step;
      if (refinement.keep_limits) y = y.cwiseMax(coordinates.lower()).cwiseMin(coordinates.upper());
      next = at(y);
      down = next.cost < here.cost;
    }
    if (!down && damping > 1e-2) break;
    if (!down) {
      damping *= 100;
      continue;
    }
    moved = true;
    const bool done = here.cost - next.cost < 1e-3 * here.cost;
    here = std::move(next);
    if (done) break;
  }
  if (!moved) return false;
  pose.y = here.y, pose.joint_error = std::sqrt(here.misses);
  pose.p = model.controls_of(here.y, x);
  return true;
}

}  // namespace rigspace
