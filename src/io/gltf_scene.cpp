#include "gltf_scene.h"
#include "rigspace/base/decompositions.h"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace rigspace {
namespace {

std::string node_name(const GltfDocument& document, int node) {
  return document.text(document.item("nodes", node), "name", "node " + std::to_string(node));
}

std::vector<int> read_parents(const GltfDocument& document) {
  const int n = document.size_of("nodes");
  std::vector<int> parent(n, -1);
  for (int i = 0; i < n; ++i)
    for (const Json& child : document.list(document.item("nodes", i), "children", document.label("nodes", i))) {
      const int c = document.index_value(child, "child node", document.label("nodes", i), "nodes");
      if (parent[c] >= 0)
        document.fail(document.label("nodes", c),
                      "is a child of both " + document.label("nodes", parent[c]) + " and " + document.label("nodes", i),
                      "a node may have one parent only", std::to_string(c));
      parent[c] = i;
    }
  return parent;
}

/// With one parent each, nodes that no root reaches run in circles. Returns all nodes, parents first.
std::vector<int> parents_first(const GltfDocument& document, const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> order;
  std::vector<char> state(n, 0);  // 1: on the way up, 2: placed
  std::vector<int> way;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j >= 0 && state[j] != 2; j = parent[j]) {
      if (state[j] == 1)
        document.fail(document.label("nodes", j), "is its own ancestor", "remove the circle of children",
                      std::to_string(j));
      state[j] = 1;
      way.push_back(j);
    }
    for (; !way.empty(); way.pop_back()) {
      state[way.back()] = 2;
      order.push_back(way.back());
    }
  }
  return order;
}

/// A rotation of ordinary length; identity, and true in `repaired`, where there is none.
Quat read_rotation(const std::vector<double>& q, bool& repaired) {
  const Eigen::Map<const Vec4> v(q.data());
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 1e-9)) {
    repaired = true;
    return Quat::Identity();
  }
  const Quat rotation(v[3], v[0], v[1], v[2]);
  if (std::abs(rotation.squaredNorm() - 1) < 1e-6) return rotation;
  const Vec4 scaled = (v / largest).normalized();
  return Quat(scaled[3], scaled[0], scaled[1], scaled[2]);
}

NodeTransform read_transform(const GltfDocument& document, int node, std::vector<std::string>& warnings) {
  const Json& json = document.item("nodes", node);
  const std::string element = document.label("nodes", node);
  if (const auto m = document.numbers(json, "matrix", element, 16); !m.empty()) {
    const Eigen::Map<const Mat4> matrix(m.data());
    if ((matrix.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() > 1e-6)
      document.fail(element, "has a matrix whose last row is not 0 0 0 1", "projective nodes do not exist in glTF");
    return decompose(matrix.topRows<3>());
  }
  NodeTransform transform;
  if (const auto t = document.numbers(json, "translation", element, 3); !t.empty())
    transform.translation = Eigen::Map<const Vec3>(t.data());
  if (const auto s = document.numbers(json, "scale", element, 3); !s.empty())
    transform.scale = Eigen::Map<const Vec3>(s.data());
  if (const auto q = document.numbers(json, "rotation", element, 4); !q.empty()) {
    bool repaired = false;
    transform.rotation = read_rotation(q, repaired);
    if (repaired) warnings.push_back(element + " has a rotation of length zero; it is taken as none.");
  }
  return transform;
}

/// The roots of the default scene and all below them.
std::vector<char> in_default_scene(const GltfDocument& document, const std::vector<int>& parent,
                                   const std::vector<int>& order) {
  std::vector<char> present(parent.size(), 0);
  int scene = document.index(document.json, "scene", "the document", "scenes");
  if (scene < 0 && document.size_of("scenes") > 0) scene = 0;
  if (scene < 0) {
    for (std::size_t i = 0; i < parent.size(); ++i) present[i] = 1;
    return present;
  }
  const std::string element = document.label("scenes", scene);
  for (const Json& root : document.list(document.item("scenes", scene), "nodes", element)) {
    const int i = document.index_value(root, "node", element, "nodes");
    if (parent[i] >= 0)
      document.fail(
          element,
          "lists " + document.label("nodes", i) + ", which is a child of " + document.label("nodes", parent[i]),
          "list its root instead", std::to_string(i));
    present[i] = 1;
  }
  for (const int i : order)
    if (parent[i] >= 0 && present[parent[i]]) present[i] = 1;
  return present;
}

/// Joints outside the scene move skins inside it all the same.
void include_joints(const GltfDocument& document, GltfScene& scene, std::vector<std::string>& warnings) {
  std::vector<char> done(document.size_of("skins"), 0);
  int added = 0;
  const std::vector<char> shown = scene.present;
  for (std::size_t i = 0; i < scene.parent.size(); ++i) {
    const std::string element = document.label("nodes", static_cast<int>(i));
    if (!shown[i]) continue;
    const int skin = document.index(document.item("nodes", static_cast<int>(i)), "skin", element, "skins");
    if (skin < 0 || done[skin]) continue;
    done[skin] = 1;
    const std::string skin_element = document.label("skins", skin);
    for (const Json& joint : document.list(document.item("skins", skin), "joints", skin_element))
      for (int j = document.index_value(joint, "joint node", skin_element, "nodes"); j >= 0 && !scene.present[j];
           j = scene.parent[j], ++added)
        scene.present[j] = 2;  // needed, but what it carries is not shown
  }
  if (added > 0)
    warnings.push_back(std::to_string(added) +
                       " joints lie outside the default scene; they move its skins all the same.");
}

}  // namespace

Affine NodeTransform::matrix() const {
  Affine local;
  linear(local) = rotation.normalized().toRotationMatrix() * scale.asDiagonal();
  rigspace::translation(local) = translation;
  return compose(local, constant);
}

NodeTransform decompose(const Affine& matrix) {
  NodeTransform result;
  result.translation = translation(matrix);
  const Mat3 L = linear(matrix);
  Vec3 scale = L.colwise().norm().transpose();
  const double largest = scale.maxCoeff();
  if (largest > 0 && scale.minCoeff() > 1e-9 * largest) {
    if (L.determinant() < 0) scale[0] = -scale[0];
    const Mat3 R = L * scale.cwiseInverse().asDiagonal();
    if ((R.transpose() * R - Mat3::Identity()).norm() < 1e-6) {
      result.rotation = Quat(R).normalized();
      result.scale = scale;
      return result;
    }
  }
  // Sheared or flat: L = R K with R the rotation nearest to L, and no scale to animate.
  result.rotation = Quat(nearest_rotation(L)).normalized();
  linear(result.constant) = result.rotation.toRotationMatrix().transpose() * L;
  return result;
}

GltfScene read_scene(const GltfDocument& document, std::vector<std::string>& warnings) {
  GltfScene scene;
  const int n = document.size_of("nodes");
  document.spend(400 * static_cast<std::uint64_t>(n), "the list of nodes");
  scene.parent = read_parents(document);
  const std::vector<int> order = parents_first(document, scene.parent);
  scene.present = in_default_scene(document, scene.parent, order);
  include_joints(document, scene, warnings);
  std::vector<std::string> names(n);
  for (int i = 0; i < n; ++i) {
    names[i] = node_name(document, i);
    if (names[i].empty()) names[i] = "node" + std::to_string(i);
    scene.transform.push_back(read_transform(document, i, warnings));
  }
  scene.names = unique_names(std::move(names));
  scene.world.assign(n, Affine::Identity());
  for (const int i : order) {
    if (!scene.present[i]) continue;
    scene.order.push_back(i);
    const Affine local = scene.transform[i].matrix();
    scene.world[i] = scene.parent[i] < 0 ? local : compose(scene.world[scene.parent[i]], local);
  }
  return scene;
}

std::vector<std::string> unique_names(std::vector<std::string> names) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> repeats;
  for (std::string& name : names) {
    if (taken.insert(name).second) continue;
    int& count = repeats.try_emplace(name, 1).first->second;
    std::string candidate;
    do candidate = name + "#" + std::to_string(++count);
    while (!taken.insert(candidate).second);
    name = std::move(candidate);
  }
  return names;
}

std::vector<std::string> morph_names(const GltfDocument& document, int mesh) {
  const Json& json = document.item("meshes", mesh);
  const std::string element = document.label("meshes", mesh);
  std::size_t count = 0;
  for (const Json& primitive : document.list(json, "primitives", element))
    count = std::max(count, document.list(primitive, "targets", element).size());
  // targetNames is a habit of exporters, not part of glTF: a malformed one is no reason to refuse the file.
  const Json* extras = GltfDocument::find(json, "extras");
  const Json* given = extras ? GltfDocument::find(*extras, "targetNames") : nullptr;
  std::vector<std::string> names;
  for (std::size_t m = 0; m < count; ++m) {
    const bool named = given && given->is_array() && m < given->size() && (*given)[m].is_string();
    std::string name = named ? (*given)[m].get<std::string>() : std::string();
    names.push_back(name.empty() ? "morph" + std::to_string(m) : std::move(name));
  }
  return unique_names(std::move(names));
}

std::vector<std::string> clip_names(const GltfDocument& document) {
  std::vector<std::string> names;
  for (int i = 0; i < document.size_of("animations"); ++i) {
    names.push_back(document.text(document.item("animations", i), "name", "animation " + std::to_string(i)));
    if (names.back().empty()) names.back() = "animation" + std::to_string(i);
  }
  return unique_names(std::move(names));
}

}  // namespace rigspace
