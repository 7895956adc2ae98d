#include "rigspace/body/interior_response.h"

#include "rigspace/base/error.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/solid.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/optimize/bordered_system.h"
#include "rigspace/optimize/objective.h"
#include "swinging_inside.h"

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

/// Unit accelerations of a body as a whole: along three axes, and about them through its middle, by its size.
Mat accelerations_of(In x, std::span<const int> nodes, const Vec3& middle, double size) {
  Mat r(3 * std::ssize(nodes), 6);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const auto row = 3 * static_cast<Eigen::Index>(k);
      r.block<3, 1>(row, axis) = Vec3::Unit(axis);
      r.block<3, 1>(row, 3 + axis) = Vec3::Unit(axis).cross(Vec3(point(x, nodes[k]) - middle)) / size;
    }
  return r;
}

/// What swing_of_inside adds to the balance T of the nodes `inside`; `skin`: J of the nodes `bound`.
Mat swing_at(const RigBody& body, In x_at, BorderedSystem& system, const std::vector<int>& inside, const Mat& T,
             const std::vector<int>& bound, const Mat& skin) {
  const Vec masses = lumped_masses(body.mesh, 1);
  Vec3 middle = Vec3::Zero();
  for (int i = 0; i < body.node_count(); ++i) middle += masses[i] / masses.sum() * Vec3(point(x_at, i));
  double size = 0;
  for (int i = 0; i < body.node_count(); ++i) size = std::max(size, (Vec3(point(x_at, i)) - middle).norm());
  const auto of = [&](const std::vector<int>& nodes) {
    Vec each(3 * std::ssize(nodes));
    for (std::size_t k = 0; k < nodes.size(); ++k)
      each.segment<3>(3 * static_cast<Eigen::Index>(k)).setConstant(masses[nodes[k]]);
    return each;
  };
  const Mat weighted = of(bound).asDiagonal() * skin;
  const Mat corner = system.corner().selfadjointView<Eigen::Lower>();
  return swing_of_inside({.inside = system.interior(),
                          .balance = T,
                          .stiffness = corner + system.border().transpose() * T,
                          .skin_inertia = skin.transpose() * weighted,
                          .skin_loads = weighted.transpose() * accelerations_of(x_at, bound, middle, size),
                          .masses = of(inside),
                          .accelerations = accelerations_of(x_at, inside, middle, size)});
}

/// -K_nn^-1 K_nb J_b + D - W J_b at a state of the body (interior_response.h); entries below `least` of the largest in
/// a row are left out.
BlockJacobian response_at(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                          const Solid& solid, In p, In x_at, InsideMotion motion, double least) {
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

  const std::vector<int>& bound = mapping.description().bound;
  Mat balance(mapping.interior_size(), controls), carried(balance.rows(), controls);
  Mat skin(3 * std::ssize(bound), controls);
  Vec dx, dq = Vec::Zero(mapping.size_q());
  for (Eigen::Index c = 0; c < controls; ++c) {
    Vec u;
    bordered.interior().solve(-bordered.border().col(c), u);
    balance.col(c) = u;
    dq.tail(controls) = Vec::Unit(controls, c);
    mapping.push(*state.mapping, dq, dx);
    for (std::size_t k = 0; k < bound.size(); ++k)
      skin.col(c).segment<3>(3 * static_cast<Eigen::Index>(k)) = point(dx, bound[k]);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      Vec3 sum = Vec3::Zero();
      for (const auto& [node, weight] : interior[inside[k]]) sum += weight * point(dx, node);
      carried.col(c).segment<3>(3 * static_cast<Eigen::Index>(k)) = sum;
    }
  }

  if (motion == InsideMotion::swinging) balance += swing_at(body, x_at, bordered, inside, balance, bound, skin);

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
                                const Material& material, std::span<const double> stiffness, InsideMotion motion,
                                double least) {
  const Solid solid(body.mesh.points, body.mesh.tets, material, stiffness);
  return response_at(body, free, interior, solid, body.rig->rest(), body.mesh.points, motion, least);
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
  LoadedResponse loaded{
      response_at(body, free, interior, solid, poses[0].p, poses[0].x, InsideMotion::balanced, kLeast), {}};
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
