#include "rigspace/apps/forces/lattice_levels.h"

#include <algorithm>

namespace rigspace {

LatticeLevels::LatticeLevels(const SplitLattice& lattice) : hanging(lattice.hanging()) {
  std::vector<char> hangs(lattice.vertex_count(), 0);
  for (const HangingVertex& each : hanging) hangs[each.vertex] = 1;
  for (int i = 0; i < lattice.vertex_count(); ++i)
    if (const auto parents = lattice.parents(i); !parents.empty() && hangs[i] == 0)
      functions.push_back({i, {parents.begin(), parents.end()}});
}

const HangingVertex* LatticeLevels::find(int vertex) const {
  const auto at = std::lower_bound(hanging.begin(), hanging.end(), vertex,
                                   [](const HangingVertex& each, int i) { return each.vertex < i; });
  return at != hanging.end() && at->vertex == vertex ? &*at : nullptr;
}

void LatticeLevels::spread(Vec& values) const {
  for (const HangingVertex& each : hanging) {
    Vec3 sum = Vec3::Zero();
    for (const auto& [other, weight] : each.others) sum += weight * point(values, other);
    point(values, each.vertex) = sum;
  }
}

void LatticeLevels::fold(Vec& loads) const {
  for (const HangingVertex& each : hanging) {
    const Vec3 load = point(loads, each.vertex);
    for (const auto& [other, weight] : each.others) point(loads, other) += weight * load;
    point(loads, each.vertex).setZero();
  }
}

void LatticeLevels::to_coefficients(Vec& x) const {
  for (auto f = functions.rbegin(); f != functions.rend(); ++f)
    for (const int parent : f->parents)
      point(x, f->vertex) -= point(x, parent) / static_cast<double>(f->parents.size());
  for (const HangingVertex& each : hanging) point(x, each.vertex).setZero();
}

void LatticeLevels::to_values(Vec& q) const {
  for (const Function& f : functions)
    for (const int parent : f.parents) point(q, f.vertex) += point(q, parent) / static_cast<double>(f.parents.size());
  spread(q);
}

void LatticeLevels::to_loads(Vec& F) const {
  for (const HangingVertex& each : hanging) point(F, each.vertex).setZero();
  for (const Function& f : functions)
    for (const int parent : f.parents) point(F, parent) -= point(F, f.vertex) / static_cast<double>(f.parents.size());
}

void LatticeLevels::from_loads(Vec& loads) const {
  fold(loads);
  for (auto f = functions.rbegin(); f != functions.rend(); ++f)
    for (const int parent : f->parents)
      point(loads, parent) += point(loads, f->vertex) / static_cast<double>(f->parents.size());
}

FoldingSink::FoldingSink(const LatticeLevels& levels, int vertices, BlockSink& sink)
    : levels_(&levels), sink_(&sink), hangs_(vertices, -1) {
  for (std::size_t k = 0; k < levels.hanging.size(); ++k) hangs_[levels.hanging[k].vertex] = static_cast<int>(k);
}

// H' = W^T H W with W the weights of each of the block's points at what carries it.
void FoldingSink::add(std::span<const int> points, const double* H) {
  if (std::all_of(points.begin(), points.end(), [&](int i) { return hangs_[i] < 0; })) {
    sink_->add(points, H);
    return;
  }
  const auto n = static_cast<Eigen::Index>(points.size());
  others_.clear();
  weights_.setZero(n, 8 * n);
  const auto count = [&](Eigen::Index row, int other, double weight) {
    const auto found = std::find(others_.begin(), others_.end(), other);
    weights_(row, found - others_.begin()) += weight;
    if (found == others_.end()) others_.push_back(other);
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    const int hangs = hangs_[points[i]];
    if (hangs < 0) count(i, points[i], 1);
    if (hangs >= 0)
      for (const auto& [other, weight] : levels_->hanging[hangs].others) count(i, other, weight);
  }
  const auto m = static_cast<Eigen::Index>(others_.size());
  const Eigen::Map<const Mat> full(H, 3 * n, 3 * n);
  half_.setZero(3 * n, 3 * m), block_.setZero(3 * m, 3 * m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < m; ++k)
      if (weights_(i, k) != 0) half_.middleCols<3>(3 * k) += weights_(i, k) * full.middleCols<3>(3 * i);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < m; ++k)
      if (weights_(i, k) != 0) block_.middleRows<3>(3 * k) += weights_(i, k) * half_.middleRows<3>(3 * i);
  sink_->add(others_, block_.data());
}

}  // namespace rigspace
