// The chain IK of the control graph as one of the methods of effector_ik.h.
#include "reach_tree.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>

namespace rigspace {

ReachResult reach_by_graph(std::span<const ReachJoint> joints, const Effector& effector, const ReachOptions& options) {
  std::vector<int> path;
  for (int j = effector.joint; j >= 0; j = joints[j].parent) path.push_back(j);
  std::reverse(path.begin(), path.end());
  ReachResult result;
  result.rotation.assign(joints.size(), Mat3::Identity());
  if (path.size() < 2) return result;
  ControlGraph graph;
  ChainIk ik{.name = "reach", .tolerance = options.tolerance};
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vec3 before = k == 0 ? Vec3(Vec3::Zero()) : joints[path[k - 1]].place;
    ik.joint_slots.push_back(add_node(graph, {.name = std::string("j") + std::to_string(k),
                                              .parent_slot = k == 0 ? -1 : ik.joint_slots.back(),
                                              .translation = joints[path[k]].place - before}));
    if (k + 1 < path.size()) ik.joints.push_back(joints[path[k]].limits);
  }
  ik.target_slot = add_point(graph, {.name = "target", .position = effector.target});
  const std::vector<int> posed = add_chain_ik(graph, ik);
  Vec p(std::ssize(graph.controls())), u;
  for (Eigen::Index c = 0; c < p.size(); ++c) p[c] = graph.controls()[c].rest;
  ControlGraph::Memory memory;
  graph.evaluate(p, u, memory);
  Mat3 above = Mat3::Identity();
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const Mat3 world = nearest_rotation(linear(transform_at(u, graph.slots()[posed[k]])));
    result.rotation[path[k]] = above.transpose() * world;
    above = world;
  }
  return result;
}

}  // namespace rigspace
