#include "support/moved_scene.h"

#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace rigspace::testing {
namespace {

std::string list(std::initializer_list<double> numbers) {
  std::string text;
  for (const double number : numbers) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", number);
    text += (text.empty() ? "[" : ",") + std::string(digits);
  }
  return text + "]";
}

template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& engine) {
  for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[engine() % k]);
}

/// items of the points first .. first + count, where they go.
template <class T>
void reorder(std::vector<T>& items, int first, const std::vector<int>& to) {
  const std::vector<T> old = items;
  for (std::size_t k = 0; k < old.size(); ++k) items[static_cast<std::size_t>(to[first + k] - first)] = old[k];
}

std::unique_ptr<Deformer> shuffled_shapes(const Deformer& shapes, const std::vector<int>& to) {
  std::vector<MorphTarget> targets(morph_targets(shapes).begin(), morph_targets(shapes).end());
  for (MorphTarget& target : targets) {
    std::map<int, Vec3> offsets;
    for (std::size_t k = 0; k < target.points.size(); ++k)
      offsets[to[shapes.first() + target.points[k]] - shapes.first()] = target.offsets[k];
    target.points.clear(), target.offsets.clear();
    for (const auto& [point, offset] : offsets) target.points.push_back(point), target.offsets.push_back(offset);
  }
  return make_blend_shapes(shapes.first(), shapes.count(), targets);
}

}  // namespace

Mat3 Placement::rotation() const { return Eigen::AngleAxisd(turn, Vec3::UnitY()).toRotationMatrix(); }

Character moved(const GltfFile& file, const Placement& placement) {
  GltfFile changed(file.to_glb(), file.character().name);
  int scene = 0;
  try {
    scene = std::stoi(changed.json("/scene"));
  } catch (const std::exception&) {  // a document without it shows its first scene
  }
  const std::string at = "/scenes/" + std::to_string(scene) + "/nodes", roots = changed.json(at);
  const int root = changed.add_node({.name = "placement"});
  const std::string node = "/nodes/" + std::to_string(root);
  const double half = 0.5 * placement.turn, s = placement.scale;
  changed.set_json(node, "{\"name\":\"placement\",\"children\":" + roots +
                             ",\"rotation\":" + list({0, std::sin(half), 0, std::cos(half)}) + ",\"translation\":" +
                             list({placement.shift.x(), placement.shift.y(), placement.shift.z()}) +
                             ",\"scale\":" + list({s, s, s}) + "}");
  changed.set_json(at, "[" + std::to_string(root) + "]");
  Character character = load_gltf(changed.to_glb(), file.character().name);
  if (placement.shuffle == 0) return character;
  std::vector<int> to;
  return shuffled(character, placement.shuffle, to);
}

Character shuffled(const Character& character, std::uint64_t seed, std::vector<int>& to) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  std::mt19937_64 engine(seed);
  to.resize(static_cast<std::size_t>(rig.point_count()));
  std::iota(to.begin(), to.end(), 0);
  Character result = character;
  for (Piece& piece : result.pieces) {
    std::vector<int> places(to.begin() + piece.first_point, to.begin() + piece.first_point + piece.point_count);
    shuffle(places, engine);
    std::copy(places.begin(), places.end(), to.begin() + piece.first_point);
  }
  for (Piece& piece : result.pieces) {
    if (!piece.uv.empty()) reorder(piece.uv, piece.first_point, to);
    if (!piece.colors.empty()) reorder(piece.colors, piece.first_point, to);
    if (!piece.rest_normals.empty()) reorder(piece.rest_normals, piece.first_point, to);
    shuffle(piece.triangles, engine);
    for (auto& triangle : piece.triangles) {
      for (int& corner : triangle) corner = to[corner];
      std::rotate(triangle.begin(), triangle.begin() + static_cast<std::ptrdiff_t>(engine() % 3), triangle.end());
    }
  }
  Vec points(rig.points_rest().size());
  for (int i = 0; i < rig.point_count(); ++i) point(points, to[i]) = point(rig.points_rest(), i);
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const auto& deformer : rig.deformers()) {
    if (!morph_targets(*deformer).empty()) {
      deformers.push_back(shuffled_shapes(*deformer, to));
      continue;
    }
    if (!is_linear_skin(*deformer))
      throw std::logic_error("shuffled: a deformer that is neither a linear skin nor blend shapes");
    SkinDescription skin = *skin_description(*deformer);
    reorder(skin.influences, skin.first_point, to);
    deformers.push_back(make_linear_blend_skin(skin));
  }
  result.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), std::move(points), std::move(deformers));
  return result;
}

}  // namespace rigspace::testing
