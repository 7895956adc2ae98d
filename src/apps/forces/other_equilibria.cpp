#include "rigspace/apps/forces/other_equilibria.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/optimize/newton.h"

#include <Eigen/SparseLU>

namespace rigspace {
namespace {

/// E = - f . x.
class DeadLoad final : public Energy {
 public:
  explicit DeadLoad(Vec force) : force_(std::move(force)) {}
  double value(const State&, In x) const override { return -force_.dot(x); }
  void add_gradient(const State&, In, double weight, Vec& g) const override { g -= weight * force_; }
  void add_hessian(const State&, In, double, HessianMode, BlockSink&) const override {}

 private:
  Vec force_;
};

/// Sums what is added into triplets.
class Triplets final : public BlockSink {
 public:
  std::vector<Eigen::Triplet<double>> all;
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    const std::size_t n = coordinates.size();
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) all.emplace_back(coordinates[i], coordinates[j], H[j * n + i]);
  }
};

}  // namespace

struct VertexWarpedLattice::Factor {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

VertexWarpedLattice::VertexWarpedLattice(const ForceBody& body)
    : body_(&body),
      carrier_(body),
      stiffness_(body.elements.stiffness(body.options.material)),
      factor_(std::make_unique<Factor>()) {}

VertexWarpedLattice::~VertexWarpedLattice() = default;

bool VertexWarpedLattice::set_pose(std::span<const Affine> joints) {
  carrier_.set_pose_without_factor(joints);
  Triplets entries;
  const LatticeElements& elements = body_->elements;
  for (int cell = 0; cell < elements.cell_count(); ++cell) {
    const auto corners = elements.corners_of(cell);
    Mat24 A;
    for (int i = 0; i < 8; ++i) {
      const Mat3& R = carrier_.vertex_frames().rotation(corners[i]);
      for (int j = 0; j < 8; ++j)
        A.block<3, 3>(3 * i, 3 * j) = R * stiffness_[cell].block<3, 3>(3 * i, 3 * j) * R.transpose();
    }
    entries.add(corners, A.data());
  }
  carrier_.twist().add_hessian(State(), elements.lattice.points(), 1, HessianMode::projected, entries);
  const std::vector<char>& held = carrier_.held_mask();
  std::erase_if(entries.all, [&](const auto& e) { return held[e.row()] != 0 || held[e.col()] != 0; });
  const int size = 3 * body_->vertex_count();
  for (int i = 0; i < size; ++i)
    if (held[i] != 0) entries.all.emplace_back(i, i, 1.0);
  Eigen::SparseMatrix<double> A(size, size);
  A.setFromTriplets(entries.all.begin(), entries.all.end());
  factor_->lu.compute(A);
  return factor_->lu.info() == Eigen::Success;
}

void VertexWarpedLattice::elastic_force(In y, Vec& f) const {
  const LatticeElements& elements = body_->elements;
  f.setZero(y.size());
  for (int cell = 0; cell < elements.cell_count(); ++cell) {
    const auto corners = elements.corners_of(cell);
    for (int i = 0; i < 8; ++i) {
      const Mat3& R = carrier_.vertex_frames().rotation(corners[i]);
      Vec3 sum = Vec3::Zero();
      for (int j = 0; j < 8; ++j)
        sum += stiffness_[cell].block<3, 3>(3 * i, 3 * j) *
               (R.transpose() * point(y, corners[j]) - elements.lattice.vertices[corners[j]]);
      point(f, corners[i]) += R * sum;
    }
  }
}

void VertexWarpedLattice::residual(In y, Vec& r) const {
  elastic_force(y, r);
  carrier_.twist().add_gradient(State(), y, 1, r);
}

void VertexWarpedLattice::shape_of(In Q, Vec& y) {
  Vec r, force = Vec::Zero(3 * body_->vertex_count());
  carrier_.carried(y);
  carrier_.place_held(y);
  residual(y, r);
  if (Q.size() > 0) carrier_.turned(Q, force);
  force -= r;
  for (const HeldVertex& each : body_->held) point(force, each.vertex).setZero();
  y += factor_->lu.solve(force);
}

void VertexWarpedLattice::force_of(In y, Vec& Q) const {
  residual(y, Q);
  for (int i = 0; i < body_->vertex_count(); ++i)
    point(Q, i) = (carrier_.vertex_frames().rotation(i).transpose() * point(Q, i)).eval();
  for (const HeldVertex& each : body_->held) point(Q, each.vertex).setZero();
}

void blended_local_shape(const ForceBody& body, std::span<const Affine> joints, Vec& y) {
  PosedLattice rest(body);
  const std::vector<Affine> still(joints.size(), identity_affine());
  rest.set_pose(still);  // its factor serves all: only places change from frame to frame
  LatticeTwist twist(rest.twist());
  y.setZero(3 * body.vertex_count());
  Vec local, r, step;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Affine into = inverse(joints[k]);
    std::vector<Affine> seen(joints.begin(), joints.end());
    for (Affine& each : seen) each = compose(into, each);
    local = body.elements.lattice.points();
    for (const HeldVertex& each : body.held)
      point(local, each.vertex) = apply(seen[each.bone], body.elements.lattice.vertices[each.vertex]);
    r.setZero(local.size());
    rest.elastic().add_gradient(State(), local, 1, r);
    twist.set_transforms(seen);
    twist.add_gradient(State(), local, 1, r);
    rest.solve(Vec(-r), step);
    local += step;
    for (int i = 0; i < body.vertex_count(); ++i)
      for (const Influence& of : body.vertex_rows[i])
        if (of.joint == static_cast<int>(k)) point(y, i) += of.weight * apply(joints[k], point(local, i));
  }
}

Summary nonlinear_shape(const PosedLattice& lattice, In Q, Vec& y) {
  const ForceBody& body = lattice.body();
  const IdentityMapping whole(3 * body.vertex_count());
  const LatticeSolid solid(body.elements, body.options.material);
  Vec force = Vec::Zero(whole.size_q());
  if (Q.size() > 0) lattice.turned(Q, force);
  const DeadLoad load(force);
  Objective objective(whole);
  objective.add("solid", solid);
  objective.add("twist", lattice.twist());
  objective.add("load", load);
  lattice.place_held(y);
  Vec lower = Vec::Constant(y.size(), -std::numeric_limits<double>::infinity()), upper = -lower;
  for (Eigen::Index i = 0; i < y.size(); ++i)
    if (lattice.held_mask()[i] != 0) lower[i] = upper[i] = y[i];
  objective.set_bounds(lower, upper);
  return minimize(objective, y,
                  {.gradient_tolerance = 1e-8, .step_tolerance = 1e-10 * body.cell, .max_iterations = 200});
}

}  // namespace rigspace
