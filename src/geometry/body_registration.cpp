#include "rigspace/geometry/body_registration.h"

#include "graph_fit.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "tip_matching.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kLeastInside = 0.05;  // share of voxels; less is a body of sheets
constexpr double kOtherHeading = 0.6;  // another heading than the file's costs less than this share
constexpr double kAlike = 1.7;         // limbs of lengths within this factor are matched along their length
constexpr double kAgree = 0.3;         // cosine between normals of matched places

/// How the sum is weighed while it goes from stiff to soft. Distances are shares of the second body's size.
struct Round {
  double smoothness, tips, limbs, surface, reach;
  int steps;
};
constexpr std::array<Round, 7> kRounds = {{{1, 1, 1, 0, 0, 16},
                                           {0.3, 1, 1, 0, 0, 8},
                                           {0.1, 0.5, 0.3, 0.3, 0.15, 6},
                                           {0.05, 0.2, 0.05, 1, 0.1, 6},
                                           {0.02, 0.05, 0, 1, 0.06, 6},
                                           {0.01, 0.02, 0, 1, 0.04, 6},
                                           {0.005, 0, 0, 1, 0.03, 6}}};
constexpr double kEvenness = 0.3;
constexpr double kAcross = 0.2;  // of the distance along the surface, against that across it
constexpr double kByHand = 2;
constexpr double kCounted = 0.9;  // share of the places that the residual is taken over, the nearest ones

/// Root mean square distance of points from their mean.
double spread_of(const SolidVoxels& voxels, const Vec3& middle) {
  double sum = 0;
  for (int v = 0; v < voxels.count(); ++v) sum += (voxels.center(v) - middle).squaredNorm() / voxels.count();
  return std::sqrt(sum);
}

void check_inside(const SolidVoxels& voxels, const char* which) {
  int inside = 0;
  for (int v = 0; v < voxels.count(); ++v) inside += voxels.inside(v);
  if (inside < kLeastInside * voxels.count())
    throw Error({.element = which,
                 .problem = "has no inside: it is open sheets, or a few triangles",
                 .remedy = "give a body whose surface is closed, apart from small holes"});
}

Mat3 about_vertical(double degrees) { return Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitY()).toRotationMatrix(); }

double mean_square(std::vector<double> distances) {
  std::sort(distances.begin(), distances.end());
  distances.resize(static_cast<std::size_t>(kCounted * static_cast<double>(distances.size())));
  double sum = 0;
  for (const double d : distances) sum += d * d / static_cast<double>(distances.size());
  return sum;
}

/// Moves the nodes; all in the second body's own unit.
class Fit {
 public:
  Fit(const TriMesh& from, const TriMesh& to, DeformationGraph& graph, const RegistrationOptions& options, double scale)
      : from_(from), graph_(graph), fit_(graph), from_tree_(from), to_tree_(to), scale_(scale) {
    from_samples_ = spread_samples(from, options.samples), to_samples_ = spread_samples(to, options.samples);
    weights_.resize(from.point_count());
    parallel_ranges(from.point_count(), 64, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) weights_[i] = graph.weights_at(point(from.points, i));
    });
    for (const SurfaceSample& each : from_samples_) sample_weights_.push_back(graph.weights_at(each.position));
  }

  void add_landmark(const Vec3& from, const Vec3& to, double Round::*weight) {
    landmarks_.push_back({graph_.weights_at(from), from, to, weight});
  }

  void run(const Round& round) {
    for (int s = 0; s < round.steps; ++s) {
      fit_.clear();
      fit_.add_smoothness(round.smoothness, kEvenness, scale_);
      const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, landmarks_.size()));
      for (const Landmark& each : landmarks_) {
        const double weight = each.weight == nullptr ? kByHand : round.*each.weight;
        if (weight > 0)
          fit_.add_point(std::array{GraphFit::Corner{1, each.weights, each.from}}, each.to,
                         weight * share * Mat3::Identity());
      }
      if (round.surface > 0) add_surfaces(round);
      graph_.step(fit_.solve());
    }
  }

  /// Root mean square of the distances both ways, whatever is nearest, without the farthest ones: a part that only one
  /// body has, antlers or a hat, says nothing about the rest.
  double residual() {
    place_surface();
    std::vector<double> there, back;
    for (std::size_t k = 0; k < from_samples_.size(); ++k)
      there.push_back(to_tree_.closest(graph_.apply(sample_weights_[k], from_samples_[k].position)).distance);
    for (const SurfaceSample& each : to_samples_) back.push_back(from_tree_.closest(each.position).distance);
    return std::sqrt(0.5 * (mean_square(there) + mean_square(back)));
  }

 private:
  struct Landmark {
    NodeWeights weights;
    Vec3 from, to;
    double Round::*weight;  // null: given by hand
  };

  void place_surface() {
    placed_.resize(from_.points.size());
    parallel_ranges(from_.point_count(), 256, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) point(placed_, i) = graph_.apply(weights_[i], point(from_.points, i));
    });
    from_tree_.refit(placed_);
  }

  /// The metric of a pair of matched places, less the farther they are apart.
  static Mat3 metric(const Vec3& normal, double distance, double weight, double reach) {
    const double trust = std::pow(1 + std::pow(2 * distance / reach, 2), -2);
    return weight * trust * ((1 - kAcross) * normal * normal.transpose() + kAcross * Mat3::Identity());
  }

  void add_surfaces(const Round& round) {
    place_surface();
    const double share = round.surface / static_cast<double>(2 * from_samples_.size());
    std::vector<SurfacePoint> met(from_samples_.size());
    parallel_ranges(static_cast<int>(met.size()), 64, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) {
        const SurfaceSample& own = from_samples_[k];
        Mat3 turn = Mat3::Zero();
        for (const auto& [node, w] : sample_weights_[k]) turn += w * graph_.stretch(node);
        const Vec3 normal = (turn * own.normal).normalized();
        met[k] = to_tree_.closest(graph_.apply(sample_weights_[k], own.position), round.reach,
                                  [&](int t) { return to_tree_.normal(t).dot(normal) > kAgree; });
      }
    });
    for (std::size_t k = 0; k < met.size(); ++k)
      if (met[k].triangle >= 0)
        fit_.add_point(std::array{GraphFit::Corner{1, sample_weights_[k], from_samples_[k].position}}, met[k].position,
                       metric(to_tree_.normal(met[k].triangle), met[k].distance, share, round.reach));
    met.resize(to_samples_.size());
    parallel_ranges(static_cast<int>(met.size()), 64, [&](int begin, int end) {
      for (int k = begin; k < end; ++k)
        met[k] = from_tree_.closest(to_samples_[k].position, round.reach,
                                    [&](int t) { return from_tree_.normal(t).dot(to_samples_[k].normal) > kAgree; });
    });
    for (std::size_t k = 0; k < met.size(); ++k) {
      if (met[k].triangle < 0) continue;
      const Triangle& t = from_.triangles[met[k].triangle];
      const auto corner = [&](int c) {
        return GraphFit::Corner{met[k].barycentric[c], weights_[t[c]], point(from_.points, t[c])};
      };
      fit_.add_point(std::array{corner(0), corner(1), corner(2)}, to_samples_[k].position,
                     metric(to_samples_[k].normal, met[k].distance, share, round.reach));
    }
  }

  const TriMesh& from_;
  DeformationGraph& graph_;
  GraphFit fit_;
  TriangleTree from_tree_, to_tree_;
  double scale_;
  std::vector<SurfaceSample> from_samples_, to_samples_;
  std::vector<NodeWeights> weights_, sample_weights_;
  std::vector<Landmark> landmarks_;
  Vec placed_;
};

}  // namespace

void RegistrationOptions::validate() const {
  require_option(voxels >= 24 && voxels <= 160, "number of voxels", voxels, "give 24 to 160 along the longest side");
  require_option(nodes >= 20 && nodes <= 2000, "number of nodes", nodes, "give 20 to 2000");
  require_option(samples >= 100 && samples <= 20000, "number of samples", samples, "give 100 to 20000");
  require_option(least > 0 && least < 1, "least", least, "give a share of the longest way from the middle");
}

std::vector<SurfaceSample> spread_samples(const TriMesh& mesh, int count) {
  std::vector<SurfaceSample> samples;
  const double step = area(mesh) / count;
  double passed = 0;
  int taken = 0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 a = point(mesh.points, mesh.triangles[t][0]), b = point(mesh.points, mesh.triangles[t][1]),
               c = point(mesh.points, mesh.triangles[t][2]);
    const Vec3 n = (b - a).cross(c - a);
    passed += 0.5 * n.norm();
    while (taken < count && (taken + 0.5) * step <= passed) {
      // Evenly over the triangle, by multiples of the plastic number's powers.
      double u = std::fmod(0.5 + 0.7548776662466927 * taken, 1.0), v = std::fmod(0.5 + 0.5698402909980532 * taken, 1.0);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      samples.push_back({t, Vec3(1 - u - v, u, v), (1 - u - v) * a + u * b + v * c, n.normalized()});
      ++taken;
    }
  }
  return samples;
}

BodyRegistration::BodyRegistration(const TriMesh& from, const TriMesh& to, const RegistrationOptions& options) {
  options.validate();
  report(options.progress, "making voxels", 0);
  from_voxels_ = std::make_shared<SolidVoxels>(from, VoxelOptions{.across = options.voxels});
  to_voxels_ = std::make_shared<SolidVoxels>(to, VoxelOptions{.across = options.voxels});
  check_inside(*from_voxels_, "the template"), check_inside(*to_voxels_, "the mesh");
  from_tips_ = find_body_tips(*from_voxels_, options.least), to_tips_ = find_body_tips(*to_voxels_, options.least);
  const Box from_box = bounding_box(from.points), to_box = bounding_box(to.points);
  unit_ = to_box.size().maxCoeff();
  origin_ = Vec3(to_tips_.middle.x(), to_box.low.y(), to_tips_.middle.z());

  report(options.progress, "matching limbs", 0.2);
  const double from_size = std::sqrt(from_box.size().y() * spread_of(*from_voxels_, from_tips_.middle)),
               to_size = std::sqrt(to_box.size().y() * spread_of(*to_voxels_, to_tips_.middle));
  const PlacedTips there = placed_tips(to_tips_, Mat3::Identity(), to_box.low.y(), to_size);
  double least = std::numeric_limits<double>::infinity();
  for (const double degrees : {0.0, 90.0, 180.0, 270.0}) {
    const Mat3 facing = about_vertical(options.heading.value_or(degrees));
    const TipMatch match = match_tips(placed_tips(from_tips_, facing, from_box.low.y(), from_size), there);
    if (match.cost < (degrees > 0 ? kOtherHeading : 1) * least) {
      least = match.cost;
      facing_ = facing, matches_ = match.pairs;
    }
    if (options.heading) break;
  }
  // Ways through the body do not depend on the pose.
  double from_ways = 0, to_ways = 0;
  for (const auto& [a, b] : matches_)
    from_ways += from_tips_.tips[a].from_middle, to_ways += to_tips_.tips[b].from_middle;
  scale_ = matches_.empty() ? to_size / from_size : to_ways / from_ways;
  const Vec3 stand(from_tips_.middle.x(), from_box.low.y(), from_tips_.middle.z());
  shift_ = origin_ - scale_ * (facing_ * stand);

  report(options.progress, "deforming", 0.3);
  TriMesh target = to;
  for (int i = 0; i < to.point_count(); ++i) point(target.points, i) = (point(to.points, i) - origin_) / unit_;
  graph_ = std::make_shared<DeformationGraph>(*from_voxels_, options.nodes);
  graph_->set_similarity(facing_, scale_ / unit_, (shift_ - origin_) / unit_);
  Fit fit(from, target, *graph_, options, scale_ / unit_);
  const auto in_unit = [&](const Vec3& x) -> Vec3 { return (x - origin_) / unit_; };
  for (const auto& [a, b] : matches_) {
    const BodyTip &own = from_tips_.tips[a], &other = to_tips_.tips[b];
    fit.add_landmark(own.position, in_unit(other.position), &Round::tips);
    const double ratio = scale_ * own.length / other.length;
    if (ratio > kAlike || ratio < 1 / kAlike) continue;
    for (std::size_t s = 0; s < own.middle.size(); ++s)
      fit.add_landmark(own.middle[s], in_unit(other.middle[s]), &Round::limbs);
  }
  for (const auto& [a, b] : options.landmarks) fit.add_landmark(a, in_unit(b), nullptr);
  for (std::size_t k = 0; k < kRounds.size(); ++k) {
    report(options.progress, "deforming", 0.3 + 0.7 * static_cast<double>(k) / kRounds.size());
    fit.run(kRounds[k]);
  }
  residual_ = fit.residual();
}

}  // namespace rigspace
