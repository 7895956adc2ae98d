#include "rigspace/apps/forces/force_rig.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {

struct ForceRig::Memory final : Workspace {
  explicit Memory(const ForceBody& body) : lattice(body) {}
  PosedLattice lattice;
  ControlGraph::Memory graph;
  GraphJacobian du;
  Vec u, Q, y;
  std::vector<Affine> C, dC;
};

namespace {

/// Its own control runs from the first to the last sample, and rests where there is no force: at 0 if that is between.
Control own_control(const ForceRigPart& part) {
  const double low = part.samples.size() > 1 ? part.samples.front().at : 0,
               high = std::max(low, part.samples.back().at);
  return {.name = part.control,
          .node = part.control.substr(0, part.control.find_first_of(".:")),
          .rest = std::clamp(0.0, low, high),
          .min = low,
          .max = high > low ? high : 1,
          .group = "forces",
          .typical = 0.5 * (high > low ? high - low : 1)};
}

}  // namespace

ForceRig::ForceRig(std::shared_ptr<const ForceBody> body, std::vector<ForceRigPart> rigs)
    : body_(std::move(body)), rigs_(std::move(rigs)), surface_(body_->surface) {
  const ControlGraph& graph = *body_->skeleton.graph;
  std::set<int> used;
  for (const int slot : body_->skeleton.slots)
    used.insert(graph.controls_of(slot).begin(), graph.controls_of(slot).end());
  for (const ForceRigPart& part : rigs_) {
    check_rig_part(*body_, part);
    if (const int c = graph.find(part.control); c >= 0) used.insert(c);
  }
  graph_control_.assign(used.begin(), used.end());
  for (const int c : graph_control_) controls_.push_back(graph.controls()[c]);
  for (const ForceRigPart& part : rigs_) {
    int c = find_control(controls_, part.control);
    if (c < 0) c = static_cast<int>(controls_.size()), controls_.push_back(own_control(part));
    rig_control_.push_back(c);
  }
}

std::unique_ptr<Workspace> ForceRig::make_workspace() const { return std::make_unique<Memory>(*body_); }

Vec ForceRig::graph_controls(In p) const {
  const auto all = body_->skeleton.graph->controls();
  Vec full(static_cast<Eigen::Index>(all.size()));
  for (std::size_t c = 0; c < all.size(); ++c) full[c] = all[c].rest;
  for (std::size_t k = 0; k < graph_control_.size(); ++k) full[graph_control_[k]] = p[k];
  return full;
}

void ForceRig::joints_at(In p, std::vector<Affine>& C) const {
  Vec u;
  ControlGraph::Memory memory;
  body_->skeleton.graph->evaluate(graph_controls(p), u, memory);
  body_->skeleton.transforms(u, C);
}

Vec ForceRig::force_at(In p) const {
  Vec Q = Vec::Zero(3 * body_->vertex_count());
  for (std::size_t k = 0; k < rigs_.size(); ++k) add_rig_force(*body_, rigs_[k], p[rig_control_[k]], Q);
  return Q;
}

void ForceRig::equilibrium(Memory& memory, In p) const {
  const ForceSkeleton& skeleton = body_->skeleton;
  skeleton.graph->evaluate(graph_controls(p), memory.u, memory.graph);
  skeleton.transforms(memory.u, memory.C);
  memory.lattice.set_pose(memory.C);
  memory.Q = force_at(p);
  memory.lattice.shape_of(memory.Q, memory.y);
}

void ForceRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  equilibrium(memory, p);
  surface_.evaluate(memory.y, s);
}

// Of r = sum_e R K d + (twist) - R Q,  d = R^T y - X,  with dR = R [w]x:
//   dr_e = R (w x (K d)) - R K (w x (R^T y)),   d(R Q)_i = R_i (w_i x Q_i)
void ForceRig::pose_change(const Memory& memory, std::span<const Affine> dC, Vec& right, Vec& d_held) const {
  const PosedLattice& lattice = memory.lattice;
  const LatticeElements& elements = body_->elements;
  right.setZero(memory.y.size());
  for (int cell = 0; cell < elements.cell_count(); ++cell) {
    const Vec3 w = lattice.cell_frames().turn(cell, dC);
    if (w.isZero(0)) continue;
    const Mat3& R = lattice.elastic().frames()[cell];
    const Mat24& K = lattice.elastic().stiffness()[cell];
    const auto corners = elements.corners_of(cell);
    const Eigen::Matrix<double, 24, 1> f = K * lattice.elastic().displacement(cell, memory.y);
    Eigen::Matrix<double, 24, 1> turned;
    for (int c = 0; c < 8; ++c) turned.segment<3>(3 * c) = w.cross(Vec3(R.transpose() * point(memory.y, corners[c])));
    const Eigen::Matrix<double, 24, 1> Kt = K * turned;
    for (int c = 0; c < 8; ++c)
      point(right, corners[c]) -= R * (w.cross(Vec3(f.segment<3>(3 * c))) - Kt.segment<3>(3 * c));
  }
  lattice.twist().add_transform_change(dC, -1, right);
  Vec dQ = Vec::Zero(right.size()), force;
  for (int i = 0; i < body_->vertex_count(); ++i)
    if (!point(memory.Q, i).isZero(0))
      point(dQ, i) = lattice.vertex_frames().turn(i, dC).cross(Vec3(point(memory.Q, i)));
  lattice.turned(dQ, force);
  right += force;
  d_held.setZero(memory.y.size());
  for (const HeldVertex& each : body_->held)
    point(d_held, each.vertex) = apply(dC[each.bone], elements.lattice.vertices[each.vertex]);
  for (const Belt& belt : body_->belts) belt.satisfy(belt.places(dC), d_held);
}

void ForceRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  auto& memory = static_cast<Memory&>(workspace);
  equilibrium(memory, p);
  const ForceSkeleton& skeleton = body_->skeleton;
  std::vector<int> all(skeleton.graph->controls().size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
  skeleton.graph->jacobian(graph_controls(p), memory.u, all, memory.du, memory.graph);
  const int m = static_cast<int>(free.size()), n = surface_.count();
  J.columns = m;
  J.start.resize(static_cast<std::size_t>(n) + 1);
  J.column.resize(static_cast<std::size_t>(n) * m);
  J.value.resize(3, static_cast<Eigen::Index>(n) * m);
  for (int i = 0; i <= n; ++i) J.start[i] = i * m;
  memory.dC.resize(skeleton.slots.size());
  Vec right, d_held, product, dy, ds;
  for (int k = 0; k < m; ++k) {
    right.setZero(memory.y.size()), d_held = right;
    if (free[k] < static_cast<int>(graph_control_.size())) {
      const int c = graph_control_[free[k]];
      for (std::size_t j = 0; j < skeleton.slots.size(); ++j) {
        const auto& block = memory.du.slots[skeleton.slots[j]];
        const auto at = std::lower_bound(block.columns.begin(), block.columns.end(), c);
        memory.dC[j].setZero();
        if (at != block.columns.end() && *at == c)
          memory.dC[j] = compose_derivative_left(
              Eigen::Map<const Affine>(block.value.col(at - block.columns.begin()).data()), skeleton.inverse_rest[j]);
      }
      pose_change(memory, memory.dC, right, d_held);
    }
    Vec dQ = Vec::Zero(memory.y.size()), force;
    for (std::size_t r = 0; r < rigs_.size(); ++r)
      if (rig_control_[r] == free[k]) add_rig_force_slope(*body_, rigs_[r], p[free[k]], dQ);
    memory.lattice.turned(dQ, force);
    memory.lattice.assembled().multiply(d_held, product);
    memory.lattice.solve(right + force - product, dy);
    dy += d_held;
    body_->levels.spread(dy);
    surface_.evaluate(dy, ds);
    for (int i = 0; i < n; ++i) J.column[i * m + k] = k, J.value.col(i * m + k) = point(ds, i);
  }
}

void ForceRig::pull_pose(const Memory& memory, In lambda, In at_held, std::vector<Affine>& g_C) const {
  const PosedLattice& lattice = memory.lattice;
  const LatticeElements& elements = body_->elements;
  using Vec24 = Eigen::Matrix<double, 24, 1>;
  for (int cell = 0; cell < elements.cell_count(); ++cell) {
    const Mat3& R = lattice.elastic().frames()[cell];
    const auto corners = elements.corners_of(cell);
    const Vec24 f = lattice.elastic().stiffness()[cell] * lattice.elastic().displacement(cell, memory.y);
    Vec24 l;
    for (int c = 0; c < 8; ++c) l.segment<3>(3 * c) = R.transpose() * point(lambda, corners[c]);
    const Vec24 Kl = lattice.elastic().stiffness()[cell] * l;
    Vec3 g = Vec3::Zero();
    for (int c = 0; c < 8; ++c) {
      const Vec3 turned = R.transpose() * point(memory.y, corners[c]);
      g -= Vec3(f.segment<3>(3 * c)).cross(Vec3(l.segment<3>(3 * c))) - turned.cross(Vec3(Kl.segment<3>(3 * c)));
    }
    lattice.cell_frames().add_turn_gradient(cell, g, g_C);
  }
  lattice.twist().add_transform_gradient(lambda, -1, g_C);
  Vec rested;
  lattice.turned_back(lambda, rested);
  for (int i = 0; i < body_->vertex_count(); ++i) {
    const Vec3 Q = point(memory.Q, i), l = point(rested, i);
    if (!Q.isZero(0) && !l.isZero(0)) lattice.vertex_frames().add_turn_gradient(i, Q.cross(l), g_C);
  }
  for (const HeldVertex& each : body_->held) {
    const Vec3 g = point(at_held, each.vertex);
    linear(g_C[each.bone]) += g * elements.lattice.vertices[each.vertex].transpose();
    translation(g_C[each.bone]) += g;
  }
  for (const Belt& belt : body_->belts) belt.add_transform_gradient(at_held, g_C);
}

// lambda = A^-1 E^T g at free vertices;  g_p = - lambda . dr/dp + (E^T g - A lambda) . dy_held/dp.
void ForceRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  auto& memory = static_cast<Memory&>(workspace);
  equilibrium(memory, p);
  const ForceSkeleton& skeleton = body_->skeleton;
  Vec at = Vec::Zero(memory.y.size()), lambda, product;
  surface_.add_transposed(g, at);
  body_->levels.fold(at);
  memory.lattice.solve(at, lambda);
  memory.lattice.assembled().multiply(lambda, product);
  std::vector<Affine> g_C(skeleton.slots.size(), Affine::Zero());
  pull_pose(memory, lambda, at - product, g_C);
  Vec g_u = Vec::Zero(skeleton.graph->size()), g_graph;
  for (std::size_t j = 0; j < skeleton.slots.size(); ++j) {
    Eigen::Map<Affine> g_world(g_u.data() + skeleton.graph->slots()[skeleton.slots[j]].offset);
    linear(g_C[j]) *= linear(skeleton.inverse_rest[j]).transpose();
    linear(g_C[j]) += translation(g_C[j]) * translation(skeleton.inverse_rest[j]).transpose();
    g_world += g_C[j];
  }
  skeleton.graph->pull(graph_controls(p), memory.u, g_u, g_graph, memory.graph);
  g_p.setZero(static_cast<Eigen::Index>(controls_.size()));
  for (std::size_t k = 0; k < graph_control_.size(); ++k) g_p[k] = g_graph[graph_control_[k]];
  Vec force;
  for (std::size_t r = 0; r < rigs_.size(); ++r) {
    Vec dQ = Vec::Zero(memory.y.size());
    add_rig_force_slope(*body_, rigs_[r], p[rig_control_[r]], dQ);
    memory.lattice.turned(dQ, force);
    g_p[rig_control_[r]] += lambda.dot(force);
  }
}

std::unique_ptr<Rig> ForceRig::restricted(std::span<const int> points) const {
  auto part = std::make_unique<ForceRig>(body_, rigs_);
  part->surface_ = surface_.restricted(points);
  return part;
}

Character force_character(const Character& character, std::shared_ptr<const ForceRig> rig) {
  Character made = character;
  made.rig = rig;
  for (Animation& clip : made.clips) {
    std::erase_if(clip.tracks, [&](const Track& track) { return rig->find(track.control) < 0; });
    std::erase_if(clip.rotations, [&](const RotationTrack& track) { return rig->find(track.node + ".qx") < 0; });
  }
  return made;
}

}  // namespace rigspace
