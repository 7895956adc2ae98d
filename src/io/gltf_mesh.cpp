#include "gltf_loader.h"

#include <cmath>

namespace rigspace {
namespace {

constexpr std::int64_t kMostPoints = 500'000'000;  // so that coordinates are counted in int

using Triangles = std::vector<std::array<int, 3>>;

/// The corners in the order drawn, each below `count`.
std::vector<std::uint32_t> read_corners(const GltfDocument& document, const Json& primitive, int count,
                                        const std::string& element) {
  const int accessor = document.index(primitive, "indices", element, "accessors");
  std::vector<std::uint32_t> corners;
  if (accessor < 0) {
    corners.resize(count);
    for (int i = 0; i < count; ++i) corners[i] = i;
    return corners;
  }
  corners = document.read_integers(accessor, "SCALAR");
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (corners[i] >= static_cast<std::uint32_t>(count))
      document.fail(element, "has index " + std::to_string(corners[i]) + " at " + std::to_string(i),
                    "it has only " + std::to_string(count) + " vertices", std::to_string(corners[i]));
  return corners;
}

/// Triangles over the rig's points; strips turn every second one round (glTF 2.0, 3.7.2.1).
Triangles read_triangles(GltfLoader& loader, const Json& primitive, const Piece& piece, bool mirrored,
                         const std::string& element) {
  const GltfDocument& document = loader.document;
  const auto mode = document.integer(primitive, "mode", element, 6).value_or(4);
  if (mode < 4) return {};
  const auto corners = read_corners(document, primitive, piece.point_count, element);
  const int n = static_cast<int>(corners.size());
  document.spend(std::uint64_t{24} * n, element);
  if (mode == 4 && n % 3 != 0)
    loader.warn(element + " has " + std::to_string(n) + " indices, no multiple of 3; the last ones are ignored.");
  Triangles triangles;
  const auto add = [&](int a, int b, int c) {
    if (mirrored) std::swap(b, c);
    const auto at = [&](int k) { return piece.first_point + static_cast<int>(corners[k]); };
    triangles.push_back({at(a), at(b), at(c)});
  };
  if (mode == 4)
    for (int i = 0; i + 2 < n; i += 3) add(i, i + 1, i + 2);
  else if (mode == 5)
    for (int i = 0; i + 2 < n; ++i) add(i, i + 1 + i % 2, i + 2 - i % 2);
  else
    for (int i = 1; i + 1 < n; ++i) add(i, i + 1, 0);
  return triangles;
}

/// An attribute of the piece's vertices; empty where there is none. `types` are those allowed.
std::vector<double> read_attribute(const GltfDocument& document, const Json& attributes, const std::string& name,
                                   std::initializer_list<const char*> types, int count, const std::string& element) {
  const int accessor = document.index(attributes, name.c_str(), element, "accessors");
  if (accessor < 0) return {};
  const std::string type = document.text(document.item("accessors", accessor), "type", element);
  const char* expected = *types.begin();
  for (const char* allowed : types)
    if (type == allowed) expected = allowed;
  if (const auto shape = document.accessor_shape(accessor); shape.count != count)
    document.fail(element, "has " + std::to_string(shape.count) + " entries in " + name,
                  "it has " + std::to_string(count) + " vertices", std::to_string(shape.count));
  return document.read_numbers(accessor, expected);
}

void read_appearance(GltfLoader& loader, const Json& primitive, Piece& piece, const std::string& element) {
  const GltfDocument& document = loader.document;
  const Json& attributes = document.object(primitive, "attributes", element);
  const int n = piece.point_count;
  piece.material = document.index(primitive, "material", element, "materials");
  document.spend(std::uint64_t{36} * n, element);
  const auto normals = read_attribute(document, attributes, "NORMAL", {"VEC3"}, n, element);
  for (std::size_t i = 0; i + 2 < normals.size(); i += 3)
    piece.rest_normals.push_back(Eigen::Map<const Vec3>(&normals[i]).cast<float>());
  const TextureUse use = texture_use(document, piece.material);
  const auto uv = read_attribute(document, attributes, "TEXCOORD_" + std::to_string(use.set), {"VEC2"}, n, element);
  for (std::size_t i = 0; i + 1 < uv.size(); i += 2)
    piece.uv.push_back(use.transform * Eigen::Vector3f(static_cast<float>(uv[i]), static_cast<float>(uv[i + 1]), 1));
  const auto colors = read_attribute(document, attributes, "COLOR_0", {"VEC4", "VEC3"}, n, element);
  const std::size_t width = n > 0 ? colors.size() / n : 0;
  for (std::size_t i = 0; width > 0 && i < colors.size(); i += width) {
    Vec4 color(colors[i], colors[i + 1], colors[i + 2], width == 4 ? colors[i + 3] : 1);
    piece.colors.push_back(color.cast<float>());
  }
}

/// Blend shapes of one primitive, or null if it has none. Offsets of zero are left out.
std::unique_ptr<Deformer> load_morphs(GltfLoader& loader, int node, const Json& primitive, int first_point, int count,
                                      const std::string& element) {
  const GltfDocument& document = loader.document;
  const Json& targets = document.list(primitive, "targets", element);
  std::vector<MorphTarget> morphs;
  std::size_t moved_at_all = 0;
  for (std::size_t m = 0; m < targets.size(); ++m) {
    const std::string target = element + " target " + std::to_string(m);
    const auto offsets = read_attribute(document, targets[m], "POSITION", {"VEC3"}, count, target);
    MorphTarget morph{.weight_slot = loader.morph_slots[node][m], .points = {}, .offsets = {}};
    std::size_t moved = 0;
    for (std::size_t i = 0; i + 2 < offsets.size(); i += 3)
      moved += offsets[i] != 0 || offsets[i + 1] != 0 || offsets[i + 2] != 0;
    moved_at_all += moved;
    // Here, and again, with derivatives' bookkeeping, in the deformer.
    document.spend(80 * moved + 200, target);
    morph.points.reserve(moved);
    morph.offsets.reserve(moved);
    for (int k = 0; moved > 0 && k < count; ++k) {
      const Vec3 offset = Eigen::Map<const Vec3>(&offsets[3 * static_cast<std::size_t>(k)]);
      if (offset.isZero(0)) continue;
      morph.points.push_back(k);
      morph.offsets.push_back(offset);
    }
    morphs.push_back(std::move(morph));
  }
  return moved_at_all == 0 ? nullptr : make_blend_shapes(first_point, count, morphs);
}

void load_primitive(GltfLoader& loader, int node, const Json& primitive, std::string name, const std::string& element) {
  const GltfDocument& document = loader.document;
  const Json& attributes = document.object(primitive, "attributes", element);
  const int position = document.index(attributes, "POSITION", element, "accessors");
  const std::int64_t count = position < 0 ? 0 : document.accessor_shape(position).count;
  if (count == 0) {
    loader.warn(element + " has no vertices and is left out.");
    return;
  }
  document.spend(600 + 200 * static_cast<std::uint64_t>(count), element);  // here, and in the rig
  if (count > kMostPoints - static_cast<std::int64_t>(loader.points.size() / 3))
    document.fail(element, "brings the scene to more than " + std::to_string(kMostPoints) + " points", "split the file",
                  std::to_string(count));
  const auto points = document.read_numbers(position, "VEC3");
  Piece piece{.name = std::move(name),
              .first_point = static_cast<int>(loader.points.size() / 3),
              .point_count = static_cast<int>(count)};
  read_appearance(loader, primitive, piece, element);
  if (auto morphs = load_morphs(loader, node, primitive, piece.first_point, piece.point_count, element))
    loader.deformers.push_back(std::move(morphs));
  auto skin = load_skin(loader, node, primitive, piece.first_point, piece.point_count, element);
  // A node that mirrors turns its triangles round (glTF 2.0, 3.7.4); a skinned mesh does not feel its node.
  const bool mirrored = !skin && linear(loader.scene.world[node]).determinant() < 0;
  piece.triangles = read_triangles(loader, primitive, piece, mirrored, element);
  if (!skin) skin = make_rigid(piece.first_point, piece.point_count, loader.slot[node]);
  loader.deformers.push_back(std::move(skin));
  loader.points.insert(loader.points.end(), points.begin(), points.end());
  loader.character.pieces.push_back(std::move(piece));
}

/// What to_glb calls a piece whose node has another name; empty in other files.
std::string piece_name(const Json& primitive) {
  if (!primitive.is_object() || !primitive.contains("extras") || !primitive["extras"].is_object()) return {};
  const auto found = primitive["extras"].find(kPieceName);
  return found != primitive["extras"].end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void load_meshes(GltfLoader& loader) {
  const GltfDocument& document = loader.document;
  for (int node = 0; node < static_cast<int>(loader.slot.size()); ++node) {
    if (loader.scene.present[node] != 1) continue;
    const int mesh = document.index(document.item("nodes", node), "mesh", document.label("nodes", node), "meshes");
    if (mesh < 0) continue;
    const std::string mesh_element = document.label("meshes", mesh);
    const Json& primitives = document.list(document.item("meshes", mesh), "primitives", mesh_element);
    for (std::size_t k = 0; k < primitives.size(); ++k) {
      const std::string element = mesh_element + " primitive " + std::to_string(k);
      const std::string& name = loader.scene.names[node];
      std::string own = piece_name(primitives[k]);
      if (own.empty()) own = k == 0 ? name : name + "#" + std::to_string(k + 1);
      load_primitive(loader, node, primitives[k], std::move(own), element);
    }
  }
}

}  // namespace rigspace
