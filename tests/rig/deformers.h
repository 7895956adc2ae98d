#pragma once
// Lattices, wires and handles that several tests use.

#include "rigs.h"

#include "rigspace/rig/cluster.h"
#include "rigspace/rig/lattice.h"
#include "rigspace/rig/nonlinear.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/wire.h"

namespace rigspace::testing {

inline std::vector<int> add_points(ControlGraph& graph, const std::string& name, std::span<const Vec3> positions,
                                   double typical = 0.2) {
  std::vector<int> slots;
  for (std::size_t i = 0; i < positions.size(); ++i)
    slots.push_back(
        add_point(graph, {.name = name + std::to_string(i), .position = positions[i], .typical_length = typical}));
  return slots;
}

/// The box [-1, 1]^3 that random_points fills, a little skewed.
inline Affine box_frame(double half = 1) {
  Affine frame;
  frame << 2, 0.1, 0, -1, 0, 2, 0.2, -1, -0.1, 0, 2, -1;
  return half * frame;
}

inline LatticeDescription add_lattice(ControlGraph& graph, int points, LatticeDescription lattice = {}) {
  lattice.points.count = points;
  lattice.point_slots = add_points(graph, "lattice", lattice_points(lattice));
  return lattice;
}

/// A wire along a bow through the same box.
inline WireDescription add_wire(ControlGraph& graph, int points, WireDescription wire = {}) {
  wire.points.count = points;
  if (wire.points_rest.empty())
    wire.points_rest = {Vec3(-1, -0.6, 0), Vec3(-0.5, 0.1, 0.2), Vec3(0, 0.4, 0), Vec3(0.6, 0.1, -0.3),
                        Vec3(1, -0.5, 0)};
  wire.point_slots = add_points(graph, "wire", wire.points_rest);
  return wire;
}

/// With a control for each parameter.
inline NonlinearDescription add_nonlinear(ControlGraph& graph, int points, Nonlinear kind) {
  NonlinearDescription description{.kind = kind};
  description.points.count = points;
  for (const NonlinearParameter& parameter : parameters(kind))
    description.parameter_slots.push_back(
        add_scalar(graph, {.name = std::string(name(kind)) + "." + std::string(parameter.name),
                           .unit = parameter.unit,
                           .rest = parameter.rest,
                           .min = parameter.min,
                           .max = parameter.max,
                           .typical = parameter.typical}));
  return description;
}

inline ClusterDescription random_clusters(int points, const std::vector<int>& slots, std::uint32_t seed) {
  const SkinDescription skin = random_skin(points, 2, slots, seed);
  ClusterDescription clusters{
      .transform_slots = slots, .inverse_rest = skin.inverse_bind, .influences = skin.influences};
  for (int k = 0; k < points; k += 3) clusters.influences[k].clear();
  return clusters;
}

inline Vec evaluated(const Rig& rig, const Vec& p) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

/// Sets three controls `<point>.tx ty tz`.
inline void set_point(const Rig& rig, Vec& p, const std::string& point, const Vec3& offset) {
  for (int c = 0; c < 3; ++c) p[rig.find(point + ".t" + "xyz"[c])] = offset[c];
}

}  // namespace rigspace::testing
