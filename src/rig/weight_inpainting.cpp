#include "weight_inpainting.h"

#include "rigspace/base/parallel.h"
#include "rigspace/optimize/sparse_system.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Rows of K by point: the neighbours with their entries, the point itself first.
struct StiffnessRow {
  std::vector<int> points;
  Vec values;
};

struct SurfaceStiffness {
  std::vector<StiffnessRow> rows;
  Vec areas;  // of the points, a third of each triangle
};

SurfaceStiffness cotangent_stiffness(const TriMesh& surface) {
  const EdgeTable edges = edge_table(surface);
  SurfaceStiffness K{.rows = std::vector<StiffnessRow>(surface.point_count()),
                     .areas = Vec::Zero(surface.point_count())};
  const double mean_area = area(surface) / std::max(surface.triangle_count(), 1);
  for (const Triangle& t : surface.triangles) {
    const Vec3 a = point(surface.points, t[0]), b = point(surface.points, t[1]), c = point(surface.points, t[2]);
    // Triangles almost without area would make points weightless.
    const double own = std::max(0.5 * (b - a).cross(c - a).norm(), 1e-3 * mean_area);
    for (const int v : t) K.areas[v] += own / 3;
  }
  for (int i = 0; i < surface.point_count(); ++i) K.rows[i].points.push_back(i);
  std::vector<std::vector<double>> entries(surface.point_count(), {0.0});
  for (int e = 0; e < edges.count(); ++e) {
    const auto [i, j] = edges.edges[e];
    double weight = 0;
    for (const int half : edges.uses(e)) {
      const Triangle& t = surface.triangles[half / 3];
      const Vec3 tip = point(surface.points, t[(half % 3 + 2) % 3]);
      const Vec3 u = point(surface.points, i) - tip, v = point(surface.points, j) - tip;
      weight += 0.5 * u.dot(v) / std::max(u.cross(v).norm(), 1e-3 * mean_area);
    }
    weight = std::max(weight, 0.01);  // an edge that no Delaunay triangulation has still joins its ends
    for (const auto& [at, to] : {std::pair{i, j}, std::pair{j, i}}) {
      K.rows[at].points.push_back(to);
      entries[at].push_back(-weight);
      entries[at][0] += weight;
    }
  }
  for (int i = 0; i < surface.point_count(); ++i)
    K.rows[i].values = Eigen::Map<const Vec>(entries[i].data(), static_cast<Eigen::Index>(entries[i].size()));
  return K;
}

void assemble(const SurfaceStiffness& K, double length, SparseSystem& system) {
  system.clear();
  Mat block;
  for (std::size_t i = 0; i < K.rows.size(); ++i) {
    const StiffnessRow& row = K.rows[i];
    const Eigen::Index count = row.values.size();
    // K M^-1 K is the sum over points of row^T row / area; K that of its edges, half of each here and half there.
    block =
        length * length / std::max(K.areas[static_cast<Eigen::Index>(i)], 1e-300) * row.values * row.values.transpose();
    for (Eigen::Index k = 1; k < count; ++k) {
      const double half = -0.5 * row.values[k];
      block(0, 0) += half, block(k, k) += half, block(0, k) -= half, block(k, 0) -= half;
    }
    system.add_coordinates(row.points, block.data());
  }
  system.finish();
}

}  // namespace

void inpaint_weights(const TriMesh& surface, const std::vector<char>& fixed, Mat& W) {
  if (std::all_of(fixed.begin(), fixed.end(), [](char held) { return held != 0; })) return;
  SparseSystem system(surface.point_count(), 1);
  assemble(cotangent_stiffness(surface), bounding_box(surface.points).diagonal(), system);
  system.set_fixed(fixed);
  // The shift, if one is needed at all, is far below what weights resolve.
  for (double shift = 0; !system.factor(shift) && shift < 1; shift = std::max(10 * shift, 1e-14)) {
  }
  Vec known, residual, change;
  for (Eigen::Index joint = 0; joint < W.cols(); ++joint) {
    known = W.col(joint);
    for (std::size_t i = 0; i < fixed.size(); ++i)
      if (fixed[i] == 0) known[static_cast<Eigen::Index>(i)] = 0;
    if (known.isZero(0)) {
      W.col(joint).setZero();
      continue;
    }
    system.multiply(known, residual);
    residual = -residual;
    system.solve(residual, change);
    W.col(joint) = known + change;
  }
}

void smooth_over_edges(const EdgeTable& edges, double share, Mat& W) {
  Mat sum = Mat::Zero(W.rows(), W.cols());
  Vec degree = Vec::Zero(W.rows());
  for (const auto& [i, j] : edges.edges) {
    sum.row(i) += W.row(j), sum.row(j) += W.row(i);
    degree[i] += 1, degree[j] += 1;
  }
  for (Eigen::Index i = 0; i < W.rows(); ++i)
    if (degree[i] > 0) W.row(i) = (1 - share) * W.row(i) + share / degree[i] * sum.row(i);
}

}  // namespace rigspace
