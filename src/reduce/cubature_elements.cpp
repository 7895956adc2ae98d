#include "cubature_elements.h"

#include <algorithm>

namespace rigspace {

CubatureElements::CubatureElements(const RigBody& body, std::span<const int> elements, const CubatureOptions& options) {
  std::vector<double> stiffness;
  std::vector<Tet> tets;
  for (const int e : elements) {
    const int first = 4 * static_cast<int>(tets.size());
    corners_.push_back(body.mesh.tets[e]);
    tets.push_back({first, first + 1, first + 2, first + 3});
    if (!options.stiffness.empty()) stiffness.push_back(options.stiffness[e]);
  }
  solid_.emplace(apart(body.mesh.points), tets, options.material, stiffness);
}

Vec CubatureElements::forces(In x, In x_rest) {
  Vec g = Vec::Zero(12 * static_cast<Eigen::Index>(count()));
  solid_->set_rest(apart(x_rest));
  const auto state = solid_->make_state();
  solid_->add_gradient(*state, apart(x), 1.0, g);
  // Steps balance the stress that elements with the bind shape have in the rest shape by a force of their own.
  if (solid_->fallbacks() > 0) solid_->add_gradient(*state, apart(x_rest), -1.0, g);
  return g;
}

std::vector<Mat12> CubatureElements::hessians(In x, In x_rest) {
  struct Take final : BlockSink {
    void add_coordinates(std::span<const int>, const double*) override {}
    void add_batch(int, std::span<const int> points, const double* H) override {
      for (std::size_t k = 0; k < points.size() / 4; ++k)
        blocks[points[4 * k] / 4] = Eigen::Map<const Mat12>(H + 144 * k);
    }
    std::vector<Mat12> blocks;
  } take;
  take.blocks.assign(count(), Mat12::Zero());
  solid_->set_rest(apart(x_rest));
  solid_->add_hessian(*solid_->make_state(), apart(x), 1.0, HessianMode::projected, take);
  return std::move(take.blocks);
}

/// The corners of all elements one after another.
Vec CubatureElements::apart(In x) const {
  Vec all(12 * static_cast<Eigen::Index>(corners_.size()));
  for (std::size_t k = 0; k < corners_.size(); ++k)
    for (int a = 0; a < 4; ++a)
      all.segment<3>(12 * static_cast<Eigen::Index>(k) + 3 * a) =
          x.segment<3>(3 * static_cast<Eigen::Index>(corners_[k][a]));
  return all;
}

void ElementRows::gather(const BlockJacobian& of_nodes, const Tet& corners) {
  columns.clear();
  for (const int node : corners)
    columns.insert(columns.end(), of_nodes.column.begin() + of_nodes.start[node],
                   of_nodes.column.begin() + of_nodes.start[node + 1]);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  J.setZero(12, static_cast<Eigen::Index>(columns.size()));
  for (int a = 0; a < 4; ++a) {
    std::size_t at = 0;
    for (int k = of_nodes.start[corners[a]]; k < of_nodes.start[corners[a] + 1]; ++k) {
      while (columns[at] != of_nodes.column[k]) ++at;
      J.block<3, 1>(3 * a, static_cast<Eigen::Index>(at)) = of_nodes.value.col(k);
    }
  }
}

std::vector<int> moved_elements(const RigBody& body, const BlockJacobian& J) {
  std::vector<int> moved;
  for (int e = 0; e < body.mesh.tet_count(); ++e) {
    const Tet& tet = body.mesh.tets[e];
    if (std::any_of(tet.begin(), tet.end(), [&](int node) { return J.start[node] < J.start[node + 1]; }))
      moved.push_back(e);
  }
  return moved;
}

Vec reduced_force(const BlockJacobian& J, const CubatureElements& elements, In g,
                  std::span<const WeightedElement> weights, std::span<const int> places) {
  Vec on_nodes = Vec::Zero(3 * static_cast<Eigen::Index>(J.points()));
  for (int k = 0; k < elements.count(); ++k)
    for (int a = 0; a < 4; ++a) {
      const int node = elements.corners(k)[a], row = places.empty() ? node : places[node];
      on_nodes.segment<3>(3 * static_cast<Eigen::Index>(row)) +=
          (weights.empty() ? 1.0 : weights[k].weight) * g.segment<3>(12 * static_cast<Eigen::Index>(k) + 3 * a);
    }
  Vec f;
  J.pull(on_nodes, f);
  return f;
}

}  // namespace rigspace
