#include "rigspace/apps/forces/lattice_transfer.h"

#include "lattice_distortion.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/optimize/lbfgsb.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

constexpr std::size_t kSurfacePoints = 1200;  // that are matched: the lattice is coarse
constexpr int kContainRounds = 25;

/// Combinations of lattice vertices, and where they should be.
struct Ties {
  std::vector<std::vector<std::pair<int, double>>> rows;
  std::vector<Vec3> goals;

  Vec3 at(In x, std::size_t k) const {
    Vec3 place = Vec3::Zero();
    for (const auto& [i, w] : rows[k]) place += w * point(x, i);
    return place;
  }
  /// weight / count sum |place - goal|^2, with its gradient.
  double value(In x, double weight, Vec& g) const {
    double E = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Vec3 away = at(x, k) - goals[k];
      const double share = weight / static_cast<double>(rows.size());
      E += share * away.squaredNorm();
      for (const auto& [i, w] : rows[k]) point(g, i) += 2 * share * w * away;
    }
    return E;
  }
  double error(In x) const {
    double sum = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) sum += (at(x, k) - goals[k]).squaredNorm();
    return rows.empty() ? 0 : std::sqrt(sum / static_cast<double>(rows.size()));
  }
};

std::vector<std::pair<int, double>> row_of(const HexEmbedding& skin, int i) {
  std::vector<std::pair<int, double>> row;
  for (int c = 0; c < 8; ++c) row.emplace_back(skin.corners[i][c], skin.weights[i][c]);
  return row;
}

/// Bones of joints of the same name, in order, as pairs of lines.
std::vector<std::pair<ForceSkeleton::Bone, BoneLine>> common_bones(const ForceSkeleton& from, const ForceSkeleton& to) {
  std::vector<std::pair<ForceSkeleton::Bone, BoneLine>> pairs;
  std::map<int, int> used;
  for (const ForceSkeleton::Bone& bone : from.bones) {
    int skip = used[bone.joint]++;
    const int joint = to.find(from.names[bone.joint]);
    for (const ForceSkeleton::Bone& other : to.bones)
      if (other.joint == joint && skip-- == 0) pairs.emplace_back(bone, other.line);
  }
  if (pairs.size() < 2)
    throw Error({.element = "skeletons",
                 .value = std::to_string(pairs.size()),
                 .problem = "have " + std::to_string(pairs.size()) + " bones of the same names",
                 .remedy = "give characters with at least two bones in common; names of joints are compared"});
  return pairs;
}

struct Similarity {
  double scale = 1;
  Mat3 turn = Mat3::Identity();
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Vec3 operator()(const Vec3& x) const { return to + scale * (turn * (x - from)); }
};

/// Least squares over the ends of bones (24); about a straight skeleton, with as little turn as can be.
Similarity align(std::span<const std::pair<ForceSkeleton::Bone, BoneLine>> bones) {
  Similarity map;
  for (const auto& [bone, line] : bones) map.from += bone.line.from + bone.line.to, map.to += line.from + line.to;
  map.from /= 2.0 * static_cast<double>(bones.size()), map.to /= 2.0 * static_cast<double>(bones.size());
  Mat3 H = Mat3::Zero();
  double square = 0;
  const auto add = [&](const Vec3& a, const Vec3& b) {
    H += (b - map.to) * (a - map.from).transpose(), square += (a - map.from).squaredNorm();
  };
  for (const auto& [bone, line] : bones) add(bone.line.from, line.from), add(bone.line.to, line.to);
  map.turn = nearest_rotation(H + 1e-3 * H.norm() * Mat3::Identity());
  map.scale = (map.turn.transpose() * H).trace() / square;
  return map;
}

/// Held vertices go where they are along their bone.
Ties bone_ties(const ForceBody& body, std::span<const std::pair<ForceSkeleton::Bone, BoneLine>> bones,
               const Similarity& similar) {
  Ties ties;
  for (const HeldVertex& held : body.held) {
    const Vec3& x = body.elements.lattice.vertices[held.vertex];
    double best = std::numeric_limits<double>::infinity();
    Vec3 goal = Vec3::Zero();
    for (const auto& [bone, line] : bones) {
      if (bone.joint != held.bone) continue;
      const Vec3 along = bone.line.to - bone.line.from;
      const double t = std::clamp((x - bone.line.from).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const Vec3 off = x - bone.line.from - t * along;
      if (off.norm() < best)
        best = off.norm(), goal = line.from + t * (line.to - line.from) + similar.scale * (similar.turn * off);
    }
    if (best < std::numeric_limits<double>::infinity())
      ties.rows.push_back({{held.vertex, 1.0}}), ties.goals.push_back(goal);
  }
  return ties;
}

/// The lattice's outside as triangles.
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

/// The cost of all stages; terms without weight are off.
class MapCost {
 public:
  MapCost(const ForceBody& body, double scale, double flat) : distortion_(body.elements.lattice, flat), scale_(scale) {}
  Ties bones, features, contain;
  double on_bones = 0, on_features = 0, on_surface = 0, on_contain = 0;
  Ties surface;
  const TriangleTree* target = nullptr;

  double operator()(In x, Vec& g) {
    g.setZero();
    double E = distortion_.value(x, scale_, g);
    if (!std::isfinite(E)) return E;
    E += bones.value(x, on_bones, g) + features.value(x, on_features, g) + contain.value(x, on_contain, g);
    if (on_surface > 0) {
      for (std::size_t k = 0; k < surface.rows.size(); ++k)
        surface.goals[k] = target->closest(surface.at(x, k)).position;
      E += surface.value(x, on_surface, g);
    }
    return E;
  }
  void minimize(Vec& x, int iterations) {
    minimize_lbfgsb([this](In at, Vec& g) { return (*this)(at, g); }, x,
                    {.gradient_tolerance = 1e-9, .value_tolerance = 1e-4, .memory = 12, .max_iterations = iterations});
  }
  double least_volume(In x) const { return distortion_.least_volume(x, scale_); }

 private:
  LatticeDistortion distortion_;
  double scale_;
};

/// Pulls the lattice's outside over the points of the skin that it lacks; the number of rounds. What was pulled once
/// stays tied, or the next round would let it go.
int pull_over(const Vec& skin, double cell, double weight, HexLattice& lattice, MapCost& cost) {
  std::map<int, std::pair<std::vector<std::pair<int, double>>, Vec3>> pulled;
  for (int round = 0; round < kContainRounds; ++round) {
    const HexTree tree(lattice);
    const TriangleTree outside(outside_of(lattice));
    int lacking = 0;
    for (int i = 0; i < skin.size() / 3; ++i) {
      const Vec3 x = point(skin, i);
      if (tree.find(x).cell >= 0) continue;
      const SurfacePoint near = outside.closest(x);
      const Triangle& t = outside.mesh().triangles[near.triangle];
      pulled[i] = {{{t[0], near.barycentric[0]}, {t[1], near.barycentric[1]}, {t[2], near.barycentric[2]}},
                   x + (0.15 + 0.03 * round) * cell * outside.normal(near.triangle)};
      ++lacking;
    }
    if (lacking == 0) return round;
    cost.on_contain = weight * std::pow(1.5, round);
    cost.contain = {};
    for (const auto& [i, tie] : pulled)
      cost.contain.rows.push_back(tie.first), cost.contain.goals.push_back(tie.second);
    Vec x = lattice.points();
    cost.minimize(x, 40);
    for (int i = 0; i < lattice.vertex_count(); ++i) lattice.vertices[i] = point(x, i);
  }
  throw Error({.code = ErrorCode::not_converged,
               .element = "lattice",
               .value = std::to_string(cost.contain.rows.size()),
               .problem = "cannot be pulled over " + std::to_string(cost.contain.rows.size()) + " points of the skin",
               .remedy = "give features that belong together, or larger cells"});
}

std::vector<Mat3> affine_maps(const HexLattice& from, const HexLattice& to) {
  std::vector<Mat3> mixed(from.vertices.size(), Mat3::Zero()), own = mixed;
  for (const auto& [i, j] : lattice_edges(from)) {
    const Vec3 e = from.vertices[j] - from.vertices[i], image = to.vertices[j] - to.vertices[i];
    for (const int k : {i, j}) mixed[k] += image * e.transpose(), own[k] += e * e.transpose();
  }
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] *= pseudo_inverse(own[i]);
  return mixed;
}

}  // namespace

void LatticeMapOptions::validate() const {
  require_option(skeleton > 0, "weight of the skeleton", skeleton, "expected more than 0");
  require_option(surface > 0, "weight of the surface", surface, "expected more than 0");
  require_option(features >= 0, "weight of features", features, "expected 0 or more");
  require_option(flat > 0 && flat < 0.2, "least volume at a corner", flat, "expected a share between 0 and 0.2");
  require_option(iterations > 0, "iterations of a stage", iterations, "expected at least 1");
}

LatticeMap map_lattice(const ForceBody& from, const Character& to, const LatticeMapOptions& options,
                       const ProgressCallback& progress) {
  options.validate();
  const TriMesh drawn = rest_surface(to);
  TriMesh closed = weld(drawn).mesh;
  orient_outward(closed);
  const ForceSkeleton skeleton = force_skeleton(to, WindingTree(closed));
  const auto bones = common_bones(from.skeleton, skeleton);
  const Similarity similar = align(bones);
  const double size = bounding_box(drawn.points).diagonal(), per_square = 1 / (size * size);
  const TriangleTree tree(drawn);
  MapCost cost(from, similar.scale, options.flat);
  cost.bones = bone_ties(from, bones, similar);
  cost.target = &tree;
  for (const DragTarget& each : options.chosen) {
    require_option(each.point >= 0 && each.point < from.surface.count(), "feature's point", each.point,
                   "the skin has " + std::to_string(from.surface.count()) + " points, numbered from 0");
    cost.features.rows.push_back(row_of(from.surface, each.point)), cost.features.goals.push_back(each.place);
  }
  const int stride = 1 + from.surface.count() / static_cast<int>(kSurfacePoints);
  for (int i = 0; i < from.surface.count(); i += stride) cost.surface.rows.push_back(row_of(from.surface, i));
  cost.surface.goals.resize(cost.surface.rows.size());

  Vec x(3 * from.vertex_count());
  for (int i = 0; i < from.vertex_count(); ++i) point(x, i) = similar(from.elements.lattice.vertices[i]);
  report(progress, "matching skeletons", 0.0);
  cost.on_bones = options.skeleton * per_square;
  cost.minimize(x, options.iterations);
  if (!options.chosen.empty()) {
    report(progress, "matching features", 0.3);
    cost.on_features = options.features * per_square;
    cost.minimize(x, options.iterations);
  }
  report(progress, "matching surfaces", 0.5);
  cost.on_surface = options.surface * per_square;
  cost.minimize(x, options.iterations);
  LatticeMap map;
  map.lattice.lattice = from.elements.lattice, map.lattice.cell = similar.scale * from.cell;
  for (int i = 0; i < from.vertex_count(); ++i) map.lattice.lattice.vertices[i] = point(x, i);
  report(progress, "covering the skin", 0.8);
  map.contained_rounds =
      pull_over(drawn.points, similar.scale * from.cell, 100 * per_square, map.lattice.lattice, cost);
  x = map.lattice.lattice.points();
  for (const HeldVertex& held : from.held) {
    const int joint = skeleton.find(from.skeleton.names[held.bone]);
    if (joint >= 0) map.lattice.held.push_back({held.vertex, joint});
  }
  map.affine = affine_maps(from.elements.lattice, map.lattice.lattice);
  map.skeleton_error = cost.bones.error(x) / size;
  Vec ignored = Vec::Zero(x.size());
  cost(x, ignored);
  map.surface_error = cost.surface.error(x) / size;
  map.least_volume = cost.least_volume(x);
  return map;
}

Vec transfer_force(PosedLattice& from, PosedLattice& to, const LatticeMap& map, In Q) {
  Vec rest, moved, other, back;
  from.shape_of(Vec(), rest);
  from.shape_of(Q, moved);
  to.shape_of(Vec(), other);
  for (int i = 0; i < from.body().vertex_count(); ++i) {
    const Vec3 d = from.vertex_frames().rotation(i).transpose() * (point(moved, i) - point(rest, i));
    point(other, i) += to.vertex_frames().rotation(i) * (map.affine[i] * d);
  }
  to.place_held(other);
  to.force_of(other, back);
  return back;
}

std::vector<ForceRigPart> transfer_rigs(const ForceRig& from, const ForceRig& to, const LatticeMap& map) {
  PosedLattice a(from.body()), b(to.body());
  std::vector<ForceRigPart> moved;
  std::vector<Affine> joints;
  for (const ForceRigPart& part : from.rigs()) {
    ForceRigPart& made = moved.emplace_back(ForceRigPart{.name = part.name, .control = part.control});
    for (const auto& sample : part.samples) {
      const auto pose = [&](const ForceRig& rig, PosedLattice& lattice) {
        Vec p = rig.rest();
        if (const int c = rig.find(part.control); c >= 0) p[c] = sample.at;
        rig.joints_at(p, joints);
        lattice.set_pose(joints);
      };
      pose(from, a), pose(to, b);
      Vec Q = Vec::Zero(3 * from.body().vertex_count());
      add_rig_force(from.body(), part, sample.at, Q);
      made.samples.push_back({sample.at, Q.isZero(0) ? Q : transfer_force(a, b, map, Q)});
    }
  }
  return moved;
}

}  // namespace rigspace
