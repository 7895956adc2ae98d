#include "rigspace/apps/forces/lattice_transfer.h"

#include "lattice_distortion.h"
#include "transfer_parts.h"

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
constexpr int kPatience = 6;       // rounds without fewer points outside
constexpr int kMostApproach = 16;  // steps in which bones that lie elsewhere are brought to their places

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

/// Bones of joints that belong together, in order, as pairs of lines.
std::vector<std::pair<ForceSkeleton::Bone, BoneLine>> common_bones(const ForceSkeleton& from, const ForceSkeleton& to,
                                                                   const JointNames& joints) {
  std::vector<std::pair<ForceSkeleton::Bone, BoneLine>> pairs;
  std::map<int, int> used;
  for (const ForceSkeleton::Bone& bone : from.bones) {
    int skip = used[bone.joint]++;
    const int joint = counterpart(joints, from.names[bone.joint], to);
    for (const ForceSkeleton::Bone& other : to.bones)
      if (other.joint == joint && skip-- == 0) pairs.emplace_back(bone, other.line);
  }
  if (pairs.size() < 2)
    throw Error({.element = "skeletons",
                 .value = std::to_string(pairs.size()),
                 .problem = "have " + std::to_string(pairs.size()) + " bones in common",
                 .remedy = "at least two are needed; say with --map JOINT=OTHER which joints belong together"});
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

/// Bones that lie elsewhere (arms that hang, and arms that are spread) are brought to their places in steps of a cell,
/// or cells would have to fold on the way.
void approach_bones(double cell, int iterations, Vec& x, MapCost& cost) {
  const std::vector<Vec3> goals = cost.bones.goals;
  std::vector<Vec3> from;
  double farthest = 0;
  for (std::size_t k = 0; k < goals.size(); ++k) {
    from.push_back(cost.bones.at(x, k));
    farthest = std::max(farthest, (goals[k] - from[k]).norm());
  }
  const int steps = std::clamp(static_cast<int>(std::ceil(farthest / cell)), 1, kMostApproach);
  for (int step = 1; step <= steps; ++step) {
    const double t = static_cast<double>(step) / steps;
    for (std::size_t k = 0; k < goals.size(); ++k) cost.bones.goals[k] = (1 - t) * from[k] + t * goals[k];
    if (step == steps) cost.bones.goals = goals;
    cost.minimize(x, step < steps ? iterations / 3 : iterations);
  }
}

struct Pulled {
  int rounds = 0, lacking = 0;
};

/// Pulls the lattice's outside over the points of the skin that it lacks. What was pulled once stays tied, or the next
/// round would let it go.
Pulled pull_over(const Vec& skin, double cell, double weight, HexLattice& lattice, MapCost& cost) {
  std::map<int, std::pair<std::vector<std::pair<int, double>>, Vec3>> pulled;
  Pulled result;
  int fewest = std::numeric_limits<int>::max(), since = 0;
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
    result = {round, lacking};
    since = lacking < fewest ? 0 : since + 1;
    fewest = std::min(fewest, lacking);
    if (lacking == 0 || since > kPatience) return result;
    cost.on_contain = weight * std::pow(1.5, round);
    cost.contain = {};
    for (const auto& [i, tie] : pulled)
      cost.contain.rows.push_back(tie.first), cost.contain.goals.push_back(tie.second);
    Vec x = lattice.points();
    cost.minimize(x, 40);
    for (int i = 0; i < lattice.vertex_count(); ++i) lattice.vertices[i] = point(x, i);
  }
  return result;
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
  const auto bones = common_bones(from.skeleton, skeleton, options.joints);
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
  approach_bones(similar.scale * from.cell, options.iterations, x, cost);
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
  const HexLattice uncovered = map.lattice.lattice;
  const Pulled pulled = pull_over(drawn.points, similar.scale * from.cell, 100 * per_square, map.lattice.lattice, cost);
  map.contained_rounds = pulled.rounds, map.lacking = pulled.lacking;
  if (pulled.lacking > 0 && !options.may_lack)
    throw Error({.code = ErrorCode::not_converged,
                 .element = "lattice",
                 .value = std::to_string(pulled.lacking),
                 .problem = "cannot be pulled over " + std::to_string(pulled.lacking) + " points of the skin",
                 .remedy = "give features that belong together, or larger cells"});
  if (pulled.lacking > 0) map.lattice.lattice = uncovered, cost.on_contain = 0;
  x = map.lattice.lattice.points();
  for (const HeldVertex& held : from.held) {
    const int joint = counterpart(options.joints, from.skeleton.names[held.bone], skeleton);
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

}  // namespace rigspace
