#include "lattice_weights.h"

#include "rigspace/base/error.h"
#include "rigspace/optimize/sparse_system.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kSmooth = 0.1;   // of an edge, beside a point of the surface
constexpr double kLeast = 1e-3;   // weights below are left out
constexpr std::size_t kMost = 8;  // joints of a vertex

void add_edges(const HexLattice& lattice, SparseSystem& system) {
  const Eigen::Matrix2d block = kSmooth * (Eigen::Matrix2d() << 1, -1, -1, 1).finished();
  for (const auto& edge : lattice_edges(lattice)) system.add_coordinates(edge, block.data());
}

/// The strongest, normalised.
std::vector<Influence> tidy(std::vector<Influence> row) {
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (row.size() > kMost) row.resize(kMost);
  double sum = 0;
  for (const Influence& of : row) sum += of.weight;
  for (Influence& of : row) of.weight /= sum;
  return row;
}

}  // namespace

std::vector<std::vector<Influence>> lattice_weights(const ForceSkeleton& skeleton, const HexLattice& lattice,
                                                    const HexEmbedding& surface, std::span<const HeldVertex> held) {
  const int n = lattice.vertex_count(), joints = skeleton.joint_count();
  SparseSystem system(n, 1);
  add_edges(lattice, system);
  Mat b = Mat::Zero(n, joints), fixed = Mat::Zero(n, joints);
  for (int i = 0; i < surface.count(); ++i) {
    if (skeleton.skin[i].empty()) continue;
    const Vec8& phi = surface.weights[i];
    const Mat8 block = phi * phi.transpose();
    system.add_coordinates(surface.corners[i], block.data());
    for (const Influence& of : skeleton.skin[i])
      for (int c = 0; c < 8; ++c) b(surface.corners[i][c], of.joint) += phi[c] * of.weight;
  }
  std::vector<char> mask(static_cast<std::size_t>(n), 0);
  for (const HeldVertex& vertex : held) mask[vertex.vertex] = 1, fixed(vertex.vertex, vertex.bone) = 1;
  system.finish();
  system.set_fixed(mask);
  if (!system.factor(0) && !system.factor(1e-9))
    throw Error({.element = "lattice", .problem = "has parts without skin or bones", .remedy = "use larger cells"});
  std::vector<std::vector<Influence>> rows(static_cast<std::size_t>(n));
  Vec product, w;
  for (int j = 0; j < joints; ++j) {
    const Vec held_weights = fixed.col(j);
    system.multiply(held_weights, product);
    system.solve(Vec(b.col(j) - product), w);
    w += held_weights;
    for (int i = 0; i < n; ++i)
      if (w[i] > kLeast) rows[i].push_back({j, w[i]});
  }
  for (auto& row : rows) {
    if (row.empty()) row.push_back({0, 1.0});
    row = tidy(std::move(row));
  }
  for (const HeldVertex& vertex : held) rows[vertex.vertex] = {{vertex.bone, 1.0}};
  return rows;
}

std::vector<std::vector<Influence>> rows_of_cells(const HexLattice& lattice,
                                                  const std::vector<std::vector<Influence>>& vertices) {
  std::vector<std::vector<Influence>> rows;
  for (const auto& cell : lattice.cells) {
    std::map<int, double> sum;
    for (const int i : cell)
      for (const Influence& of : vertices[i]) sum[of.joint] += of.weight / 8;
    auto& row = rows.emplace_back();
    for (const auto& [joint, weight] : sum) row.push_back({joint, weight});
  }
  return rows;
}

void hold_loose_parts(const HexLattice& lattice, const std::vector<std::vector<Influence>>& rows,
                      std::vector<HeldVertex>& held) {
  std::vector<int> part(lattice.vertices.size());
  std::iota(part.begin(), part.end(), 0);
  const auto find = [&](int i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  for (const auto& [i, j] : lattice_edges(lattice)) part[find(i)] = find(j);
  std::vector<int> count(part.size(), 0);
  std::vector<char> is_held(part.size(), 0);
  for (const HeldVertex& vertex : held) ++count[find(vertex.vertex)], is_held[vertex.vertex] = 1;
  std::vector<std::vector<double>> most(part.size());
  for (int i = 0; i < lattice.vertex_count(); ++i)
    for (const Influence& of : rows[i]) {
      auto& sums = most[find(i)];
      if (static_cast<int>(sums.size()) <= of.joint) sums.resize(of.joint + 1, 0.0);
      sums[of.joint] += of.weight;
    }
  for (int i = 0; i < lattice.vertex_count(); ++i) {
    const auto& sums = most[find(i)];
    if (count[find(i)] < 3 && is_held[i] == 0)
      held.push_back({i, static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin())});
  }
  std::sort(held.begin(), held.end(), [](const HeldVertex& a, const HeldVertex& b) { return a.vertex < b.vertex; });
}

}  // namespace rigspace
