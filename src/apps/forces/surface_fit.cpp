#include "rigspace/apps/forces/surface_fit.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/optimize/lbfgsb.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kSideways = 0.05;  // share of distances along the target's surface, where nearest places are rough

void check_target(const ForceBody& body, const TriMesh& target, const SurfaceFitOptions& options) {
  if (target.points.size() == 0 || !target.points.allFinite())
    throw Error({.element = "target",
                 .problem = target.points.size() == 0 ? "has no points" : "has points that are not finite",
                 .remedy = "give a surface in the pose of the character"});
  if (options.correspond && target.points.size() != 3 * body.surface.count())
    throw Error({.element = "target",
                 .value = std::to_string(target.point_count()),
                 .problem = "has " + std::to_string(target.point_count()) + " points, the character " +
                            std::to_string(body.surface.count()),
                 .remedy = "give the same mesh in another shape, or match nearest places of another mesh"});
  if (!options.correspond && target.triangles.empty())
    throw Error({.element = "target", .problem = "has no triangles", .remedy = "nearest places need a surface"});
  for (const int i : options.points)
    if (i < 0 || i >= body.surface.count())
      throw Error({.element = "point to fit",
                   .value = std::to_string(i),
                   .problem = "is " + std::to_string(i),
                   .remedy = "the skin has " + std::to_string(body.surface.count()) + " points, numbered from 0"});
}

/// Where each point should go, and how its distance counts: |B (x - t)|^2.
struct Goals {
  std::vector<Vec3> places;
  std::vector<Mat3> metric;
};

/// The edges of a surface that one triangle alone has: its border, and those of its holes.
class Border {
 public:
  explicit Border(const TriMesh& mesh) {
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) ++uses_[edge(t, k)];
  }
  /// Whether the place lies on the border: then it is only the end of what is there.
  bool holds(const TriMesh& mesh, const SurfacePoint& at) const {
    constexpr double kOnEdge = 1e-9;
    for (int k = 0; k < 3; ++k)  // the edge opposite to corner k
      if (at.barycentric[k] < kOnEdge && uses_.at(edge(mesh.triangles[at.triangle], k)) == 1) return true;
    return false;
  }

 private:
  static std::array<int, 2> edge(const Triangle& t, int k) {
    const int a = t[(k + 1) % 3], b = t[(k + 2) % 3];
    return {std::min(a, b), std::max(a, b)};
  }
  std::map<std::array<int, 2>, int> uses_;
};

Goals nearest_goals(const TriangleTree& tree, const Border& border, const HexEmbedding& skin, In y, double farthest) {
  Goals goals;
  for (int i = 0; i < skin.count(); ++i) {
    const Vec3 x = skin.evaluate(y, i);
    SurfacePoint at = tree.closest(x, farthest > 0 ? farthest : std::numeric_limits<double>::infinity());
    if (at.triangle >= 0 && border.holds(tree.mesh(), at)) at.triangle = -1;  // over a hole nothing is known
    const Vec3 n = at.triangle >= 0 ? tree.normal(at.triangle) : Vec3(Vec3::Zero());
    goals.places.push_back(at.triangle >= 0 ? at.position : x);
    goals.metric.push_back(at.triangle >= 0 ? Mat3((1 - kSideways) * n * n.transpose() + kSideways * Mat3::Identity())
                                            : Mat3(Mat3::Zero()));
  }
  return goals;
}

double mean_square(const HexEmbedding& skin, In y, const Goals& goals, double& worst) {
  double sum = 0;
  int count = 0;
  worst = 0;
  for (int i = 0; i < skin.count(); ++i) {
    if (goals.metric[i].isZero(0)) continue;
    const double d = (skin.evaluate(y, i) - goals.places[i]).squaredNorm();
    sum += d, worst = std::max(worst, std::sqrt(d)), ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The linear problem of one round, solved for y.
class Matching {
 public:
  Matching(const PosedLattice& lattice, const HexEmbedding& skin, double smoothness)
      : lattice_(&lattice), skin_(&skin), system_(3 * lattice.body().vertex_count()) {
    const ForceBody& body = lattice.body();
    laplacian_ = body.elements.laplacian();
    weight_ = 0.5 * smoothness * body.cell * body.cell / body.elements.volume();
  }

  void solve(const Goals& goals, In y0, Vec& y) {
    const ForceBody& body = lattice_->body();
    system_.clear();
    FoldingSink sink(body.levels, body.vertex_count(), system_);
    Vec right = Vec::Zero(y.size());
    Mat24 H;
    for (int cell = 0; cell < body.elements.cell_count(); ++cell) {
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) H.block<3, 3>(3 * i, 3 * j) = weight_ * laplacian_[cell](i, j) * Mat3::Identity();
      sink.add(body.elements.corners_of(cell), H.data());
      add_product(body.elements.corners_of(cell), H, y0 - y, right);
    }
    for (int i = 0; i < skin_->count(); ++i) {
      const Mat3 B = goals.metric[i] / skin_->count();
      const Vec3 miss = B * (goals.places[i] - skin_->evaluate(y, i));
      for (int a = 0; a < 8; ++a) {
        point(right, skin_->corners[i][a]) += skin_->weights[i][a] * miss;
        for (int b = 0; b < 8; ++b) H.block<3, 3>(3 * a, 3 * b) = skin_->weights[i][a] * skin_->weights[i][b] * B;
      }
      sink.add(skin_->corners[i], H.data());
    }
    system_.finish();
    system_.set_fixed(lattice_->held_mask());
    if (!system_.factor(0) && !system_.factor(1e-12))
      throw Error({.code = ErrorCode::not_converged,
                   .element = "fit",
                   .problem = "has no solution",
                   .remedy = "raise the smoothness, or choose more points"});
    Vec step;
    body.levels.fold(right);
    solve_within_belts(system_, lattice_->belts(), right, step);
    body.levels.spread(step);
    y += step;
  }

  /// The smoothness of (23).
  double roughness(In away) const {
    const LatticeElements& elements = lattice_->body().elements;
    double sum = 0;
    for (int cell = 0; cell < elements.cell_count(); ++cell) {
      const auto corners = elements.corners_of(cell);
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          sum += laplacian_[cell](i, j) * point(away, corners[i]).dot(point(away, corners[j]));
    }
    return weight_ * sum;
  }

 private:
  static void add_product(std::span<const int> corners, const Mat24& H, In away, Vec& right) {
    Eigen::Matrix<double, 24, 1> d;
    for (int c = 0; c < 8; ++c) d.segment<3>(3 * c) = away.segment<3>(3 * corners[c]);
    d = (H * d).eval();
    for (int c = 0; c < 8; ++c) point(right, corners[c]) += d.segment<3>(3 * c);
  }

  const PosedLattice* lattice_;
  const HexEmbedding* skin_;
  SparseSystem system_;
  std::vector<Mat8> laplacian_;
  double weight_;
};

}  // namespace

void SurfaceFitOptions::validate() const {
  require_option(smoothness > 0 && std::isfinite(smoothness), "smoothness", smoothness, "expected more than 0");
  require_option(rounds > 0, "rounds of nearest places", rounds, "expected at least 1");
  require_option(farthest >= 0, "farthest nearest place", farthest, "expected 0 or more");
}

SurfaceFit fit_surface(PosedLattice& lattice, const TriMesh& target, const SurfaceFitOptions& options) {
  options.validate();
  const ForceBody& body = lattice.body();
  check_target(body, target, options);
  std::vector<int> chosen = options.points;
  if (chosen.empty()) {
    chosen.resize(body.surface.count());
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  const HexEmbedding skin = body.surface.restricted(chosen);
  Vec y0;
  lattice.shape_of(Vec(), y0);
  SurfaceFit fit{.y = y0};
  Matching matching(lattice, skin, options.smoothness);
  Goals goals;
  if (options.correspond) {
    for (const int i : chosen)
      goals.places.push_back(point(target.points, i)), goals.metric.push_back(Mat3::Identity());
    fit.before = std::sqrt(mean_square(skin, y0, goals, fit.worst));
    matching.solve(goals, y0, fit.y);
    fit.rounds = 1;
  } else {
    const TriangleTree tree(weld(target).mesh);
    const Border border(tree.mesh());
    goals = nearest_goals(tree, border, skin, y0, options.farthest);
    if (std::all_of(goals.metric.begin(), goals.metric.end(), [](const Mat3& B) { return B.isZero(0); }))
      throw Error({.element = "target",
                   .problem = "has nothing near the points to fit but borders of holes",
                   .remedy = "close its holes, or give it in the pose and the place of the character"});
    fit.before = std::sqrt(mean_square(skin, y0, goals, fit.worst));
    double last = fit.before;
    for (fit.rounds = 1; fit.rounds <= options.rounds; ++fit.rounds) {
      matching.solve(goals, y0, fit.y);
      goals = nearest_goals(tree, border, skin, fit.y, options.farthest);
      const double now = std::sqrt(mean_square(skin, fit.y, goals, fit.worst));
      if (std::abs(last - now) < 1e-3 * last) break;
      last = now;
    }
  }
  fit.after = std::sqrt(mean_square(skin, fit.y, goals, fit.worst));
  fit.left_out = static_cast<int>(
      std::count_if(goals.metric.begin(), goals.metric.end(), [](const Mat3& B) { return B.isZero(0); }));
  fit.cost = fit.after * fit.after + matching.roughness(fit.y - y0);
  lattice.force_of(fit.y, fit.Q);
  return fit;
}

PoseFit fit_pose(const ForceRig& rig, std::span<const DragTarget> features, In start, std::span<const int> free) {
  std::vector<int> points;
  for (const DragTarget& feature : features) {
    if (feature.point < 0 || feature.point >= rig.point_count())
      throw Error({.element = "feature",
                   .value = std::to_string(feature.point),
                   .problem = "is of point " + std::to_string(feature.point),
                   .remedy = "the skin has " + std::to_string(rig.point_count()) + " points, numbered from 0"});
    points.push_back(feature.point);
  }
  std::vector<int> sorted = points;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const auto few = rig.restricted(sorted);
  const auto workspace = few->make_workspace();
  Vec p = start, s, g_s, g_p;
  const auto cost = [&](In z, Vec& g) {
    for (std::size_t k = 0; k < free.size(); ++k) p[free[k]] = z[k] * rig.controls()[free[k]].typical;
    few->evaluate(*workspace, p, s);
    g_s.setZero(s.size());
    double C = 0;
    for (std::size_t j = 0; j < features.size(); ++j) {
      const int i = static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), points[j]) - sorted.begin());
      const Vec3 miss = point(s, i) - features[j].place;
      C += miss.squaredNorm() / static_cast<double>(features.size());
      point(g_s, i) += 2 / static_cast<double>(features.size()) * miss;
    }
    few->pull(*workspace, p, g_s, g_p);
    for (std::size_t k = 0; k < free.size(); ++k) g[k] = g_p[free[k]] * rig.controls()[free[k]].typical;
    return C;
  };
  const auto count = static_cast<Eigen::Index>(free.size());
  Vec z(count), g = Vec::Zero(count);
  LbfgsbOptions search{.gradient_tolerance = 1e-9 * rig.body().cell * rig.body().cell, .max_iterations = 100};
  search.lower.resize(count), search.upper.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Control& control = rig.controls()[free[k]];
    z[k] = start[free[k]] / control.typical;
    search.lower[k] = control.min / control.typical, search.upper[k] = control.max / control.typical;
  }
  PoseFit fit{.before = std::sqrt(cost(z, g))};
  fit.summary = minimize_lbfgsb(cost, z, search);
  fit.after = std::sqrt(cost(z, g));
  fit.p = p;
  return fit;
}

PoseAndForceFit fit_pose_and_forces(const ForceRig& rig, const TriMesh& target, In start, std::span<const int> free,
                                    const SurfaceFitOptions& options) {
  constexpr double kStep = 1e-3;  // of differences, in typical changes
  PoseAndForceFit result{.p = start};
  PosedLattice lattice(rig.body());
  std::vector<Affine> joints;
  const auto fit_at = [&](In z) {
    for (std::size_t k = 0; k < free.size(); ++k)
      result.p[free[k]] = z[static_cast<Eigen::Index>(k)] * rig.controls()[free[k]].typical;
    rig.joints_at(result.p, joints);
    lattice.set_pose(joints);
    return fit_surface(lattice, target, options);
  };
  const auto count = static_cast<Eigen::Index>(free.size());
  Vec z(count), lower(count), upper(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Control& control = rig.controls()[free[k]];
    z[k] = start[free[k]] / control.typical;
    lower[k] = control.min / control.typical, upper[k] = control.max / control.typical;
  }
  const double whole = std::max(1e-300, fit_at(z).cost);
  const auto cost = [&](In at, Vec& g) {
    for (Eigen::Index k = 0; k < count; ++k) {
      Vec high = at, low = at;
      high[k] = std::min(upper[k], at[k] + kStep), low[k] = std::max(lower[k], at[k] - kStep);
      g[k] = (fit_at(high).cost - fit_at(low).cost) / (whole * (high[k] - low[k]));
    }
    return fit_at(at).cost / whole;
  };
  result.summary = minimize_lbfgsb(
      cost, z,
      {.gradient_tolerance = 1e-4, .value_tolerance = 1e-6, .max_iterations = 30, .lower = lower, .upper = upper});
  result.fit = fit_at(z);
  return result;
}

ForceRigPart rig_of_fit(std::string name, std::string control, double none_at, double at, Vec Q) {
  ForceRigPart part{.name = std::move(name), .control = std::move(control)};
  part.samples = {{none_at, Vec::Zero(Q.size())}, {at, std::move(Q)}};
  if (at < none_at) std::swap(part.samples[0], part.samples[1]);
  return part;
}

}  // namespace rigspace
