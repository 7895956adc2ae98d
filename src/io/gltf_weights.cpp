#include "rigspace/io/gltf_weights.h"

#include "gltf_loader.h"
#include "gltf_soft.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

class WeightsWriter {
 public:
  WeightsWriter(const GltfFile& file, std::span<const std::vector<Influence>> influences)
      : character_(file.character()),
        influences_(influences),
        document_(GltfDocument::parse(file.to_glb(), file.character().name)),
        scene_(read_scene(document_, known_warnings_)) {}

  std::vector<std::byte> run() {
    document_.trust();
    const std::vector<ShownPrimitive> shown = shown_primitives(document_, scene_);
    if (shown.size() != character_.pieces.size() || std::ssize(influences_) != character_.rig->point_count())
      document_.fail("the weights", "are not for the points of this file", "compute them of the same file");
    for (std::size_t k = 0; k < shown.size(); ++k) write(shown[k], character_.pieces[k]);
    return write_glb(std::move(document_));
  }

 private:
  using Lists = std::vector<std::vector<Influence>>;

  void write(const ShownPrimitive& at, const Piece& piece) {
    const auto lists = influences_.subspan(piece.first_point, piece.point_count);
    if (std::all_of(lists.begin(), lists.end(), [](const auto& list) { return list.empty(); })) return;
    const std::string element = document_.label("nodes", at.node);
    const int skin = document_.index(document_.item("nodes", at.node), "skin", element, "skins");
    if (skin < 0) document_.fail(element, "has no skin", "weights need joints");
    const Lists own = in_skin(lists, skin);
    const auto [known, is_new] = written_.try_emplace({at.mesh, at.primitive}, own);
    if (!is_new) {
      if (!same(known->second, own))
        document_.fail(element, "shows a mesh that another node shows with other weights",
                       "give each a mesh of its own");
      return;
    }
    const int joints = static_cast<int>(document_.list(document_.item("skins", skin), "joints", "skin").size());
    const Json added = append_influences(document_, own, joints);
    Json& attributes = document_.json["meshes"][at.mesh]["primitives"][at.primitive]["attributes"];
    for (int set = 0; set < 64; ++set)
      for (const char* name : {"JOINTS_", "WEIGHTS_"}) attributes.erase(name + std::to_string(set));
    attributes.update(added);
  }

  static bool same(const Lists& a, const Lists& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
      return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Influence& x, const Influence& y) {
        return x.joint == y.joint && std::abs(x.weight - y.weight) < 1e-6;
      });
    });
  }

  /// Joints counted in the file's skin.
  Lists in_skin(std::span<const std::vector<Influence>> lists, int skin) {
    Lists result(lists.begin(), lists.end());
    const std::string element = document_.label("skins", skin);
    const Json& joints = document_.list(document_.item("skins", skin), "joints", element);
    std::map<int, int> place;  // of bones in the skin
    for (int k = 0; k < static_cast<int>(joints.size()); ++k) {
      const int node = document_.index_value(joints[k], "joints", element, "nodes");
      const auto bone = std::find_if(character_.bones.begin(), character_.bones.end(),
                                     [&](const Bone& b) { return b.name == scene_.names[node]; });
      if (bone != character_.bones.end()) place[static_cast<int>(bone - character_.bones.begin())] = k;
    }
    for (auto& list : result)
      for (Influence& each : list) {
        const auto found = place.find(each.joint);
        if (found == place.end()) document_.fail(element, "lacks a joint that has weight", "use its own joints");
        each.joint = found->second;
      }
    return result;
  }

  const Character& character_;
  std::span<const std::vector<Influence>> influences_;
  std::vector<std::string> known_warnings_;
  GltfDocument document_;
  GltfScene scene_;
  std::map<std::pair<int, int>, Lists> written_;
};

}  // namespace

std::vector<std::byte> glb_with_skin_weights(const GltfFile& file, std::span<const std::vector<Influence>> influences) {
  return WeightsWriter(file, influences).run();
}

}  // namespace rigspace
