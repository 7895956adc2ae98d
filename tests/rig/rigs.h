#pragma once
// Small rigs that several tests use.

#include "rigspace/base/parallel.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <random>
#include <span>
#include <vector>

namespace rigspace::testing {

inline Vec random_points(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Vec::NullaryExpr(3 * count, [&] { return uniform(random); });
}

/// All that a rig answers at p for the controls `free`, on this many threads, as one row of numbers.
inline std::vector<double> answers(const Rig& rig, In p, std::span<const int> free, int threads) {
  const ThreadCountScope scope(threads);
  const auto workspace = rig.make_workspace();
  Vec s, g_p;
  BlockJacobian J;
  rig.evaluate(*workspace, p, s);
  rig.jacobian(*workspace, p, free, J);
  rig.pull(*workspace, p, random_points(rig.point_count(), 9), g_p);
  std::vector<double> all(s.data(), s.data() + s.size());
  all.insert(all.end(), J.value.data(), J.value.data() + J.value.size());
  all.insert(all.end(), g_p.data(), g_p.data() + g_p.size());
  return all;
}

/// Each point follows `influences` random joints, with weights that sum to one.
inline SkinDescription random_skin(int points, int influences, const std::vector<int>& joint_slots,
                                   std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.05, 1);
  std::uniform_int_distribution<int> any(0, static_cast<int>(joint_slots.size()) - 1);
  SkinDescription skin{.joint_slots = joint_slots, .inverse_bind = {}, .influences = {}};
  for (std::size_t j = 0; j < joint_slots.size(); ++j) {
    Affine bind = Affine::Identity();
    bind.col(3) = Vec3(0.1 * static_cast<double>(j), -0.5 * static_cast<double>(j), 0.05);
    bind.leftCols<3>() = rotation_exp(Vec3(0.3, -0.2, 0.1) * static_cast<double>(j));
    skin.inverse_bind.push_back(bind);
  }
  skin.influences.resize(points);
  for (auto& list : skin.influences) {
    double sum = 0;
    for (int k = 0; k < influences; ++k) {
      list.push_back({any(random), uniform(random)});
      sum += list.back().weight;
    }
    for (auto& influence : list) influence.weight /= sum;
  }
  return skin;
}

/// A branching tree of glTF nodes; returns their slots.
inline std::vector<int> add_tree(ControlGraph& graph, int nodes) {
  std::vector<int> slots;
  for (int k = 0; k < nodes; ++k) {
    NodeDescription node{.name = "joint" + std::to_string(k)};
    node.parent_slot = k == 0 ? -1 : slots[(k - 1) / 2];
    node.translation = Vec3(0.2, 0.5, -0.1);
    node.rotation = Quat(rotation_exp(Vec3(0.4, 0.1 * k, -0.2)));
    node.scale = Vec3(1, 1.1, 0.9);
    if (k == 2) node.constant.leftCols<3>() << 1, 0.2, 0, 0, 1, 0.1, 0, 0, 1;
    slots.push_back(add_node(graph, node));
  }
  return slots;
}

inline std::unique_ptr<BuiltInRig> make_rig(std::shared_ptr<ControlGraph> graph, Vec points,
                                            std::vector<std::unique_ptr<Deformer>> deformers) {
  std::vector<std::shared_ptr<const Deformer>> shared;
  for (auto& deformer : deformers) shared.push_back(std::move(deformer));
  return std::make_unique<BuiltInRig>(std::move(graph), std::move(points), std::move(shared));
}

template <class... Deformers>
std::unique_ptr<BuiltInRig> make_rig_of(std::shared_ptr<ControlGraph> graph, Vec points, Deformers... deformers) {
  std::vector<std::unique_ptr<Deformer>> list;
  (list.push_back(std::move(deformers)), ...);
  return make_rig(std::move(graph), std::move(points), std::move(list));
}

}  // namespace rigspace::testing
