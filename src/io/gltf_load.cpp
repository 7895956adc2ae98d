#include "gltf_loader.h"

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace rigspace {
namespace {

/// The largest distance between two points of the plane: of those at the corners of their convex hull.
double diameter(std::vector<Eigen::Vector2d> points) {
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
  std::vector<Eigen::Vector2d> hull;  // the lower half, then the upper one (Andrew 1979)
  for (const bool upper : {false, true}) {
    const std::size_t first = hull.size();
    for (const Eigen::Vector2d& x : points) {
      const auto turns_back = [&] {
        const Eigen::Vector2d a = hull.back() - hull[hull.size() - 2], b = x - hull.back();
        return a.x() * b.y() <= a.y() * b.x();
      };
      while (hull.size() >= first + 2 && turns_back()) hull.pop_back();
      hull.push_back(x);
    }
    if (!upper) std::reverse(points.begin(), points.end());
  }
  double most = 0;
  for (const Eigen::Vector2d& a : hull)
    for (const Eigen::Vector2d& b : hull) most = std::max(most, (a - b).norm());
  return most;
}

/// The size of everything that stands in the scene at rest, joints and the corners of the meshes' bounds in the file:
/// the diagonal of its height and of its largest level distance. It is the same whichever way the scene is turned.
double scene_size(const GltfLoader& loader) {
  const GltfDocument& document = loader.document;
  std::vector<Vec3> points;
  for (const int i : loader.scene.order) {
    const Affine& world = loader.scene.world[i];
    points.emplace_back(translation(world));
    const Json& node = document.item("nodes", i);
    const int mesh = document.index(node, "mesh", document.label("nodes", i), "meshes");
    if (mesh < 0 || GltfDocument::find(node, "skin")) continue;
    const std::string element = document.label("meshes", mesh);
    for (const Json& primitive : document.list(document.item("meshes", mesh), "primitives", element)) {
      const Json& attributes = document.object(primitive, "attributes", element);
      const int position = document.index(attributes, "POSITION", element, "accessors");
      if (position < 0) continue;
      const Json& accessor = document.item("accessors", position);
      const std::string label = "accessor " + std::to_string(position);
      for (const char* corner : {"min", "max"})
        if (const auto v = document.numbers(accessor, corner, label, 3); !v.empty())
          points.push_back(apply(world, Eigen::Map<const Vec3>(v.data())));
    }
  }
  std::vector<Eigen::Vector2d> level;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& x : points) {
    if (!x.allFinite()) continue;
    level.emplace_back(x.x(), x.z());
    low = std::min(low, x.y()), high = std::max(high, x.y());
  }
  const double size = level.empty() ? 0 : std::hypot(high - low, diameter(std::move(level)));
  return std::isfinite(size) && size > 0 ? size : 1;
}

/// Controls, operators and the list of controls that reach a node, which grows with its depth.
std::uint64_t memory_of_node(const std::string& name, std::uint64_t depth) {
  return 6000 + 32 * name.size() + depth * 13 * 8;
}

void load_morph_weights(GltfLoader& loader, int node, int mesh) {
  const GltfDocument& document = loader.document;
  const std::vector<std::string> names = morph_names(document, mesh);
  const std::string element = document.label("nodes", node);
  const int n = static_cast<int>(names.size());
  document.spend(1500 * static_cast<std::uint64_t>(n), element);
  std::vector<double> rest(n, 0.0);
  const Json& owner = document.item("nodes", node);
  const bool own = GltfDocument::find(owner, "weights");
  const Json& weights = own ? owner : document.item("meshes", mesh);
  if (GltfDocument::find(weights, "weights") && n > 0)
    rest = document.numbers(weights, "weights", own ? element : document.label("meshes", mesh), n);
  for (int m = 0; m < n; ++m) {
    loader.morph_controls[node].push_back(static_cast<int>(loader.graph->controls().size()));
    loader.morph_slots[node].push_back(add_scalar(
        *loader.graph,
        {.name = loader.scene.names[node] + ":" + names[m], .node = loader.scene.names[node], .rest = rest[m]}));
  }
}

/// Of a file without a skin, a toy of solid pieces: the nodes that hold a mesh, and those that such nodes hang on.
void mark_nodes_of_pieces(const GltfLoader& loader, std::vector<char>& is_joint) {
  const GltfDocument& document = loader.document;
  for (const int i : loader.scene.order) {
    const int mesh = document.index(document.item("nodes", i), "mesh", document.label("nodes", i), "meshes");
    for (int n = i; mesh >= 0 && loader.scene.present[i] == 1 && n >= 0 && !is_joint[n]; n = loader.scene.parent[n])
      is_joint[n] = 1;
  }
}

/// Joints of the skins in use, in the order of their nodes; a bone's parent is the nearest joint above it. Where there
/// is no skin, the nodes that hold pieces.
void load_bones(GltfLoader& loader) {
  const GltfDocument& document = loader.document;
  std::vector<char> is_joint(loader.slot.size(), 0);
  std::vector<char> done(document.size_of("skins"), 0);
  for (const int i : loader.scene.order) {
    const int skin = document.index(document.item("nodes", i), "skin", document.label("nodes", i), "skins");
    if (skin < 0 || loader.scene.present[i] != 1 || done[skin]) continue;
    done[skin] = 1;
    for (const Json& joint : document.list(document.item("skins", skin), "joints", document.label("skins", skin)))
      is_joint[document.index_value(joint, "joint node", document.label("skins", skin), "nodes")] = 1;
  }
  if (std::none_of(is_joint.begin(), is_joint.end(), [](char joint) { return joint != 0; }))
    mark_nodes_of_pieces(loader, is_joint);
  std::vector<int> bone_above(loader.slot.size(), -1);
  for (const int i : loader.scene.order) {
    const int parent = loader.scene.parent[i];
    const int above = parent < 0 ? -1 : bone_above[parent];
    bone_above[i] = above;
    if (!is_joint[i]) continue;
    bone_above[i] = static_cast<int>(loader.character.bones.size());
    loader.character.bones.push_back({.name = loader.scene.names[i], .parent = above, .slot = loader.slot[i]});
  }
}

/// Joints of scale zero hide what they hold. That is no mistake, but whoever softens the character should know.
void name_flat_joints(GltfLoader& loader) {
  std::string names;
  int count = 0;
  for (const int i : loader.scene.order) {
    const Vec3& scale = loader.scene.transform[i].scale;
    if (scale.cwiseAbs().minCoeff() > 0) continue;
    const std::string& name = loader.scene.names[i];
    const auto joint = std::find_if(loader.character.bones.begin(), loader.character.bones.end(),
                                    [&](const Bone& bone) { return bone.name == name; });
    if (joint == loader.character.bones.end()) continue;
    if (++count <= 3) names += (count > 1 ? ", \"" : "\"") + name + "\"";
  }
  if (count > 0)
    loader.warn(std::to_string(count) + (count == 1 ? " joint has" : " joints have") + " a scale of zero at rest (" +
                names + (count > 3 ? ", .." : "") + "); flesh there follows the joint above.");
}

void require_finite_rest(const GltfLoader& loader, const BuiltInRig& rig) {
  const auto workspace = rig.make_workspace();
  Vec points;
  rig.evaluate(*workspace, rig.rest(), points);
  if (!points.allFinite())
    loader.document.fail("", "has a rest pose whose points are not finite",
                         "its transforms are too large; reduce them");
}

}  // namespace

void load_nodes(GltfLoader& loader) {
  const GltfDocument& document = loader.document;
  const std::size_t n = loader.scene.parent.size();
  loader.slot.assign(n, -1);
  loader.morph_slots.resize(n);
  loader.morph_controls.resize(n);
  const double typical = 0.1 * scene_size(loader);
  std::vector<int> depth(n, 0);
  for (const int i : loader.scene.order) {
    const int parent = loader.scene.parent[i];
    depth[i] = parent < 0 ? 0 : depth[parent] + 1;
    document.spend(memory_of_node(loader.scene.names[i], depth[i]), document.label("nodes", i));
    const NodeTransform& transform = loader.scene.transform[i];
    // A translation is measured in the parent's units; armatures scaled by 100 exist.
    const double unit = parent < 0 ? 1 : std::cbrt(std::abs(Mat3(linear(loader.scene.world[parent])).determinant()));
    loader.slot[i] = add_node(*loader.graph, {.name = loader.scene.names[i],
                                              .parent_slot = parent < 0 ? -1 : loader.slot[parent],
                                              .translation = transform.translation,
                                              .rotation = transform.rotation,
                                              .scale = transform.scale,
                                              .constant = transform.constant,
                                              .typical_length = unit > 1e-9 && unit < 1e9 ? typical / unit : typical});
    const int mesh = document.index(document.item("nodes", i), "mesh", document.label("nodes", i), "meshes");
    if (mesh >= 0 && loader.scene.present[i] == 1) load_morph_weights(loader, i, mesh);
  }
  load_bones(loader);
  name_flat_joints(loader);
}

Character build_character(const GltfDocument& document) {
  GltfLoader loader(document);
  loader.character.name = std::filesystem::path(document.file).stem().string();
  loader.character.warnings = document.warnings;
  loader.scene = read_scene(document, loader.character.warnings);
  load_nodes(loader);
  load_materials(loader);
  load_meshes(loader);
  load_animations(loader);
  auto rig = std::make_shared<BuiltInRig>(
      loader.graph, Eigen::Map<const Vec>(loader.points.data(), static_cast<Eigen::Index>(loader.points.size())),
      std::move(loader.deformers));
  require_finite_rest(loader, *rig);
  loader.character.rig = std::move(rig);
  return std::move(loader.character);
}

}  // namespace rigspace
