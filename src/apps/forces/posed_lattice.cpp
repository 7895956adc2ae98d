#include "rigspace/apps/forces/posed_lattice.h"

#include "rigspace/base/error.h"

#include <algorithm>

namespace rigspace {
namespace {

double twist_stiffness(const ForceBody& body) {
  const double radius = body.options.twist_radius * body.cell;
  return body.options.twist * body.options.material.young / (radius * radius);
}

}  // namespace

PosedLattice::PosedLattice(const ForceBody& body, double inertia)
    : body_(&body),
      vertices_(body.vertex_rows),
      cells_(body.cell_rows),
      elastic_(body.elements, body.options.material),
      twist_(body.elements, body.options.twist > 0 ? body.twist_bones() : std::vector<LatticeTwist::Bone>{},
             twist_stiffness(body)),
      system_(3 * body.vertex_count()),
      mask_(body.held_mask()),
      belts_(basis_of_belts(body)),
      mass_(body.elements.mass(body.scaled_density())),
      inertia_(inertia),
      rest_(body.elements.lattice.points()) {}

void PosedLattice::set_pose_without_factor(std::span<const Affine> joints) {
  joints_.assign(joints.begin(), joints.end());
  vertices_.evaluate(joints_);
  cells_.evaluate(joints_);
  elastic_.set_frames(cells_.rotations());
  twist_.set_transforms(joints_);
}

void PosedLattice::set_pose(std::span<const Affine> joints) {
  if (std::equal(joints.begin(), joints.end(), joints_.begin(), joints_.end())) return;
  set_pose_without_factor(joints);
  system_.clear();
  FoldingSink folding(body_->levels, body_->vertex_count(), system_);
  BlockSink& sink = body_->levels.empty() ? static_cast<BlockSink&>(system_) : folding;
  elastic_.add_hessian(none_, rest_, 1, HessianMode::projected, sink);
  twist_.add_hessian(none_, rest_, 1, HessianMode::projected, sink);
  if (inertia_ > 0) add_inertia(sink);
  system_.finish();
  system_.set_fixed(mask_);
  factored_ = false;
}

void PosedLattice::factor() {
  if (factored_) return;
  factored_ = system_.factor(0);
  if (!factored_) {
    joints_.clear();
    throw Error({.code = ErrorCode::not_converged,
                 .element = "lattice",
                 .problem = "has no equilibrium in this pose",
                 .remedy = "some of its cells hold no flesh: use larger cells"});
  }
}

void PosedLattice::add_inertia(BlockSink& sink) {
  for (int cell = 0; cell < body_->elements.cell_count(); ++cell) {
    Mat24 H;
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) H.block<3, 3>(3 * i, 3 * j) = inertia_ * mass_[cell](i, j) * Mat3::Identity();
    sink.add(body_->elements.corners_of(cell), H.data());
  }
}

void PosedLattice::mass_times(In v, Vec& Mv) const {
  Mv.setZero(v.size());
  for (int cell = 0; cell < body_->elements.cell_count(); ++cell) {
    const auto corners = body_->elements.corners_of(cell);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) point(Mv, corners[i]) += mass_[cell](i, j) * point(v, corners[j]);
  }
}

void PosedLattice::residual(In y, Vec& r) const {
  r.setZero(y.size());
  elastic_.add_gradient(none_, y, 1, r);
  twist_.add_gradient(none_, y, 1, r);
}

void PosedLattice::place_held(Vec& y) const {
  for (const HeldVertex& each : body_->held)
    point(y, each.vertex) = apply(joints_[each.bone], point(rest_, each.vertex));
  for (const Belt& belt : body_->belts) belt.satisfy(belt.places(joints_), y);
  body_->levels.spread(y);
}

void PosedLattice::carried(Vec& y) const {
  y.resize(rest_.size());
  for (int i = 0; i < body_->vertex_count(); ++i) point(y, i) = apply(vertices_.blend(i), point(rest_, i));
  body_->levels.spread(y);
}

void PosedLattice::turned(In Q, Vec& force) const {
  force.resize(Q.size());
  for (int i = 0; i < body_->vertex_count(); ++i)
    point(force, i) = mask_[3 * i] != 0 ? Vec3(Vec3::Zero()) : Vec3(vertices_.rotation(i) * point(Q, i));
  if (body_->levels.empty()) return;
  body_->levels.to_loads(force);
  for (const HeldVertex& each : body_->held) point(force, each.vertex).setZero();
}

void PosedLattice::turned_back(In u, Vec& v) const {
  v = u;
  if (!body_->levels.empty()) {
    for (const HeldVertex& each : body_->held) point(v, each.vertex).setZero();
    body_->levels.to_coefficients(v);
  }
  turn_to_rest(v);
}

void PosedLattice::unturned(In force, Vec& Q) const {
  Q = force;
  if (!body_->levels.empty()) {
    body_->levels.fold(Q);
    for (const HeldVertex& each : body_->held) point(Q, each.vertex).setZero();
    body_->levels.from_loads(Q);
  }
  turn_to_rest(Q);
}

void PosedLattice::turn_to_rest(Vec& v) const {
  for (int i = 0; i < body_->vertex_count(); ++i)
    point(v, i) = mask_[3 * i] != 0 ? Vec3(Vec3::Zero()) : Vec3(vertices_.rotation(i).transpose() * point(v, i));
}

// From y0, where bones alone take the vertices:  A (y - y0) = R Q - (A y0 - b). The step is small, which keeps digits.
void PosedLattice::shape_of(In Q, Vec& y) {
  carried(y);
  place_held(y);
  residual(y, right_);
  right_ = -right_;
  if (Q.size() > 0) {
    turned(Q, step_);
    right_ += step_;
  }
  solve(right_, step_);
  y += step_;
}

void PosedLattice::force_of(In y, Vec& Q) const {
  Vec r;
  residual(y, r);
  unturned(r, Q);
}

void PosedLattice::solve_free(In g, Vec& u) {
  factor();
  system_.solve(g, u);
}

void PosedLattice::solve(In g, Vec& u) {
  factor();
  if (body_->levels.empty()) {
    solve_within_belts(system_, belts_, g, u);
    return;
  }
  folded_ = g;
  body_->levels.fold(folded_);
  solve_within_belts(system_, belts_, folded_, u);
  body_->levels.spread(u);
}

}  // namespace rigspace
