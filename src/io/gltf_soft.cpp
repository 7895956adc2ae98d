#include "gltf_soft.h"

#include "gltf_loader.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

namespace rigspace {
namespace {

using Influences = std::vector<std::vector<Influence>>;  // per vertex, joints counted in the file's skin

constexpr double kSameWeight = 1e-6;  // two meshes' weights, computed apart, that float32 would hardly tell apart

bool same_influences(const Influences& a, const Influences& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Influence& x, const Influence& y) {
      return x.joint == y.joint && std::abs(x.weight - y.weight) < kSameWeight;
    });
  });
}

/// What a document needs for soft joints. Collected first, so that a document that cannot take them stays as it is.
class SoftJointsWriter {
 public:
  SoftJointsWriter(GltfDocument& document, const SoftJoints& soft, int max_influences)
      : document_(document),
        soft_(soft),
        scene_(read_scene(document, known_warnings_)),
        before_(build_character(document)),
        after_(with_soft_joints(before_, soft, max_influences)),
        shown_(shown_primitives(document, scene_)) {}

  /// Changes nothing yet. False if a mesh is shown by several nodes that need other weights.
  bool plan() {
    find_parents();
    find_touched();
    for (const auto& [piece, skin] : touched_) gather_joints(piece, *skin);
    for (auto& [skin, joints] : new_joints_)
      std::stable_sort(joints.begin(), joints.end(), [](const Joint& a, const Joint& b) { return a.slot < b.slot; });
    for (const auto& [piece, skin] : touched_)
      if (!gather_influences(piece, *skin)) return false;
    return std::all_of(influences_.begin(), influences_.end(), [&](const auto& entry) { return agrees(entry.first); });
  }

  void write() {
    const int first_node = document_.size_of("nodes");
    for (std::size_t s = 0; s < soft_.joints.size(); ++s) {
      const SoftJoint& joint = soft_.joints[s];
      append_node(document_, {.name = joint.name,
                              .parent = joint.above < 0 ? parent_node_[s] : first_node + joint.above,
                              .translation = joint.translation,
                              .rotation = joint.rotation.normalized()});
    }
    for (const auto& [skin, joints] : new_joints_) extend_skin(skin, joints);
    for (const auto& [node, description] : new_skins_) add_skin(node, *description);
    for (const auto& [place, influences] : influences_) write_influences(place, influences);
    for (const auto& [place, influences] : on_bone_) write_influences(place, influences);
  }

 private:
  struct Joint {
    int slot;  ///< in the soft character's graph
    Affine inverse_bind;
  };
  using Place = std::pair<int, int>;  // mesh and primitive

  void find_parents() {
    for (const SoftJoint& joint : soft_.joints) {
      if (std::find(scene_.names.begin(), scene_.names.end(), joint.name) != scene_.names.end())
        document_.fail("soft joint \"" + joint.name + "\"", "has the name of a node outside the scene",
                       "choose another", joint.name);
      const auto& bone = before_.bones[joint.parent].name;
      const auto found = std::find(scene_.names.begin(), scene_.names.end(), bone);
      parent_node_.push_back(static_cast<int>(found - scene_.names.begin()));
      node_of_slot_[before_.bones[joint.parent].slot] = parent_node_.back();
    }
    const std::size_t first = after_.bones.size() - soft_.joints.size();
    for (std::size_t s = 0; s < soft_.joints.size(); ++s)
      node_of_slot_[after_.bones[first + s].slot] = document_.size_of("nodes") + static_cast<int>(s);
  }

  /// A piece is touched where with_soft_joints has made a new skin.
  void find_touched() {
    const auto old_stack = static_cast<const BuiltInRig&>(*before_.rig).deformers();
    const auto new_stack = static_cast<const BuiltInRig&>(*after_.rig).deformers();
    for (std::size_t d = 0; d < new_stack.size(); ++d) {
      if (new_stack[d] == old_stack[d]) continue;
      const int first = new_stack[d]->first();
      const auto piece = std::find_if(before_.pieces.begin(), before_.pieces.end(),
                                      [&](const Piece& p) { return p.first_point == first; });
      touched_[static_cast<int>(piece - before_.pieces.begin())] = skin_description(*new_stack[d]);
    }
  }

  int skin_of(int node) const {
    return document_.index(document_.item("nodes", node), "skin", document_.label("nodes", node), "skins");
  }
  int mesh_of(int node) const {
    return document_.index(document_.item("nodes", node), "mesh", document_.label("nodes", node), "meshes");
  }
  /// A mesh that follows a node rigidly gets a skin of its own.
  bool gets_skin(int piece) const {
    const ShownPrimitive& shown = shown_[piece];
    const Json& attributes = document_.json["meshes"][shown.mesh]["primitives"][shown.primitive]["attributes"];
    return skin_of(shown.node) < 0 || !attributes.contains("JOINTS_0");
  }
  int joint_count(int skin) const {
    return static_cast<int>(document_.list(document_.item("skins", skin), "joints", "skin").size());
  }

  void gather_joints(int piece, const SkinDescription& description) {
    const ShownPrimitive& shown = shown_[piece];
    const int skin = skin_of(shown.node);
    if (gets_skin(piece)) return plan_skin(piece, description);
    for (std::size_t j = joint_count(skin); j < description.joint_slots.size(); ++j)
      if (index_in(skin, description, j) < 0)
        new_joints_[skin].push_back({description.joint_slots[j], description.inverse_bind[j]});
  }

  /// All primitives of a mesh node share its skin: those without soft joints stay on the bone.
  void plan_skin(int piece, const SkinDescription& description) {
    const ShownPrimitive& shown = shown_[piece];
    const auto refuse_node = [&](const char* problem) {
      document_.fail(document_.label("nodes", shown.node), problem, "use morph targets there instead of soft joints");
    };
    if (skin_of(shown.node) >= 0) refuse_node("has a skin, and a primitive that does not follow it");
    if (linear(scene_.world[shown.node]).determinant() < 0) refuse_node("mirrors its mesh, which a skin cannot do");
    for (int other = 0; other < static_cast<int>(shown_.size()); ++other)
      if (shown_[other].node == shown.node && !touched_.contains(other))
        on_bone_[{shown.mesh, shown_[other].primitive}] =
            Influences(static_cast<std::size_t>(before_.pieces[other].point_count), {{0, 1.0}});
    const auto [planned, added] = new_skins_.try_emplace(shown.node, &description);
    if (!added && planned->second->joint_slots != description.joint_slots)
      refuse_node("shows several primitives with other soft joints");
  }

  /// The bone first, then its soft joints.
  void add_skin(int node, const SkinDescription& description) {
    std::vector<float> matrices;
    Json joints = Json::array();
    for (std::size_t j = 0; j < description.joint_slots.size(); ++j) {
      Eigen::Matrix4f matrix = Eigen::Matrix4f::Identity();
      matrix.topRows<3>() = description.inverse_bind[j].cast<float>();
      matrices.insert(matrices.end(), matrix.data(), matrix.data() + 16);
      joints.push_back(node_of_slot_.at(description.joint_slots[j]));
    }
    const int accessor = append_accessor(document_, {.type = "MAT4", .bytes = bytes_of(matrices)});
    const std::string name = scene_.names[node] + "_soft";
    const int skin = append_item(document_, "skins",
                                 {{"name", name}, {"inverseBindMatrices", accessor}, {"joints", std::move(joints)}});
    document_.json["nodes"][node]["skin"] = skin;
  }

  /// Joint j of a primitive's own description, in the file's skin; -1 if it is not there yet.
  int index_in(int skin, const SkinDescription& description, std::size_t j) {
    const int old = joint_count(skin);
    if (j < static_cast<std::size_t>(old)) return static_cast<int>(j);
    const std::vector<Joint>& joints = new_joints_[skin];
    const auto found = std::find_if(joints.begin(), joints.end(), [&](const Joint& joint) {
      return joint.slot == description.joint_slots[j] && joint.inverse_bind == description.inverse_bind[j];
    });
    return found == joints.end() ? -1 : old + static_cast<int>(found - joints.begin());
  }

  bool gather_influences(int piece, const SkinDescription& description) {
    const ShownPrimitive& shown = shown_[piece];
    const int skin = skin_of(shown.node);
    Influences influences = description.influences;
    for (auto& list : influences)
      for (Influence& influence : list)
        if (!gets_skin(piece)) influence.joint = index_in(skin, description, influence.joint);
    const auto [found, added] = influences_.try_emplace({shown.mesh, shown.primitive}, influences);
    return added || same_influences(found->second, influences);
  }

  /// All nodes that show the mesh with a skin, in the scene or not, feel its new weights.
  bool agrees(const Place& place) const {
    std::vector<int> skins;
    for (const auto& [piece, skin] : touched_)
      if (Place(shown_[piece].mesh, shown_[piece].primitive) == place && !gets_skin(piece))
        skins.push_back(skin_of(shown_[piece].node));
    for (int node = 0; node < document_.size_of("nodes"); ++node) {
      if (mesh_of(node) != place.first || skin_of(node) < 0) continue;
      const bool present = scene_.present[node] == 1;
      const bool touched = std::any_of(touched_.begin(), touched_.end(), [&](const auto& entry) {
        return shown_[entry.first].node == node && shown_[entry.first].primitive == place.second;
      });
      const bool known = std::find(skins.begin(), skins.end(), skin_of(node)) != skins.end();
      if (present ? !touched : !known) return false;
    }
    return true;
  }

  void extend_skin(int skin, const std::vector<Joint>& added) {
    const Json& json = document_.item("skins", skin);
    const std::string element = document_.label("skins", skin);
    const std::size_t old = joint_count(skin);
    std::vector<float> matrices;
    const int accessor = document_.index(json, "inverseBindMatrices", element, "accessors");
    if (accessor >= 0)
      for (const double value : document_.read_numbers(accessor, "MAT4")) matrices.push_back(static_cast<float>(value));
    matrices.resize(16 * old, 0.0f);
    for (std::size_t j = 0; accessor < 0 && j < old; ++j)
      for (int k = 0; k < 4; ++k) matrices[16 * j + 5 * k] = 1;
    for (const Joint& joint : added) {
      Eigen::Matrix4f matrix = Eigen::Matrix4f::Identity();
      matrix.topRows<3>() = joint.inverse_bind.cast<float>();
      matrices.insert(matrices.end(), matrix.data(), matrix.data() + 16);
    }
    const int written = append_accessor(document_, {.type = "MAT4", .bytes = bytes_of(matrices)});
    Json& changed = document_.json["skins"][skin];
    changed["inverseBindMatrices"] = written;
    for (const Joint& joint : added) changed["joints"].push_back(node_of_slot_.at(joint.slot));
  }

  /// Primitives that shared their weights may share the new ones.
  void write_influences(const Place& place, const Influences& influences) {
    Json attributes = document_.json["meshes"][place.first]["primitives"][place.second]["attributes"];
    int joints = 0;
    for (const auto& [piece, description] : touched_)
      if (Place(shown_[piece].mesh, shown_[piece].primitive) == place)
        joints = std::max(joints, joint_count(skin_of(shown_[piece].node)));  // new skins are in the document by now
    auto same = std::find_if(written_.begin(), written_.end(), [&](const Written& known) {
      return known.joint_count == joints && same_influences(*known.influences, influences);
    });
    if (same == written_.end()) {
      written_.push_back({joints, &influences, append_influences(document_, influences, joints)});
      same = std::prev(written_.end());
    }
    for (int set = 0; set < 64; ++set)
      for (const char* name : {"JOINTS_", "WEIGHTS_"}) attributes.erase(name + std::to_string(set));
    attributes.update(same->attributes);
    document_.json["meshes"][place.first]["primitives"][place.second]["attributes"] = std::move(attributes);
  }

  struct Written {
    int joint_count;
    const Influences* influences;
    Json attributes;
  };

  GltfDocument& document_;
  const SoftJoints& soft_;
  std::vector<std::string> known_warnings_;
  GltfScene scene_;
  Character before_, after_;
  std::vector<ShownPrimitive> shown_;
  std::vector<int> parent_node_;                     // of each soft joint, in the file
  std::map<int, int> node_of_slot_;                  // of each soft joint
  std::map<int, const SkinDescription*> touched_;    // by piece
  std::map<int, std::vector<Joint>> new_joints_;     // by skin of the file
  std::map<int, const SkinDescription*> new_skins_;  // by mesh node
  std::map<Place, Influences> on_bone_;              // primitives of those that no soft joint moves
  std::map<Place, Influences> influences_;
  std::vector<Written> written_;
};

}  // namespace

std::vector<ShownPrimitive> shown_primitives(const GltfDocument& document, const GltfScene& scene) {
  std::vector<ShownPrimitive> shown;
  for (int node = 0; node < static_cast<int>(scene.parent.size()); ++node) {
    if (scene.present[node] != 1) continue;
    const int mesh = document.index(document.item("nodes", node), "mesh", document.label("nodes", node), "meshes");
    if (mesh < 0) continue;
    const std::string element = document.label("meshes", mesh);
    const Json& primitives = document.list(document.item("meshes", mesh), "primitives", element);
    for (int k = 0; k < static_cast<int>(primitives.size()); ++k) {
      const Json& attributes = document.object(primitives[k], "attributes", element);
      const int position = document.index(attributes, "POSITION", element, "accessors");
      if (position >= 0 && document.accessor_shape(position).count > 0) shown.push_back({node, mesh, k});
    }
  }
  return shown;
}

namespace {

/// Gives every node with a skin a mesh of its own: copies share all accessors until one is written anew.
void separate_meshes(GltfDocument& document) {
  std::set<std::int64_t> taken;
  for (Json& node : document.json["nodes"]) {
    if (!node.contains("mesh") || !node.contains("skin")) continue;
    const auto mesh = node["mesh"].get<std::int64_t>();
    if (taken.insert(mesh).second) continue;
    Json copy = document.json["meshes"][static_cast<std::size_t>(mesh)];
    node["mesh"] = document.json["meshes"].size();
    document.json["meshes"].push_back(std::move(copy));
  }
}

}  // namespace

void append_soft_joints(GltfDocument& document, const SoftJoints& soft, int max_influences) {
  try {
    auto writer = std::make_unique<SoftJointsWriter>(document, soft, max_influences);
    if (!writer->plan()) {
      separate_meshes(document);
      writer = std::make_unique<SoftJointsWriter>(document, soft, max_influences);
      writer->plan();
    }
    writer->write();
  } catch (const Error& error) {
    if (!error.info().file.empty()) throw;
    throw error.in_file(document.file);
  }
}

}  // namespace rigspace
