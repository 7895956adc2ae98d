#include "rigspace/geometry/hex_lattice.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace rigspace {
namespace {

constexpr double kBeyond = 1e-6;  // of a cell, that a place may lie outside it

double factor(int corner, int axis, const Vec3& u) { return (corner >> axis & 1) != 0 ? u[axis] : 1 - u[axis]; }

Vec3 corner_place(int corner) { return Vec3(corner & 1, corner >> 1 & 1, corner >> 2 & 1); }

std::string place_text(const Vec3& x) {
  char text[96];
  std::snprintf(text, sizeof text, "(%.3g, %.3g, %.3g)", x.x(), x.y(), x.z());
  return text;
}

}  // namespace

Vec8 trilinear(const Vec3& u) {
  Vec8 phi;
  for (int c = 0; c < 8; ++c) phi[c] = factor(c, 0, u) * factor(c, 1, u) * factor(c, 2, u);
  return phi;
}

Mat83 trilinear_gradient(const Vec3& u) {
  Mat83 d;
  for (int c = 0; c < 8; ++c)
    for (int a = 0; a < 3; ++a)
      d(c, a) = ((c >> a & 1) != 0 ? 1 : -1) * factor(c, (a + 1) % 3, u) * factor(c, (a + 2) % 3, u);
  return d;
}

Vec HexLattice::points() const {
  Vec x(3 * vertex_count());
  for (int i = 0; i < vertex_count(); ++i) point(x, i) = vertices[i];
  return x;
}

Mat3 HexLattice::jacobian(int cell, const Vec3& u) const {
  const Mat83 d = trilinear_gradient(u);
  Mat3 J = Mat3::Zero();
  for (int c = 0; c < 8; ++c) J += vertices[cells[cell][c]] * d.row(c);
  return J;
}

Vec3 HexLattice::position(int cell, const Vec3& u) const {
  const Vec8 phi = trilinear(u);
  Vec3 x = Vec3::Zero();
  for (int c = 0; c < 8; ++c) x += phi[c] * vertices[cells[cell][c]];
  return x;
}

double least_corner_volume(const HexLattice& lattice, int cell) {
  double least = std::numeric_limits<double>::infinity();
  for (int c = 0; c < 8; ++c) least = std::min(least, lattice.jacobian(cell, corner_place(c)).determinant());
  return least;
}

void HexLattice::validate(std::string_view what) const {
  const std::string name(what);
  for (int i = 0; i < vertex_count(); ++i)
    if (!vertices[i].allFinite())
      throw Error({.element = name,
                   .value = std::to_string(i),
                   .problem = "vertex " + std::to_string(i) + " is not finite",
                   .remedy = "coordinates are finite numbers"});
  for (int k = 0; k < cell_count(); ++k) {
    for (const int i : cells[k])
      if (i < 0 || i >= vertex_count())
        throw Error({.element = name,
                     .value = std::to_string(i),
                     .problem = "cell " + std::to_string(k) + " names vertex " + std::to_string(i),
                     .remedy = "there are " + std::to_string(vertex_count()) + ", numbered from 0"});
    if (!(least_corner_volume(*this, k) > 0))
      throw Error({.element = name,
                   .value = std::to_string(k),
                   .problem = "cell " + std::to_string(k) + " is folded",
                   .remedy = "move its vertices so that the cell has volume at every corner, lowest first"});
  }
}

std::vector<std::array<int, 2>> lattice_edges(const HexLattice& lattice) {
  std::vector<std::array<int, 2>> edges;
  for (const auto& cell : lattice.cells)
    for (int c = 0; c < 8; ++c)
      for (int a = 0; a < 3; ++a)
        if ((c >> a & 1) == 0) {
          const int i = cell[c], j = cell[c | 1 << a];
          edges.push_back({std::min(i, j), std::max(i, j)});
        }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<char> boundary_vertices(const HexLattice& lattice) {
  std::map<std::array<int, 4>, int> faces;
  const auto each_face = [&](const auto& visit) {
    for (const auto& cell : lattice.cells)
      for (int a = 0; a < 3; ++a)
        for (int side = 0; side < 2; ++side) {
          std::array<int, 4> face{};
          int n = 0;
          for (int c = 0; c < 8; ++c)
            if ((c >> a & 1) == side) face[n++] = cell[c];
          std::sort(face.begin(), face.end());
          visit(face);
        }
  };
  each_face([&](const auto& face) { ++faces[face]; });
  std::vector<char> boundary(lattice.vertices.size(), 0);
  for (const auto& [face, uses] : faces)
    if (uses == 1)
      for (const int i : face) boundary[i] = 1;
  return boundary;
}

HexTree::HexTree(const HexLattice& lattice) : lattice_(&lattice) {
  std::vector<Box> boxes(lattice.cells.size());
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    for (const int i : lattice.cells[k]) boxes[k].include(lattice.vertices[i]);
    const Vec3 more = Vec3::Constant(kBeyond * boxes[k].diagonal());
    boxes[k].low -= more, boxes[k].high += more;
  }
  bvh_ = Bvh(boxes);
}

bool HexTree::invert(int cell, const Vec3& x, Vec3& u) const {
  u = Vec3::Constant(0.5);
  for (int round = 0; round < 30; ++round) {
    const Vec3 step = lattice_->jacobian(cell, u).partialPivLu().solve(x - lattice_->position(cell, u));
    if (!step.allFinite()) return false;
    u = (u + step).cwiseMax(-1).cwiseMin(2);
    if (step.lpNorm<Eigen::Infinity>() < 1e-13) break;
  }
  const double size = std::cbrt(std::abs(lattice_->jacobian(cell, u).determinant()));
  return (x - lattice_->position(cell, u)).norm() < 1e-9 * size && u.minCoeff() > -kBeyond &&
         u.maxCoeff() < 1 + kBeyond;
}

HexPlace HexTree::find(const Vec3& x) const {
  HexPlace found;
  bvh_.traverse(
      [&](const Bvh::Node& node) {
        return found.cell < 0 && (x.array() >= node.low.array()).all() && (x.array() <= node.high.array()).all();
      },
      [&](int cell) {
        Vec3 u;
        if (found.cell < 0 && invert(cell, x, u)) found = {cell, u};
      });
  return found;
}

void HexEmbedding::evaluate(In y, Vec& x) const {
  x.resize(3 * count());
  for (int i = 0; i < count(); ++i) point(x, i) = evaluate(y, i);
}

Vec3 HexEmbedding::evaluate(In y, int i) const {
  Vec3 x = Vec3::Zero();
  for (int c = 0; c < 8; ++c) x += weights[i][c] * y.segment<3>(3 * corners[i][c]);
  return x;
}

void HexEmbedding::add_transposed(In g, Vec& g_y) const {
  for (int i = 0; i < count(); ++i)
    for (int c = 0; c < 8; ++c) g_y.segment<3>(3 * corners[i][c]) += weights[i][c] * g.segment<3>(3 * i);
}

HexEmbedding HexEmbedding::restricted(std::span<const int> points) const {
  HexEmbedding part;
  for (const int i : points) part.corners.push_back(corners[i]), part.weights.push_back(weights[i]);
  return part;
}

HexEmbedding embed(const HexLattice& lattice, In points, std::string_view what) {
  const HexTree tree(lattice);
  HexEmbedding embedding;
  int outside = 0;
  Vec3 first = Vec3::Zero();
  for (int i = 0; i < points.size() / 3; ++i) {
    const Vec3 x = point(points, i);
    const HexPlace place = tree.find(x);
    if (place.cell < 0) {
      if (outside++ == 0) first = x;
      continue;
    }
    embedding.corners.push_back(lattice.cells[place.cell]);
    embedding.weights.push_back(trilinear(place.u));
  }
  if (outside > 0)
    throw Error({.element = std::string(what),
                 .value = std::to_string(outside),
                 .problem = "does not contain the surface: " + std::to_string(outside) + " of " +
                            std::to_string(points.size() / 3) + " points are outside, the first at " +
                            place_text(first),
                 .remedy = "make it again for this surface"});
  return embedding;
}

}  // namespace rigspace
