#include "flesh_region.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/rig/built_in_rig.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace rigspace {
namespace {

constexpr double kOwn = 0.8;  // nodes with less weight on the chosen bones are not free, so that creases do not slide

using Weights = std::vector<std::pair<int, double>>;

bool follows_one_node(const SkinDescription& skin) {
  return skin.joint_slots.size() == 1 && skin.inverse_bind[0] == identity_affine();
}

Weights normalised(const std::map<int, double>& sums) {
  Weights weights;
  double total = 0;
  for (const auto& [bone, weight] : sums)
    if (weight > 1e-3) weights.emplace_back(bone, weight), total += weight;
  for (auto& [bone, weight] : weights) weight /= total;
  return weights;
}

double distance_to_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double t = e.squaredNorm() > 0 ? std::clamp((x - a).dot(e) / e.squaredNorm(), 0.0, 1.0) : 0;
  return (x - a - t * e).norm();
}

/// Per bone: the bone itself, or its nearest ancestor with a scale other than 0. A bone of scale 0 maps everything to
/// one point, so that its transform has no inverse.
std::vector<int> carrying_bones(const Character& character, std::span<const Affine> bones) {
  constexpr double kFlat = 1e-12;  // of the cube of the longest axis
  const auto flat = [&](int bone) {
    const Mat3 A = linear(bones[bone]);
    return !(std::abs(A.determinant()) > kFlat * std::pow(A.colwise().norm().maxCoeff(), 3));
  };
  std::vector<int> result;
  for (int b = 0; b < static_cast<int>(bones.size()); ++b) {
    int carrier = b;
    while (carrier >= 0 && flat(carrier)) carrier = character.bones[carrier].parent;
    result.push_back(carrier < 0 ? b : carrier);
  }
  return result;
}

/// Bone weights of a body's inner nodes: per bone the harmonic function, on the graph of edges, of its weights at the
/// boundary.
void spread_inwards(const TetMesh& body, const std::vector<char>& known, BoneWeights& weights) {
  const NodeAdjacency edges = node_adjacency(body);
  std::vector<int> number(body.point_count(), -1), inner;
  for (int i = 0; i < body.point_count(); ++i)
    if (!known[i]) number[i] = static_cast<int>(inner.size()), inner.push_back(i);
  if (inner.empty()) return;
  std::map<int, int> column_of;
  for (int i = 0; i < body.point_count(); ++i)
    if (known[i])
      for (const auto& [bone, weight] : weights[i]) column_of.emplace(bone, 0);
  int columns = 0;
  for (auto& [bone, column] : column_of) column = columns++;
  std::vector<Eigen::Triplet<double>> entries;
  Mat b = Mat::Zero(static_cast<Eigen::Index>(inner.size()), columns);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    const int i = inner[k], degree = edges.start[i + 1] - edges.start[i];
    entries.emplace_back(k, k, std::max(1, degree) + 1e-9);
    for (int e = edges.start[i]; e < edges.start[i + 1]; ++e) {
      const int j = edges.neighbours[e];
      if (number[j] >= 0) {
        entries.emplace_back(k, number[j], -1.0);
      } else {
        for (const auto& [bone, weight] : weights[j]) b(static_cast<Eigen::Index>(k), column_of[bone]) += weight;
      }
    }
  }
  Eigen::SparseMatrix<double> L(static_cast<Eigen::Index>(inner.size()), static_cast<Eigen::Index>(inner.size()));
  L.setFromTriplets(entries.begin(), entries.end());
  const Mat w = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(L).solve(b);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    std::map<int, double> sums;
    for (const auto& [bone, column] : column_of) sums[bone] = w(static_cast<Eigen::Index>(k), column);
    weights[inner[k]] = normalised(sums);
  }
}

/// The bones that hold some of the flesh, as segments from each to its children.
std::vector<std::pair<Vec3, Vec3>> bone_segments(const Character& character, const RiggedSurface& surface,
                                                 const std::vector<char>& holding) {
  std::vector<std::pair<Vec3, Vec3>> segments;
  for (std::size_t b = 0; b < character.bones.size(); ++b) {
    if (!holding[b]) continue;
    const Vec3 head = translation(surface.bones[b]);
    bool leaf = true;
    for (std::size_t c = 0; c < character.bones.size(); ++c)
      if (character.bones[c].parent == static_cast<int>(b)) {
        segments.emplace_back(head, translation(surface.bones[c]));
        leaf = false;
      }
    if (leaf) segments.emplace_back(head, head);
  }
  return segments;
}

/// The meshed body of the whole character, with the bone weights and surface ties of its nodes.
struct FilledBody {
  Body body;
  BoneWeights weights, on_surface;
  std::vector<char> boundary, splittable;
};

FilledBody whole_body(const RiggedSurface& surface, double cell, bool use_cache) {
  FilledBody whole;
  const PlaceOrder order = in_place_order(surface.mesh);
  whole.body = use_cache ? stuff_with_cache(order.mesh, {.cell = cell}) : stuff(order.mesh, {.cell = cell});
  const TetMesh& mesh = whole.body.mesh;
  const int n = mesh.point_count();
  whole.weights.resize(n), whole.on_surface.resize(n);
  whole.boundary.assign(n, 0), whole.splittable.assign(n, 0);
  if (n == 0) return whole;
  const SurfaceBinding binding = bind_boundary(mesh, order.mesh);
  for (int k = 0; k < binding.count(); ++k) {
    const int i = binding.nodes[k];
    whole.boundary[i] = 1;
    whole.splittable[i] = 1;
    std::map<int, double> sums;
    for (int c = 0; c < 3; ++c) {
      const int point = order.point[binding.corners[k][c]];
      for (const auto& [bone, weight] : surface.weights[point]) sums[bone] += binding.weights[k][c] * weight;
      if (binding.weights[k][c] > 1e-9 && !surface.splittable[point]) whole.splittable[i] = 0;
      if (!binding.off_surface[k]) whole.on_surface[i].emplace_back(point, binding.weights[k][c]);
    }
    whole.weights[i] = normalised(sums);
  }
  spread_inwards(mesh, whole.boundary, whole.weights);
  return whole;
}

/// Flags of the nodes that belong to the chosen bones and are farther from every bone than `hold_ratio` of the way from
/// bone to skin.
std::vector<char> free_nodes(const Character& character, const RiggedSurface& surface, const FilledBody& whole,
                             const std::vector<char>& chosen, double hold_ratio) {
  const TetMesh& mesh = whole.body.mesh;
  std::vector<char> holding(character.bones.size(), 0), free(mesh.point_count(), 0);
  for (int i = 0; i < mesh.point_count(); ++i)
    if (weight_of(whole.weights[i], chosen) > 0.5)
      for (const auto& [bone, weight] : whole.weights[i])
        if (weight > 0.2) holding[bone] = 1;
  const auto segments = bone_segments(character, surface, holding);
  const TriangleTree skin(boundary_surface(mesh));
  for (int i = 0; i < mesh.point_count(); ++i) {
    if (weight_of(whole.weights[i], chosen) <= kOwn || (whole.boundary[i] && !whole.splittable[i])) continue;
    const Vec3 x = mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i));
    double to_bone = std::numeric_limits<double>::infinity();
    for (const auto& [a, b] : segments) to_bone = std::min(to_bone, distance_to_segment(x, a, b));
    poll_cancel();
    const double to_skin = whole.boundary[i] ? 0 : skin.closest(x).distance;
    free[i] = to_bone > hold_ratio * (to_bone + to_skin) && to_bone > 0.5 * whole.body.cell;
  }
  return free;
}

/// Sets the region to the tetrahedra with free nodes, with roles, ties, bone weights and thickness.
void cut_out(const FilledBody& whole, const std::vector<char>& free, Region& region) {
  for (const int i : cut_free(whole.body.mesh, free, region.mesh)) {
    region.nodes.push_back(!free[i] ? FleshNode::held : whole.boundary[i] ? FleshNode::skin : FleshNode::interior);
    region.on_surface.push_back(free[i] ? whole.on_surface[i] : Weights());
    region.bones.push_back(whole.weights[i]);
  }
  std::vector<Vec3> points;
  for (int i = 0; i < region.mesh.point_count(); ++i) points.emplace_back(point(region.mesh.points, i));
  for (std::size_t i = 0; i < points.size(); ++i) {  // nodes without bone weights take those of the nearest node
    if (!region.bones[i].empty()) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < points.size(); ++j)
      if (const double d = (points[i] - points[j]).norm(); !region.bones[j].empty() && j != i && d < nearest)
        nearest = d, region.bones[i] = region.bones[j];
    region.nodes[i] = FleshNode::held;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (region.nodes[i] != FleshNode::skin) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < points.size(); ++j)
      if (region.nodes[j] == FleshNode::held) nearest = std::min(nearest, (points[i] - points[j]).norm());
    if (std::isfinite(nearest)) region.thickness = std::max(region.thickness, nearest);
  }
}

}  // namespace

double region_cell(const Box& box, double surface_size) {
  return std::clamp(box.diagonal() / 12, 0.012 * surface_size, 0.1 * surface_size);
}

std::vector<int> cut_free(const TetMesh& body, const std::vector<char>& free, TetMesh& part) {
  std::vector<int> number(body.point_count(), -1), nodes;
  for (const Tet& tet : body.tets) {
    if (std::none_of(tet.begin(), tet.end(), [&](int i) { return free[i]; })) continue;
    Tet local{};
    for (int k = 0; k < 4; ++k) {
      int& n = number[tet[k]];
      if (n < 0) n = static_cast<int>(nodes.size()), nodes.push_back(tet[k]);
      local[k] = n;
    }
    part.tets.push_back(local);
  }
  part.points.resize(3 * static_cast<Eigen::Index>(nodes.size()));
  for (int k = 0; k < static_cast<int>(nodes.size()); ++k) point(part.points, k) = point(body.points, nodes[k]);
  return nodes;
}

std::shared_ptr<Flesh> flesh_of(Region region, const OwnFrame& frame) {
  auto flesh = std::make_shared<Flesh>();
  Box box;
  for (int i = 0; i < region.mesh.point_count(); ++i)
    if (region.nodes[i] == FleshNode::skin) box.include(point(region.mesh.points, i));
  flesh->size = frame.size * box.size().maxCoeff();
  flesh->mesh = std::move(region.mesh);
  flesh->mesh.points = frame.outward_points(flesh->mesh.points);
  flesh->nodes = std::move(region.nodes);
  flesh->on_surface = std::move(region.on_surface);
  flesh->bones = std::move(region.bones);
  flesh->thickness = frame.size * region.thickness;
  return flesh;
}

std::array<int, 3> turns_of(const Character& character, int bone) {
  const std::string& name = character.bones[bone].name;
  const std::array<int, 3> turns{character.rig->find(name + ".rx"), character.rig->find(name + ".ry"),
                                 character.rig->find(name + ".rz")};
  if (std::any_of(turns.begin(), turns.end(), [](int control) { return control < 0; }))
    throw Error({.file = character.name,
                 .element = "joint \"" + name + "\"",
                 .value = name,
                 .problem = "has no turns of its own",
                 .remedy = "name other joints; `rigspace info --controls` lists what turns"});
  return turns;
}

double weight_of(const Weights& weights, const std::vector<char>& chosen) {
  double sum = 0;
  for (const auto& [bone, weight] : weights)
    if (chosen[bone]) sum += weight;
  return sum;
}

RiggedSurface rigged_surface(const Character& character) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  RiggedSurface surface{.mesh = rest_surface(character)};
  surface.size = bounding_box(surface.mesh.points).diagonal();
  surface.weights.resize(rig.point_count());
  surface.splittable.assign(rig.point_count(), 0);
  std::map<int, int> bone_of_slot;
  for (std::size_t b = 0; b < character.bones.size(); ++b) bone_of_slot[character.bones[b].slot] = static_cast<int>(b);
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u);
  for (const Bone& bone : character.bones) surface.bones.push_back(transform_at(u, rig.graph().slots()[bone.slot]));
  const std::vector<int> carrier = carrying_bones(character, surface.bones);
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < skin->influences.size(); ++k) {
      const int point = skin->first_point + static_cast<int>(k);
      std::map<int, double> sums;
      bool own = true;  // held by these bones in the skin itself
      for (const Influence& influence : skin->influences[k])
        if (const auto bone = bone_of_slot.find(skin->joint_slots[influence.joint]); bone != bone_of_slot.end()) {
          sums[carrier[bone->second]] += influence.weight;
          own = own && carrier[bone->second] == bone->second;
        }
      surface.weights[point].assign(sums.begin(), sums.end());
      surface.splittable[point] = own && !follows_one_node(*skin) && !sums.empty();
    }
  }
  return surface;
}

RiggedSurface framed(RiggedSurface surface, const OwnFrame& frame) {
  surface.frame = frame;
  surface.mesh.points = surface.frame.places(surface.mesh.points);
  for (Affine& bone : surface.bones) bone = surface.frame.inward(bone);
  surface.size = bounding_box(surface.mesh.points).diagonal();
  return surface;
}

RiggedSurface framed_surface(const Character& character) {
  RiggedSurface surface = rigged_surface(character);
  const OwnFrame frame = character_frame(character, surface.mesh);
  return framed(std::move(surface), frame);
}

Region flesh_region(const Character& character, const RiggedSurface& surface, const std::vector<char>& chosen,
                    const SoftenOptions& options) {
  Box box;
  for (int i = 0; i < surface.mesh.point_count(); ++i)
    if (weight_of(surface.weights[i], chosen) > 0.5) box.include(surface.mesh.points.segment<3>(3 * i));
  Region region;
  if (box.empty()) return region;
  region.cell = region_cell(box, surface.size);
  const FilledBody whole = whole_body(surface, region.cell, options.use_cache);
  const std::vector<char> free = free_nodes(character, surface, whole, chosen, options.hold_ratio);

  cut_out(whole, free, region);
  return region;
}

Region moved_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options) {
  Box box;
  for (int i = 0; i < surface.mesh.point_count(); ++i)
    if (motion[i] > kMoved) box.include(surface.mesh.points.segment<3>(3 * i));
  if (box.empty()) return {};
  return chain_region(character, surface, motion, options, {}, region_cell(box, surface.size));
}

Region chain_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options, std::span<const int> chain, double cell) {
  Region region;
  region.cell = cell;
  const FilledBody whole = whole_body(surface, region.cell, options.use_cache);
  const TetMesh& body = whole.body.mesh;
  // The motion of the skin is extended into the body by spread_inwards, as the weight of a bone 0 beside a bone 1.
  BoneWeights shares(body.point_count());
  std::vector<char> known = whole.boundary;
  for (int i = 0; i < body.point_count(); ++i) {
    if (!chain.empty() && whole.on_surface[i].empty()) known[i] = 0;
    if (!known[i]) continue;
    double share = 0;
    for (const auto& [point, weight] : whole.on_surface[i]) share += weight * motion[point];
    shares[i] = {{0, share}, {1, 1 - share}};
  }
  spread_inwards(body, known, shares);
  std::vector<char> moved(body.point_count(), 0), holding(character.bones.size(), 0);
  for (int i = 0; i < body.point_count(); ++i) {
    const auto found = std::find_if(shares[i].begin(), shares[i].end(), [](const auto& s) { return s.first == 0; });
    moved[i] = found != shares[i].end() && found->second > kMoved &&
               (!whole.boundary[i] || !whole.on_surface[i].empty() || !chain.empty());
    if (moved[i])
      for (const auto& [bone, weight] : whole.weights[i])
        if (weight > 0.2) holding[bone] = 1;
  }
  for (const int bone : chain) holding[bone] = 0;
  const auto segments = bone_segments(character, surface, holding);
  std::vector<char> free = moved;
  for (int i = 0; i < body.point_count(); ++i) {
    if (!moved[i] || whole.boundary[i]) continue;
    const Vec3 x = body.points.segment<3>(3 * static_cast<Eigen::Index>(i));
    for (const auto& [a, b] : segments)
      if (distance_to_segment(x, a, b) < 0.5 * region.cell) free[i] = 0;
  }
  cut_out(whole, free, region);
  return region;
}

}  // namespace rigspace
