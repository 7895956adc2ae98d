#include "rigspace/geometry/harmonic.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <Eigen/QR>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Which of the other nodes a carrier reaches.
std::vector<char> reached(const TetMesh& mesh, const std::vector<char>& carriers) {
  std::vector<char> seen(carriers);
  const NodeAdjacency edges = node_adjacency(mesh);
  std::vector<int> front;
  for (int i = 0; i < mesh.point_count(); ++i)
    if (seen[i]) front.push_back(i);
  while (!front.empty()) {
    const int i = front.back();
    front.pop_back();
    for (int e = edges.start[i]; e < edges.start[i + 1]; ++e)
      if (const int j = edges.neighbours[e]; !seen[j]) seen[j] = 1, front.push_back(j);
  }
  return seen;
}

/// L_ij = sum over tets of V grad phi_i . grad phi_j, as (i, j, value).
std::vector<Eigen::Triplet<double>> laplacian(const TetMesh& mesh) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(16 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    Mat3 D;
    for (int k = 0; k < 3; ++k)
      D.col(k) = mesh.points.segment<3>(3 * static_cast<Eigen::Index>(tet[k + 1])) -
                 mesh.points.segment<3>(3 * static_cast<Eigen::Index>(tet[0]));
    const double volume = D.determinant() / 6;
    if (!(volume > 0)) continue;
    Eigen::Matrix<double, 3, 4> gradient;
    gradient.rightCols<3>() = D.inverse().transpose();
    gradient.col(0) = -gradient.rightCols<3>().rowwise().sum();
    const Eigen::Matrix4d K = volume * gradient.transpose() * gradient;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) entries.emplace_back(tet[a], tet[b], K(a, b));
  }
  return entries;
}

auto place_of(const TetMesh& mesh, int node) { return mesh.points.segment<3>(3 * static_cast<Eigen::Index>(node)); }

/// The nearest carriers, evenly weighted.
std::vector<std::pair<int, double>> nearest_carriers(const TetMesh& mesh, const std::vector<int>& carriers, int node) {
  constexpr std::size_t kCount = 8;
  std::vector<std::pair<double, int>> by_distance;
  for (const int c : carriers) by_distance.emplace_back((place_of(mesh, c) - place_of(mesh, node)).squaredNorm(), c);
  const std::size_t count = std::min(kCount, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
  std::vector<std::pair<int, double>> weights;
  for (std::size_t k = 0; k < count; ++k) weights.emplace_back(by_distance[k].second, 1.0 / static_cast<double>(count));
  return weights;
}

}  // namespace

void reproduce(PointWeights& weights, In points, const Vec3& x) {
  const auto features = [&](int point) {
    const Vec3 d = points.segment<3>(3 * static_cast<Eigen::Index>(point)) - x;
    return Vec4(1, d.x(), d.y(), d.z());
  };
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  Vec4 missing(1, 0, 0, 0);
  for (const auto& [point, weight] : weights) {
    const Vec4 f = features(point);
    moments += std::abs(weight) * f * f.transpose();
    missing -= weight * f;
  }
  // Lengths in units of the spread, so that the rank does not depend on the scene's.
  const double spread = std::sqrt(std::max(moments.diagonal().tail<3>().maxCoeff(), 1e-300));
  const Vec4 scale(1, 1 / spread, 1 / spread, 1 / spread);
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix4d> solver;
  solver.setThreshold(1e-6);
  solver.compute(scale.asDiagonal() * moments * scale.asDiagonal());
  const Vec4 scaled_missing = scale.cwiseProduct(missing);
  const Vec4 ab = scale.cwiseProduct(Vec4(solver.solve(scaled_missing)));
  double sum = 0;
  for (auto& [point, weight] : weights) weight += std::abs(weight) * ab.dot(features(point)), sum += weight;
  // Points of a plane do not give a place beside it; they still move with each other.
  if (sum > 0.1 && std::abs(sum - 1) > 1e-9)
    for (auto& [point, weight] : weights) weight /= sum;
}

void HarmonicOptions::validate() const {
  require_option(drop_below >= 0 && drop_below < 0.1, "smallest weight", drop_below, "expected 0 to 0.1");
}

CarrierWeights harmonic_weights(const TetMesh& mesh, const std::vector<char>& carriers,
                                const HarmonicOptions& options) {
  options.validate();
  const int n = mesh.point_count();
  std::vector<int> fixed, inner, place(n, -1);
  const std::vector<char> seen = reached(mesh, carriers);
  for (int i = 0; i < n; ++i) {
    if (carriers[i]) place[i] = static_cast<int>(fixed.size()), fixed.push_back(i);
    if (!carriers[i] && seen[i]) place[i] = static_cast<int>(inner.size()), inner.push_back(i);
  }
  if (fixed.empty() && n > 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "harmonic weights",
                 .problem = "have no carrier",
                 .remedy = "name at least one node"});
  CarrierWeights weights(n);
  for (int i = 0; i < n; ++i) {
    if (carriers[i]) weights[i] = {{i, 1.0}};
    if (!carriers[i] && !seen[i])
      reproduce(weights[i] = nearest_carriers(mesh, fixed, i), mesh.points, place_of(mesh, i));
  }
  if (inner.empty()) return weights;

  std::vector<Eigen::Triplet<double>> among, across;
  for (const auto& entry : laplacian(mesh)) {
    const int i = entry.row(), j = entry.col();
    if (carriers[i] || !seen[i]) continue;
    (carriers[j] ? across : among).emplace_back(place[i], place[j], entry.value());
  }
  const auto rows = static_cast<Eigen::Index>(inner.size());
  Sparse L(rows, rows), L_nc(rows, static_cast<Eigen::Index>(fixed.size()));
  L.setFromTriplets(among.begin(), among.end());
  L_nc.setFromTriplets(across.begin(), across.end());
  const Eigen::SimplicialLDLT<Sparse> factor(L);
  constexpr Eigen::Index kColumns = 64;
  for (Eigen::Index first = 0; first < L_nc.cols(); first += kColumns) {
    const Eigen::Index columns = std::min(kColumns, L_nc.cols() - first);
    const Mat w = factor.solve(Mat(-L_nc.middleCols(first, columns)));
    for (Eigen::Index c = 0; c < columns; ++c)
      for (Eigen::Index k = 0; k < rows; ++k)
        if (std::abs(w(k, c)) > options.drop_below) weights[inner[k]].emplace_back(fixed[first + c], w(k, c));
  }
  if (!options.affine) return weights;
  parallel_ranges(static_cast<int>(inner.size()), 64, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) reproduce(weights[inner[k]], mesh.points, place_of(mesh, inner[k]));
  });
  return weights;
}

}  // namespace rigspace
