// Forces and rigs from one character to another whose lattice is a map of the first one's (PBR 4.4).

#include "transfer_parts.h"

#include "rigspace/apps/forces/lattice_transfer.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/parts/body_joints.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

/// What a rig's control is on the other character:  at = none + factor (at - from).
struct OtherControl {
  std::string name;
  double none = 0, factor = 1, from = 0;
  bool posed = true;  ///< the forces are those of the pose that the control gives
};

/// The axis about which a control turns the body, scene space, at rest; zero: it turns nothing.
Vec3 axis_of(const ForceRig& rig, int control, int joint) {
  constexpr double kTurn = 0.3;  // radians
  std::vector<Affine> C;
  Vec p = rig.rest();
  p[control] += kTurn;
  rig.joints_at(p, C);
  const Eigen::AngleAxisd turn(nearest_rotation(linear(C[joint])));
  return std::abs(turn.angle() - kTurn) < 1e-3 ? Vec3(turn.axis()) : Vec3(Vec3::Zero());
}

OtherControl other_control(const ForceRig& here, const ForceRig& there, const ForceRigPart& part,
                           const JointNames& joints) {
  OtherControl other{.name = part.control};
  const int c = here.find(part.control);
  if (c < 0 || there.find(part.control) >= 0) return other;
  const ForceSkeleton &a = here.body().skeleton, &b = there.body().skeleton;
  const Control& control = here.controls()[c];
  const int joint = a.find(control.node), mapped = joint < 0 ? -1 : counterpart(joints, control.node, b);
  constexpr double kAligned = 0.866;
  double best = kAligned;
  if (mapped >= 0 && control.unit == Unit::angle) {
    const Vec3 axis = axis_of(here, c, joint);
    for (std::size_t k = 0; k < there.controls().size(); ++k) {
      if (there.controls()[k].node != b.names[mapped] || there.controls()[k].unit != Unit::angle) continue;
      const double along = axis.dot(axis_of(there, static_cast<int>(k), mapped));
      if (std::abs(along) <= best) continue;
      best = std::abs(along);
      other = {.name = there.controls()[k].name,
               .none = there.controls()[k].rest,
               .factor = along < 0 ? -1.0 : 1.0,
               .from = control.rest};
    }
  }
  if (best == kAligned) {  // a control of its own, from 0 to 1
    const double first = part.samples.front().at, last = part.samples.back().at;
    other = {.name = part.name, .none = 0, .factor = 1 / std::max(1e-9, last - first), .from = first, .posed = false};
  }
  return other;
}

}  // namespace

std::vector<Mat3> affine_maps(const HexLattice& from, const HexLattice& to) {
  std::vector<Mat3> mixed(from.vertices.size(), Mat3::Zero()), own = mixed;
  for (const auto& [i, j] : lattice_edges(from)) {
    const Vec3 e = from.vertices[j] - from.vertices[i], image = to.vertices[j] - to.vertices[i];
    for (const int k : {i, j}) mixed[k] += image * e.transpose(), own[k] += e * e.transpose();
  }
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] *= pseudo_inverse(own[i]);
  return mixed;
}

TriMesh outside_of(const HexLattice& lattice) {
  std::map<std::array<int, 4>, std::pair<int, std::array<int, 4>>> faces;
  for (const auto& cell : lattice.cells)
    for (int a = 0; a < 3; ++a)
      for (int side = 0; side < 2; ++side) {
        const int b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3, at = side << a;
        std::array<int, 4> face{cell[at], cell[at | b], cell[at | b | c], cell[at | c]};
        if (side == 0) std::reverse(face.begin(), face.end());
        std::array<int, 4> key = face;
        std::sort(key.begin(), key.end());
        auto& entry = faces[key];
        ++entry.first, entry.second = face;
      }
  TriMesh mesh{.points = lattice.points()};
  for (const auto& [key, entry] : faces)
    if (entry.first == 1) {
      const auto& f = entry.second;
      mesh.triangles.push_back({f[0], f[1], f[2]}), mesh.triangles.push_back({f[0], f[2], f[3]});
    }
  return mesh;
}

std::map<std::string, std::string> match_joints(const Character& from, const Character& to,
                                                const std::map<std::string, std::string>& given) {
  const std::vector<std::string> own = joints_of_skin(from), others = joints_of_skin(to);
  const auto is_there = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, other] : given)
    for (const auto& [word, names] : {std::pair{&name, &own}, std::pair{&other, &others}})
      if (!word->empty() && !is_there(*names, *word))
        throw Error({.code = ErrorCode::usage,
                     .element = "--map \"" + name + "=" + other + "\"",
                     .value = *word,
                     .problem = "names \"" + *word + "\", which is not a joint of the skin",
                     .remedy = suggestion(*word, *names, "`rigspace info --joints` lists joints")});
  const BodyJoints here = find_body_joints(from), there = find_body_joints(to);
  std::map<std::string, std::string> matched;
  std::set<std::string> taken;
  const auto match = [&](const std::string& name, const std::string& other) {
    if (!other.empty() && is_there(others, other) && taken.insert(other).second) matched[name] = other;
  };
  for (const auto& [name, other] : given) match(name, other);
  for (const std::string& name : own)
    if (!given.contains(name)) match(name, name);
  for (const BodyJoint& joint : here.joints) {
    const std::string& name = from.bones[joint.bone].name;
    if (given.contains(name) || matched.contains(name) || !is_there(own, name)) continue;
    if (const BodyJoint* other = there.find(joint.role, joint.side, joint.order))
      match(name, to.bones[other->bone].name);
  }
  return matched;
}

Vec transfer_force(PosedLattice& from, PosedLattice& to, std::span<const Mat3> affine, In Q) {
  Vec rest, moved, other, back;
  from.shape_of(Vec(), rest);
  from.shape_of(Q, moved);
  to.shape_of(Vec(), other);
  for (int i = 0; i < from.body().vertex_count(); ++i) {
    const Vec3 d = from.vertex_frames().rotation(i).transpose() * (point(moved, i) - point(rest, i));
    point(other, i) += to.vertex_frames().rotation(i) * (affine[i] * d);
  }
  to.body().levels.spread(other);
  to.place_held(other);
  to.force_of(other, back);
  return back;
}

namespace {

/// `carry(part, sample's Q, a, b)` gives the other body's Q in the poses of a and b; `split` says whether the other
/// body splits the same cells.
template <class Carry>
std::vector<ForceRigPart> transfer_parts(const AdaptiveBody& from, std::span<const ForceRigPart> parts,
                                         const AdaptiveBody& to, const JointNames& joints_of, bool split,
                                         const Carry& carry) {
  const ForceRig here(from.whole(), {}), there(to.whole(), {});
  std::vector<ForceRigPart> moved;
  std::vector<Affine> joints;
  const auto pose = [&](const ForceRig& rig, const std::string& control, double at, PosedLattice& lattice) {
    Vec p = rig.rest();
    if (const int c = rig.find(control); c >= 0) p[c] = at;
    rig.joints_at(p, joints);
    lattice.set_pose(joints);
  };
  for (const ForceRigPart& part : parts) {
    const std::string what = "rig \"" + part.name + "\"";
    const SplitLattice leaves = from.split(part.splits, what);
    const auto body_a = from.body(leaves), body_b = split ? to.body(to.split(part.splits, what)) : to.whole();
    PosedLattice a(*body_a), b(*body_b);
    const OtherControl other = other_control(here, there, part, joints_of);
    ForceRigPart& made = moved.emplace_back(ForceRigPart{.name = part.name, .control = other.name});
    if (split) made.splits = part.splits;
    for (const auto& sample : part.samples) {
      const double at = other.none + other.factor * (sample.at - other.from);
      pose(here, other.posed ? part.control : "", sample.at, a), pose(there, other.name, at, b);
      Vec Q = Vec::Zero(3 * body_a->vertex_count());
      add_rig_force(*body_a, part, sample.at, Q);
      made.samples.push_back({at, Q.isZero(0) ? Vec(Vec::Zero(3 * body_b->vertex_count())) : carry(leaves, Q, a, b)});
    }
    if (other.factor < 0) std::reverse(made.samples.begin(), made.samples.end());
  }
  return moved;
}

/// Where places lie in a lattice; of those outside the nearest place of its outside. Cell -1: none was found.
std::vector<HexPlace> places_in(const HexLattice& lattice, double cell, const HexLattice& of) {
  const HexTree tree(lattice);
  const TriangleTree outside(outside_of(lattice));
  std::vector<HexPlace> places;
  for (const Vec3& x : of.vertices) {
    HexPlace place = tree.find(x);
    if (place.cell < 0) {
      const SurfacePoint near = outside.closest(x);
      for (const double in : {1e-4, 1e-3, 1e-2, 0.1})
        if (place.cell < 0) place = tree.find(near.position - in * cell * outside.normal(near.triangle));
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace

std::vector<ForceRigPart> transfer_rigs(const AdaptiveBody& from, std::span<const ForceRigPart> parts,
                                        const AdaptiveBody& to, const std::map<std::string, std::string>& joints) {
  const auto carry = [&](const SplitLattice&, const Vec& Q, PosedLattice& a, PosedLattice& b) {
    return transfer_force(a, b, affine_maps(a.body().elements.lattice, b.body().elements.lattice), Q);
  };
  return transfer_parts(from, parts, to, joints, true, carry);
}

std::vector<ForceRigPart> transfer_rigs(const AdaptiveBody& from, std::span<const ForceRigPart> parts,
                                        const AdaptiveBody& to, const std::map<std::string, std::string>& joints,
                                        const LatticeMap& map) {
  const std::vector<HexPlace> places = places_in(map.lattice.lattice, map.lattice.cell, to.whole()->elements.lattice);
  const auto carry = [&](const SplitLattice& leaves, const Vec& Q, PosedLattice& a, PosedLattice& b) {
    SplitLattice mapped(map.lattice.lattice);
    for (const int cell : leaves.splits()) mapped.split(cell);
    const std::vector<Mat3> affine = affine_maps(a.body().elements.lattice, mapped.leaf_lattice());
    Vec rest, moved, other, back;
    a.shape_of(Vec(), rest), a.shape_of(Q, moved), b.shape_of(Vec(), other);
    for (int i = 0; i < b.body().vertex_count(); ++i) {
      if (places[i].cell < 0) continue;
      const HexPlace leaf = leaves.leaf_at(places[i]);
      const Vec8 weights = trilinear(leaf.u);
      Vec3 d = Vec3::Zero();
      for (int c = 0; c < 8; ++c) {
        const int v = leaves.cell(leaf.cell).corners[c];
        d +=
            weights[c] * (affine[v] * (a.vertex_frames().rotation(v).transpose() * (point(moved, v) - point(rest, v))));
      }
      point(other, i) += b.vertex_frames().rotation(i) * d;
    }
    b.place_held(other);
    b.force_of(other, back);
    return back;
  };
  return transfer_parts(from, parts, to, joints, false, carry);
}

}  // namespace rigspace
