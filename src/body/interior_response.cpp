#include "rigspace/body/interior_response.h"

#include "rigspace/base/error.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/solid.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/optimize/bordered_system.h"
#include "rigspace/optimize/objective.h"

#include <algorithm>

namespace rigspace {
namespace {

/// The map in which interior nodes are unknowns and skin nodes are tied to the rig or held.
RigSpaceDescription with_inside_free(const RigBody& body, std::span<const int> free) {
  RigSpaceDescription map{.rig = body.rig, .free = {free.begin(), free.end()}, .node_count = body.node_count()};
  for (int i = 0; i < body.node_count(); ++i) {
    if (!body.skin[i]) {
      map.interior.push_back(i);
      continue;
    }
    if (body.is_held(i)) continue;
    map.bound.push_back(i);
    map.ties.append(body.ties, i);
  }
  return map;
}

/// -K_nn^-1 K_nb J_b - W J_b at a state of the body; entries below `least` of the largest in a row are left out.
BlockJacobian response_at(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                          const Solid& solid, In p, In x_at, double least) {
  RigSpaceMapping mapping(with_inside_free(body, free));
  mapping.set_key(p, x_at);
  const std::vector<int>& inside = mapping.description().interior;
  const Eigen::Index controls = mapping.control_size();
  BlockJacobian C{.columns = static_cast<int>(controls)};
  C.start.assign(static_cast<std::size_t>(body.node_count()) + 1, 0);
  C.value.resize(3, 0);
  if (inside.empty() || controls == 0) return C;

  Objective elastic(mapping);
  elastic.add("solid", solid);
  ObjectiveState state = elastic.make_state();
  Vec q = mapping.coordinates(x_at, p), x, g;
  elastic.evaluate(state, q, x);
  elastic.refresh(state, q, x, Phase::step);
  elastic.gradient(state, q, x, g);
  const auto system = mapping.make_system(*state.mapping);
  elastic.assemble(state, q, x, HessianMode::projected, false, *system);
  auto& bordered = dynamic_cast<BorderedSystem&>(*system);
  for (double shift = 1e-12; !bordered.interior().factor(shift); shift *= 100)
    if (shift > 1) return C;

  Mat balance(mapping.interior_size(), controls), carried(balance.rows(), controls);
  Vec dx, dq = Vec::Zero(mapping.size_q());
  for (Eigen::Index c = 0; c < controls; ++c) {
    Vec u;
    bordered.interior().solve(-bordered.border().col(c), u);
    balance.col(c) = u;
    dq.tail(controls) = Vec::Unit(controls, c);
    mapping.push(*state.mapping, dq, dx);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      Vec3 sum = Vec3::Zero();
      for (const auto& [node, weight] : interior[inside[k]]) sum += weight * point(dx, node);
      carried.col(c).segment<3>(3 * static_cast<Eigen::Index>(k)) = sum;
    }
  }

  std::vector<Vec3> values;
  std::size_t k = 0;
  for (int i = 0; i < body.node_count(); ++i) {
    if (k < inside.size() && inside[k] == i) {
      const auto row = [&](const Mat& M, Eigen::Index c) -> Vec3 {
        return M.col(c).segment<3>(3 * static_cast<Eigen::Index>(k));
      };
      const auto way = [&](const Vec3& v, Eigen::Index c) { return v.norm() * body.rig->controls()[free[c]].typical; };
      double most = 0;
      for (Eigen::Index c = 0; c < controls; ++c) most = std::max(most, way(row(balance, c), c));
      for (Eigen::Index c = 0; c < controls; ++c) {
        const Vec3 beside = row(balance, c) - row(carried, c);
        if (way(beside, c) <= least * most) continue;
        C.column.push_back(static_cast<int>(c)), values.push_back(beside);
      }
      ++k;
    }
    C.start[static_cast<std::size_t>(i) + 1] = static_cast<int>(C.column.size());
  }
  C.value.resize(3, std::ssize(values));
  for (std::size_t e = 0; e < values.size(); ++e) C.value.col(static_cast<Eigen::Index>(e)) = values[e];
  return C;
}

}  // namespace

BlockJacobian interior_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                                const Material& material, std::span<const double> stiffness, double least) {
  const Solid solid(body.mesh.points, body.mesh.tets, material, stiffness);
  return response_at(body, free, interior, solid, body.rig->rest(), body.mesh.points, least);
}

LoadedResponse loaded_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               const Material& material, std::span<const LoadedPose> poses) {
  constexpr double kLeast = 0.01;
  if (poses.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "loaded response",
                 .problem = "was given no pose in balance",
                 .remedy = "give one at least"});
  const Solid solid(body.mesh.points, body.mesh.tets, material);
  RegionFrames frames(body.mesh.points, LinearRigFrames().regions);
  LoadedResponse loaded{response_at(body, free, interior, solid, poses[0].p, poses[0].x, kLeast), {}};
  BlockJacobian& C = loaded.C;
  LoadedOffsets& offsets = loaded.offsets;
  offsets.p = poses[0].p;
  offsets.values = Mat::Zero(body.mesh.points.size(), std::ssize(poses));
  std::vector<Vec> controls;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const auto& [p, x] = poses[k];
    controls.push_back(p);
    frames.turn(x);
    for (int i = 0; i < body.node_count(); ++i) {
      if (body.skin[i]) continue;
      const Mat3 back = frames.of(i).transpose();
      Vec3 beside = point(x, i);
      for (const auto& [node, weight] : interior[i]) beside -= weight * point(x, node);
      beside = (back * beside).eval();
      for (int e = C.start[i]; e < C.start[i + 1]; ++e) {
        const int c = free[C.column[e]];
        if (k == 0) C.value.col(e) = (back * C.value.col(e)).eval();
        beside -= (p[c] - offsets.p[c]) * C.value.col(e);
      }
      offsets.values.col(static_cast<Eigen::Index>(k)).segment<3>(3 * i) = beside;
    }
  }
  offsets.poses = PoseBlend(controls, deforming_scale(*body.rig, free));
  return loaded;
}

}  // namespace rigspace
