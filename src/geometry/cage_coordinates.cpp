#include "rigspace/geometry/cage_coordinates.h"

#include "cage_family.h"

#include "rigspace/base/named_choices.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/geometry/winding_number.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rigspace {
namespace {

constexpr std::array<Named<CageFamily>, 9> kFamilies{{{CageFamily::barycentric, "barycentric"},
                                                      {CageFamily::wachspress, "wachspress"},
                                                      {CageFamily::natural_neighbour, "natural-neighbour"},
                                                      {CageFamily::mean_value, "mean-value"},
                                                      {CageFamily::positive_mean_value, "positive-mean-value"},
                                                      {CageFamily::green, "green"},
                                                      {CageFamily::harmonic, "harmonic"},
                                                      {CageFamily::maximum_entropy, "maximum-entropy"},
                                                      {CageFamily::biharmonic, "biharmonic"}}};

constexpr double kOnSurface = 1e-10;  // of the size of the cage

std::unique_ptr<CageBasis> make_basis(const PreparedCage& cage, const CageOptions& options) {
  switch (options.family) {
    case CageFamily::barycentric: return make_barycentric(cage);
    case CageFamily::wachspress: return make_wachspress(cage);
    case CageFamily::natural_neighbour: return make_natural_neighbour(cage);
    case CageFamily::mean_value: return make_mean_value(cage);
    case CageFamily::positive_mean_value: return make_positive_mean_value(cage, options.rays);
    case CageFamily::green: return make_green(cage);
    case CageFamily::harmonic: return make_harmonic(cage, options.nodes > 0 ? options.nodes : 12000);
    case CageFamily::maximum_entropy: return make_maximum_entropy(cage);
    case CageFamily::biharmonic: return make_biharmonic(cage, options.nodes > 0 ? options.nodes : 2500);
  }
  return nullptr;
}

/// 1 inside, 0 outside, cavities of the cage outside.
double exact_winding(const PreparedCage& cage, const Vec3& x) {
  double sum = 0;
  for (int f = 0; f < cage.face_count(); ++f) {
    const auto [a, b, c] = cage.corners(f);
    sum += solid_angle(x, a, b, c);
  }
  return sum;
}

/// One point's coordinates, and how they are found for it.
class PointCoordinates {
 public:
  PointCoordinates(const PreparedCage& cage, const CageBasis& basis, const CageOptions& options)
      : cage_(cage), basis_(basis), options_(options), G_(3, basis.size()) {}

  Vec w;
  bool inside = true;
  const Eigen::Matrix3Xd& gradients() const { return G_; }

  /// False: no coordinates.
  bool find(const Vec3& x) {
    w.setZero(basis_.size());
    const SurfacePoint nearest = cage_.tree.closest(x);
    const bool on_surface = nearest.distance <= kOnSurface * cage_.size;
    inside = on_surface || exact_winding(cage_, x) > 0.5;
    if (!inside && (options_.outside != CageOutside::extend || !basis_.extends_outside())) return false;
    if (on_surface && basis_.follows_faces()) {
      for (int k = 0; k < 3; ++k) w[cage_.mesh.triangles[nearest.triangle][k]] = nearest.barycentric[k];
    } else if (on_surface && basis_.ends_on_surface()) {
      evaluate_beside(nearest);
    } else {
      basis_.evaluate(x, w.data());
    }
    if (!options_.gradients) return true;
    // Differences stay on this side of the surface.
    const double step = std::min(basis_.step(), 0.3 * nearest.distance);
    if (step > 1e-7 * cage_.size)
      basis_.gradients(x, step, G_);
    else
      basis_.gradients(moved_inward(nearest, 2e-4), 3e-5 * cage_.size, G_);
    return true;
  }

 private:
  /// The coordinates of a place 1e-5 of the size inside, made to reproduce the one on the surface; at a corner, its
  /// own.
  void evaluate_beside(const SurfacePoint& nearest) {
    int corner = 0;
    if (nearest.barycentric.maxCoeff(&corner) > 1 - 1e-9) {
      w[cage_.mesh.triangles[nearest.triangle][corner]] = 1;
      return;
    }
    basis_.evaluate(moved_inward(nearest, 1e-5), w.data());
    PointWeights weights;
    for (int j = 0; j < cage_.point_count(); ++j)
      if (w[j] != 0) weights.emplace_back(j, w[j]);
    reproduce(weights, cage_.mesh.points, nearest.position);
    for (const auto& [j, weight] : weights) w[j] = weight;
  }

  /// A place inside near a point of the surface, `by` of the size away: behind its face, and from an edge or a corner
  /// towards the middle of the face as well.
  Vec3 moved_inward(const SurfacePoint& nearest, double by) const {
    const auto [a, b, c] = cage_.corners(nearest.triangle);
    const Vec3 n = cage_.tree.normal(nearest.triangle), &x = nearest.position;
    const bool inner = nearest.barycentric.minCoeff() > 1e-6;
    const Vec3 direction = inner ? Vec3(-n) : Vec3(((a + b + c) / 3 - x).normalized() - 0.3 * n);
    return x + by * cage_.size * direction;
  }

  const PreparedCage& cage_;
  const CageBasis& basis_;
  const CageOptions& options_;
  Eigen::Matrix3Xd G_;
};

/// Makes gradients of the entries kept give sum g = 0 and sum (c_j - x) g_j^T = I again, by the least change in
/// proportion to the weights' size, as `reproduce` does for the weights.
void reproduce_gradients(const PointWeights& weights, In cage_points, const Vec3& x, bool places,
                         std::vector<Vec3>& gradients) {
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  Eigen::Matrix<double, 4, 3> missing = Eigen::Matrix<double, 4, 3>::Zero();
  if (places) missing.bottomRows<3>().setIdentity();
  const auto features = [&](int j) {
    const Vec3 d = point(cage_points, j) - x;
    return places ? Vec4(1, d.x(), d.y(), d.z()) : Vec4(1, 0, 0, 0);
  };
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Vec4 f = features(weights[k].first);
    moments += std::abs(weights[k].second) * f * f.transpose();
    missing -= f * gradients[k].transpose();
  }
  const double spread = std::sqrt(std::max(moments.diagonal().tail<3>().maxCoeff(), 1e-300));
  const Vec4 scale(1, 1 / spread, 1 / spread, 1 / spread);
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix4d> solver;
  solver.setThreshold(1e-9);
  solver.compute(scale.asDiagonal() * moments * scale.asDiagonal());
  const Eigen::Matrix<double, 4, 3> scaled = scale.asDiagonal() * missing;
  const Eigen::Matrix<double, 4, 3> by = scale.asDiagonal() * solver.solve(scaled);
  for (std::size_t k = 0; k < weights.size(); ++k)
    gradients[k] += std::abs(weights[k].second) * by.transpose() * features(weights[k].first);
}

struct Row {
  PointWeights weights;
  std::vector<Vec3> gradients;
};

/// Entries `from .. to` of what was found, without zeros and what may be dropped.
Row row_of(const PointCoordinates& found, int from, int to, double drop_below, bool gradients) {
  Row row;
  for (int j = from; j < to; ++j) {
    const bool zero = found.w[j] == 0 && (!gradients || found.gradients().col(j).isZero(0));
    if (zero || std::abs(found.w[j]) < drop_below) continue;
    row.weights.emplace_back(j - from, found.w[j]);
    if (gradients) row.gradients.emplace_back(found.gradients().col(j));
  }
  return row;
}

void append(CageRows& rows, const Row& row) {
  for (const auto& [index, weight] : row.weights) rows.index.push_back(index), rows.weight.push_back(weight);
  rows.gradient.insert(rows.gradient.end(), row.gradients.begin(), row.gradients.end());
  rows.start.push_back(static_cast<int>(rows.index.size()));
}

[[noreturn]] void refuse(const PreparedCage& cage, In points, const std::vector<int>& outside, bool extend) {
  double farthest = 0;
  int which = outside.front();
  for (const int i : outside)
    if (const double d = cage.tree.closest(point(points, i)).distance; d > farthest) farthest = d, which = i;
  char text[160];
  std::snprintf(text, sizeof text, "does not enclose %d of %d points; point %d is %.3g away from it",
                static_cast<int>(outside.size()), static_cast<int>(points.size() / 3), which, farthest);
  throw Error({.element = "cage",
               .value = std::to_string(which),
               .problem = text,
               .remedy = extend ? "enlarge it, or choose mean-value, whose coordinates go on outside"
                                : "enlarge it, or leave those points \"still\""});
}

}  // namespace

std::string_view name(CageFamily family) { return name_in(kFamilies, family); }
CageFamily cage_family(std::string_view name) { return find_in(kFamilies, name, "coordinates"); }
std::span<const CageFamily> cage_families() {
  static const auto all = [] {
    std::array<CageFamily, kFamilies.size()> each;
    for (std::size_t k = 0; k < each.size(); ++k) each[k] = kFamilies[k].kind;
    return each;
  }();
  return all;
}

void CageOptions::validate() const {
  require_option(nodes == 0 || (nodes >= 50 && nodes <= 200000), "cage's number of nodes", nodes,
                 "expected 50 to 200000, or 0");
  require_option(rays >= 16 && rays <= 1000000, "cage's number of rays", rays, "expected 16 to 1000000");
  require_option(drop_below >= 0 && drop_below < 0.1, "cage's smallest weight", drop_below, "expected 0 to 0.1");
}

PreparedCage::PreparedCage(TriMesh checked) : mesh(std::move(checked)), tree(mesh) {
  for (int j = 0; j < mesh.point_count(); ++j) point.emplace_back(rigspace::point(mesh.points, j));
  size = bounding_box(mesh.points).diagonal();
}

void CageBasis::gradients(const Vec3& x, double step, Eigen::Matrix3Xd& G) const {
  thread_local Vec low, high;
  for (int axis = 0; axis < 3; ++axis) {
    low.setZero(size()), high.setZero(size());
    evaluate(x - step * Vec3::Unit(axis), low.data());
    evaluate(x + step * Vec3::Unit(axis), high.data());
    G.row(axis) = (high - low) / (2 * step);
  }
}

Vec CageCoordinates::evaluate(In cage_points) const {
  Vec y = Vec::Zero(3 * static_cast<Eigen::Index>(count()));
  std::vector<Vec3> normals;
  for (const Triangle& t : faces.index.empty() ? std::vector<Triangle>{} : cage.triangles) {
    const Vec3 u = point(cage.points, t[1]) - point(cage.points, t[0]),
               v = point(cage.points, t[2]) - point(cage.points, t[0]);
    const Vec3 a = point(cage_points, t[1]) - point(cage_points, t[0]),
               b = point(cage_points, t[2]) - point(cage_points, t[0]);
    normals.push_back(green_stretch(u, v, a, b) * a.cross(b).normalized());
  }
  for (int i = 0; i < count(); ++i) {
    for (int e = points.start[i]; e < points.start[i + 1]; ++e)
      point(y, i) += points.weight[e] * point(cage_points, points.index[e]);
    for (int e = faces.start[i]; e < faces.start[i + 1]; ++e) point(y, i) += faces.weight[e] * normals[faces.index[e]];
  }
  return y;
}

struct CageSolver::Prepared {
  CageOptions options;
  PreparedCage cage;
  std::unique_ptr<CageBasis> basis;
};

CageSolver::CageSolver(const TriMesh& cage, const CageOptions& options) {
  options.validate();
  auto prepared = std::make_unique<Prepared>(Prepared{options, PreparedCage(checked_cage(cage)), nullptr});
  prepared->basis = make_basis(prepared->cage, options);
  prepared_ = std::move(prepared);
}
CageSolver::~CageSolver() = default;
CageSolver::CageSolver(CageSolver&&) noexcept = default;

CageCoordinates cage_coordinates(const TriMesh& cage, In points, const CageOptions& options) {
  return CageSolver(cage, options).coordinates(points);
}

CageCoordinates CageSolver::coordinates(In points) const {
  const auto& [options, prepared, basis] = *prepared_;
  const int count = static_cast<int>(points.size() / 3), cage_points = prepared.point_count();
  const bool green = options.family == CageFamily::green;
  std::vector<Row> rows(count), face_rows(count);
  CageCoordinates result{.family = options.family, .cage = prepared.mesh, .inside = std::vector<char>(count, 1)};
  parallel_ranges(count, 16, [&](int begin, int end) {
    PointCoordinates found(prepared, *basis, options);
    for (int i = begin; i < end; ++i) {
      const Vec3 x = point(points, i);
      const bool any = found.find(x);
      result.inside[i] = found.inside;
      if (!any) continue;
      rows[i] = row_of(found, 0, cage_points, green ? 0 : options.drop_below, options.gradients);
      if (green) face_rows[i] = row_of(found, cage_points, basis->size(), 0, options.gradients);
      if (green || options.drop_below == 0) continue;
      if (basis->reproduces_places()) {
        reproduce(rows[i].weights, prepared.mesh.points, x);
      } else {
        double sum = 0;
        for (const auto& each : rows[i].weights) sum += each.second;
        for (auto& each : rows[i].weights) each.second /= sum;
      }
      if (options.gradients)
        reproduce_gradients(rows[i].weights, prepared.mesh.points, x, basis->reproduces_places(), rows[i].gradients);
    }
  });
  std::vector<int> outside;
  for (int i = 0; i < count; ++i)
    if (!result.inside[i]) outside.push_back(i);
  const bool extended = options.outside == CageOutside::extend && basis->extends_outside();
  if (!outside.empty() && options.outside != CageOutside::still && !extended)
    refuse(prepared, points, outside, options.outside == CageOutside::extend);
  for (int i = 0; i < count; ++i) {
    append(result.points, rows[i]);
    append(result.faces, face_rows[i]);
  }
  return result;
}

}  // namespace rigspace
