// Thick chains (trunks, fat tails) as solids that the chain's own joints move. Thin chains are rods
// (docs/default-look.md, "chains as rods or solids").

#include "solid_chain.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "run/flesh_ties.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <span>
#include <string_view>

namespace rigspace {
namespace {

constexpr double kCellsAcross = 2;        // lattice cells across a chain; with fewer there are hardly interior nodes
constexpr double kLeastThickness = 0.12;  // of the length: thinner chains are rods
constexpr double kLeastRoundness = 0.8;   // about an ellipse of 1 : 2; flatter chains (ears) move better as rods
constexpr double kLeastSwing = 5 * std::numbers::pi / 180;  // of the tip (docs/default-look.md, "amplitude")
constexpr double kMostVolumeChange = 0.028;                 // (docs/default-look.md, "volume")
constexpr double kLeastCell = 0.012;  // of the character's size: finer meshes cost more without a visible difference

std::vector<int> turns_of(const Character& character, std::span<const int> bones) {
  std::vector<int> controls;
  for (const int bone : bones)
    for (const int control : turns_of(character, bone)) controls.push_back(control);
  std::sort(controls.begin(), controls.end());
  return controls;
}

/// Depth of each bone in the chain: 0 at the root, 1 at the tip; 0 for bones that are not in the chain.
std::vector<double> depths(const Character& character, std::span<const int> chain) {
  std::vector<double> depth(character.bones.size(), 0);
  double deepest = 1;
  for (const int bone : chain) {  // parents before children
    const int parent = character.bones[bone].parent;
    if (std::find(chain.begin(), chain.end(), parent) != chain.end()) depth[bone] = depth[parent] + 1;
    deepest = std::max(deepest, depth[bone]);
  }
  for (double& each : depth) each /= deepest;
  return depth;
}

/// The mean of the boundary edges of a mesh, weighted by length; `none` if it is closed.
Vec3 middle_of_hole(const TriMesh& mesh, const Vec3& none) {
  const EdgeTable edges = edge_table(mesh);
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (int e = 0; e < edges.count(); ++e) {
    if (edges.uses(e).size() != 1) continue;
    const Vec3 a = point(mesh.points, edges.edges[e][0]), b = point(mesh.points, edges.edges[e][1]);
    sum += (a - b).norm() * (a + b) / 2;
    total += (a - b).norm();
  }
  return total > 0 ? Vec3(sum / total) : none;
}

/// The largest length along the bones from the root to a joint, scene units: of a curled chain more than the straight
/// distance.
double length_along(const Character& character, const RiggedSurface& surface, const Part& part) {
  std::map<int, double> along;
  double most = 0;
  for (const int bone : part.bones) {  // parents before children
    const int parent = character.bones[bone].parent;
    if (const auto above = along.find(parent); above != along.end())
      along[bone] = above->second + (translation(surface.bones[bone]) - translation(surface.bones[parent])).norm();
    else
      along[bone] = 0;
    most = std::max(most, along[bone]);
  }
  return most;
}

/// How much the volume changes while the tip swings by the least angle of a first result. Joints off the middle of
/// their section, and weights that reach far into the body, change it with every turn. All joints turn alike about one
/// of their axes; the worst axis counts, of those that swing the tip.
double volume_change_of_swing(const Character& character, const Flesh& flesh) {
  constexpr double kTurn = 0.02;  // rad
  SteppedBody body{.free = flesh.controls};
  tie_nodes(character, flesh, body);
  const auto workspace = body.rig->make_workspace();
  Vec s, rest, turned;
  const auto nodes = [&](int axis, Vec& x) {
    Vec p = body.rig->rest();
    for (std::size_t k = 0; axis >= 0 && k < body.free.size(); k += 3)
      p[body.free[k + static_cast<std::size_t>(axis)]] += kTurn;
    body.rig->evaluate(*workspace, p, s);
    body.ties.apply(s, x);
  };
  const auto volume = [&](const Vec& x) { return volumes({x, flesh.mesh.tets}).sum(); };
  nodes(-1, rest);
  double swings[3], changes[3];
  for (int axis = 0; axis < 3; ++axis) {
    nodes(axis, turned);
    changes[axis] = std::abs(volume(turned) / volume(rest) - 1), swings[axis] = 0;
    for (int i = 0; i < flesh.mesh.point_count(); ++i)
      swings[axis] = std::max(swings[axis], (point(turned, i) - point(rest, i)).norm() / flesh.chain_length);
  }
  const double most = *std::max_element(swings, swings + 3);
  double worst = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (swings[axis] > 0.5 * most) worst = std::max(worst, changes[axis] / swings[axis] * kLeastSwing);
  return worst;
}

}  // namespace

ChainShape chain_shape(const Character& character, const RiggedSurface& surface, const Weld& welded, const Part& part) {
  ChainShape shape{.controls = turns_of(character, part.bones), .motion = {}, .why_rods = {}};
  shape.motion = motion_of(character, shape.controls);
  const Vec3 root = translation(surface.bones[part.bones.front()]);
  const TriMesh& skin = welded.mesh;
  Box box;
  std::vector<char> moved(static_cast<std::size_t>(skin.point_count()), 0);
  for (std::size_t i = 0; i < welded.point.size(); ++i) {
    if (!(shape.motion[static_cast<Eigen::Index>(i)] > kMoved)) continue;
    const Vec3 x = point(skin.points, welded.point[i]);
    moved[welded.point[i]] = 1;
    box.include(x);
    shape.length = std::max(shape.length, (x - root).norm());
  }
  std::vector<Triangle> own;
  for (const Triangle& triangle : skin.triangles)
    if (moved[triangle[0]] && moved[triangle[1]] && moved[triangle[2]]) own.push_back(triangle);
  // The skin of the chain is open at its root: the volume is closed by a cone over the hole.
  const Vec3 middle = middle_of_hole({skin.points, own}, box.center());
  double volume = 0, area = 0;
  for (const auto& [i, j, k] : own) {
    const Vec3 a = point(skin.points, i), b = point(skin.points, j), c = point(skin.points, k);
    area += (b - a).cross(c - a).norm() / 2;
    volume += (a - middle).dot((b - middle).cross(c - middle)) / 6;
  }
  if (area > 0) {
    const double along = std::max(shape.length, length_along(character, surface, part));
    // In 32-bit floats: sums differ in their last bits with the order of triangles, and the lattice is that wide.
    shape.thickness = static_cast<float>(4 * std::max(0.0, volume) / area);
    shape.roundness = 4 * std::numbers::pi * std::max(0.0, volume) * along / (area * area);
  }
  char text[80] = "";
  if (part.bones.size() < 2)
    std::snprintf(text, sizeof text, "one joint");
  else if (shape.thickness < kLeastThickness * shape.length)
    std::snprintf(text, sizeof text, "its thickness is %.0f %% of its length", 100 * shape.thickness / shape.length);
  else if (shape.roundness < kLeastRoundness)
    std::snprintf(text, sizeof text, "its section is not round");
  else if (shape.thickness < kCellsAcross * kLeastCell * surface.size)
    std::snprintf(text, sizeof text, "it is small");
  shape.why_rods = text;
  return shape;
}

std::shared_ptr<const Flesh> chain_flesh(const Character& character, const RiggedSurface& surface, const Part& part,
                                         const ChainShape& shape, const SoftenOptions& options) {
  const double cell = std::max(shape.thickness / kCellsAcross, kLeastCell * surface.size);
  // Only the skin near the chain is kept and filled: nodes at the cut are far from all that moves, and held.
  Box near;
  for (int i = 0; i < surface.mesh.point_count(); ++i)
    if (shape.motion[i] > kMoved) near.include(point(surface.mesh.points, i));
  const Vec3 margin = Vec3::Constant(1.5 * shape.thickness);
  RiggedSurface around = surface;
  std::erase_if(around.mesh.triangles, [&](const Triangle& triangle) {
    return std::none_of(triangle.begin(), triangle.end(), [&](int i) {
      const Vec3 x = point(surface.mesh.points, i);
      return ((x - near.low + margin).array() >= 0).all() && ((near.high + margin - x).array() >= 0).all();
    });
  });
  Region region = chain_region(character, around, shape.motion, options, part.bones, cell);
  const auto any = [&](FleshNode kind) {
    return std::find(region.nodes.begin(), region.nodes.end(), kind) != region.nodes.end();
  };
  if (!any(FleshNode::skin) || !any(FleshNode::interior) || !any(FleshNode::held)) return nullptr;
  const std::vector<double> depth = depths(character, part.bones);
  std::vector<double> of_node(region.nodes.size(), 0);
  for (std::size_t i = 0; i < of_node.size(); ++i)
    for (const auto& [bone, weight] : region.bones[i]) of_node[i] += weight * depth[bone];
  const std::shared_ptr<Flesh> flesh = flesh_of(std::move(region), surface.frame);
  for (const Tet& tet : flesh->mesh.tets)
    flesh->depths.push_back((of_node[tet[0]] + of_node[tet[1]] + of_node[tet[2]] + of_node[tet[3]]) / 4);
  flesh->chain_length = surface.frame.size * shape.length;
  flesh->thickness = surface.frame.size * shape.thickness;
  flesh->joints = part.bones;
  flesh->controls = shape.controls;
  return flesh;
}

namespace {

/// "tail" of tail_2, "ear" of ear_l and ear_l_2.
std::string_view word_of_part(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  if (end < name.size() && end > 1 && name[end - 1] == '_') name.remove_suffix(name.size() - end + 1);
  if (name.ends_with("_l") || name.ends_with("_r")) name.remove_suffix(2);
  return name;
}

/// Alike parts move alike: where one of them has to move as rods, a solid beside it would swing at another rate.
void align_forms(std::vector<Part>& parts, std::span<const int> chains, std::vector<std::string>& why_rods) {
  for (std::size_t a = 0; a < chains.size(); ++a)
    for (std::size_t b = 0; b < chains.size(); ++b) {
      Part &solid = parts[static_cast<std::size_t>(chains[a])], &rods = parts[static_cast<std::size_t>(chains[b])];
      if (!solid.flesh || rods.flesh || word_of_part(solid.name) != word_of_part(rods.name)) continue;
      solid.flesh = nullptr;
      why_rods[a] = "so does " + rods.name;
    }
}

}  // namespace

void fill_chains(const Character& character, std::vector<Part>& parts, const SoftenOptions& options,
                 std::vector<std::string>& notes) {
  if (options.chains == ChainForm::rods) return;
  std::optional<RiggedSurface> surface;
  Weld welded;
  std::vector<int> chains;
  std::vector<std::string> why_rods;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Part& part = parts[k];
    if (preset_named(part.preset).flesh || part.bones.empty() || !part.controls.empty() || !part.points.empty())
      continue;
    if (!surface) {
      surface = framed_surface(character);
      welded = weld(surface->mesh);
      orient_outward(welded.mesh);
    }
    ChainShape shape = chain_shape(character, *surface, welded, part);
    if (shape.thickness > 0 && (shape.why_rods.empty() || options.chains == ChainForm::solids))
      part.flesh = chain_flesh(character, *surface, part, shape, options);
    if (part.flesh && options.chains == ChainForm::automatic)
      if (const double change = volume_change_of_swing(character, *part.flesh); change > kMostVolumeChange) {
        part.flesh = nullptr;
        shape.why_rods = "its volume would change by " + std::to_string(std::lround(100 * change)) +
                         " % as its tip swings by 5 degrees";
      }
    chains.push_back(static_cast<int>(k));
    why_rods.push_back(shape.why_rods.empty() ? "it has no inside" : shape.why_rods);
  }
  if (options.chains == ChainForm::automatic) align_forms(parts, chains, why_rods);
  for (std::size_t k = 0; k < chains.size(); ++k) {
    const Part& part = parts[static_cast<std::size_t>(chains[k])];
    notes.push_back(part.name +
                    (part.flesh ? " moves as a solid of " + std::to_string(part.flesh->mesh.tets.size()) + " tetrahedra"
                                : " moves as rods: " + why_rods[k]));
  }
}

}  // namespace rigspace
