#pragma once
// Graphs under test: bodies with controls, and rigs that show what a slot does.

#include "rigs.h"
#include "rigspace/rig/points.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

namespace rigspace::testing {

/// A node that is turned and scaled a little, so that mistakes of frame show.
inline int add_body(ControlGraph& graph, const std::string& name, const Vec3& position, int parent = -1) {
  NodeDescription node{.name = name, .parent_slot = parent, .translation = position};
  node.rotation = Quat(rotation_exp(Vec3(0.2, -0.3, 0.1)));
  node.scale = Vec3(1.1, 0.9, 1.05);
  node.typical_length = 0.3;
  return add_node(graph, node);
}

/// Without rotation and scale.
inline int add_plain(ControlGraph& graph, const std::string& name, const Vec3& position, int parent = -1) {
  NodeDescription node{.name = name, .parent_slot = parent, .translation = position, .typical_length = 0.3};
  return add_node(graph, node);
}

inline int add_number(ControlGraph& graph, const std::string& name, double rest, double typical = 0.3) {
  return graph.add_control({.name = name, .node = name, .rest = rest, .typical = typical});
}

inline Vec rest_pose(const ControlGraph& graph) {
  Vec p(static_cast<Eigen::Index>(graph.controls().size()));
  for (Eigen::Index k = 0; k < p.size(); ++k) p[k] = graph.controls()[k].rest;
  return p;
}

inline Vec slots_at(const ControlGraph& graph, In p) {
  Vec u;
  ControlGraph::Memory memory;
  graph.evaluate(p, u, memory);
  return u;
}

inline Affine transform_of(const ControlGraph& graph, In p, int slot) {
  return transform_at(slots_at(graph, p), graph.slots()[slot]);
}
inline Vec3 position_of(const ControlGraph& graph, In p, int slot) {
  const Slot s = graph.slots()[slot];
  return slots_at(graph, p).segment<3>(s.offset + s.size - 3);
}

inline void set(const ControlGraph& graph, Vec& p, const std::string& control, double value) {
  ASSERT_GE(graph.find(control), 0) << control;
  p[graph.find(control)] = value;
}
/// The three controls of `<name>.<channel>x y z`.
inline void set3(const ControlGraph& graph, Vec& p, const std::string& name, const Vec3& value) {
  for (int k = 0; k < 3; ++k) set(graph, p, name + std::string(1, "xyz"[k]), value[k]);
}

/// Four points on every transform of `slots`.
inline std::unique_ptr<BuiltInRig> cloud_on(std::shared_ptr<ControlGraph> graph, const std::vector<int>& slots) {
  std::vector<std::unique_ptr<Deformer>> deformers;
  for (std::size_t k = 0; k < slots.size(); ++k) deformers.push_back(make_rigid(4 * static_cast<int>(k), 4, slots[k]));
  return make_rig(graph, random_points(4 * static_cast<int>(slots.size()), 5), std::move(deformers));
}

inline Mat3 rotation_part(const Affine& A) {
  Mat3 R;
  R.col(0) = A.col(0).normalized();
  R.col(1) = (A.col(1) - A.col(1).dot(R.col(0)) * R.col(0)).normalized();
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

inline Mat jacobian_at(const BuiltInRig& rig, In p) {
  std::vector<int> all(rig.controls().size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  BlockJacobian J;
  const auto workspace = rig.make_workspace();
  rig.jacobian(*workspace, p, all, J);
  return J.dense();
}

/// The largest difference of the Jacobian at p from differences of fourth order with step h (of each control's typical
/// change), relative to the largest entry: for poses that check_rig does not visit.
inline double jacobian_error(const BuiltInRig& rig, In p, double h = 1e-4) {
  const Mat J = jacobian_at(rig, p);
  const auto workspace = rig.make_workspace();
  double worst = 0;
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const double step = h * rig.controls()[k].typical;
    const auto at = [&](double shift) {
      Vec moved = p, s;
      moved[k] += shift * step;
      rig.evaluate(*workspace, moved, s);
      return s;
    };
    const Vec D = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    worst = std::max(worst, (J.col(k) - D).cwiseAbs().maxCoeff());
  }
  return worst / J.cwiseAbs().maxCoeff();
}

}  // namespace rigspace::testing
