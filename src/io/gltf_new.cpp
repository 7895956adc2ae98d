// A fresh document from a character made in code.
#include "gltf_pieces.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

/// What moves one piece: first blend shapes (or none), then a skin, or else a node.
struct Motion {
  const Deformer* morphs = nullptr;
  const Deformer* skin = nullptr;
  int node_slot = -1;

  std::vector<int> weight_slots() const {
    std::vector<int> slots;
    if (morphs)
      for (const MorphTarget& target : morph_targets(*morphs)) slots.push_back(target.weight_slot);
    return slots;
  }
};

/// True if all points follow one node as they are (make_rigid): such a piece needs no skin in the file.
bool is_rigid(const Deformer& deformer) {
  const SkinDescription* skin = skin_description(deformer);
  return skin && skin->joint_slots.size() == 1 && skin->inverse_bind[0] == identity_affine() &&
         std::all_of(skin->influences.begin(), skin->influences.end(),
                     [](const auto& list) { return list.size() == 1 && list[0].weight == 1; });
}

std::string mime_type(const Image& image) {
  return image.encoded.size() > 1 && image.encoded[1] == std::byte{'P'} ? "image/png" : "image/jpeg";
}

template <class Vector>
Json list_of(const Vector& v) {
  Json list = Json::array();
  for (const auto value : v) list.push_back(value);
  return list;
}

/// The pieces that become one mesh.
struct Shown {
  int node, skin;
  std::vector<int> weight_slots;
  std::vector<std::pair<const Piece*, Motion>> pieces;
};

class NewDocument {
 public:
  explicit NewDocument(const Character& character) : character_(character) {
    document_.file = character.name;
    document_.trust();
    rig_ = dynamic_cast<const BuiltInRig*>(character.rig.get());
    if (!rig_) refuse("", "has a rig that is not built of nodes and skins");
  }

  std::vector<std::byte> write() {
    document_.json["scene"] = 0;
    document_.json["scenes"] = Json::array({{{"nodes", Json::array()}}});
    add_nodes();
    add_materials();
    for (const Piece& piece : character_.pieces) place(piece);
    for (const Shown& shown : shown_) add_mesh(shown);
    std::vector<std::string> warnings;
    const GltfScene scene = read_scene(document_, warnings);
    for (const Animation& clip : character_.clips)
      if (!clip.tracks.empty() || !clip.rotations.empty()) append_animation(document_, scene, clip);
    return write_glb(std::move(document_));
  }

 private:
  [[noreturn]] void refuse(std::string element, std::string problem) const {
    document_.fail(std::move(element), std::move(problem), "glTF has no place for it");
  }

  void add_nodes() {
    const ControlGraph& graph = rig_->graph();
    for (int slot = 0; slot < static_cast<int>(graph.slots().size()); ++slot) {
      const NodeDescription* node = node_description(graph, slot);
      if (!node) {
        if (graph.slots()[slot].size == kTransformSlot) refuse("slot " + std::to_string(slot), "is no glTF node");
        continue;
      }
      const int parent = node->parent_slot < 0 ? -1 : node_of_slot_.at(node->parent_slot);
      node_of_slot_[slot] = append_node(document_, {.name = node->name,
                                                    .parent = parent,
                                                    .translation = node->translation,
                                                    .rotation = node->rotation.normalized(),
                                                    .scale = node->scale});
      node_named_.try_emplace(node->name, node_of_slot_[slot]);
      if (node->constant.isApprox(identity_affine(), 0)) continue;
      Mat4 matrix = Mat4::Identity();
      const NodeTransform parts{node->translation, node->rotation, node->scale, node->constant};
      matrix.topRows<3>() = parts.matrix();
      Json& json = document_.json["nodes"][node_of_slot_[slot]];
      for (const char* key : {"translation", "rotation", "scale"}) json.erase(key);
      json["matrix"] = list_of(matrix.reshaped());
    }
  }

  void add_materials() {
    for (const Image& image : character_.images) {
      const int view = append_view(document_, image.encoded, 0);
      Json json = {{"bufferView", view}, {"mimeType", mime_type(image)}};
      if (!image.name.empty()) json["name"] = image.name;
      const int index = append_item(document_, "images", std::move(json));
      append_item(document_, "textures", {{"source", index}});
    }
    for (const SurfaceMaterial& material : character_.materials) {
      const Eigen::Vector4f color = material.base_color.cwiseMax(0).cwiseMin(1);
      Json pbr = {{"baseColorFactor", list_of(color)}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}};
      if (material.image >= 0) pbr["baseColorTexture"] = {{"index", material.image}};
      Json json = Json::object();
      if (!material.name.empty()) json["name"] = material.name;
      json["pbrMetallicRoughness"] = std::move(pbr);
      if (material.double_sided) json["doubleSided"] = true;
      append_item(document_, "materials", std::move(json));
    }
  }

  Motion motion_of(const Piece& piece) const {
    Motion motion;
    const int end = piece.first_point + piece.point_count;
    for (const auto& deformer : rig_->deformers()) {
      const int first = deformer->first(), last = first + deformer->count();
      if (last <= piece.first_point || first >= end) continue;
      if (first > piece.first_point || last < end) refuse("piece \"" + piece.name + "\"", "is deformed only in part");
      const bool moved = motion.skin || motion.node_slot >= 0;
      if (!moved && !motion.morphs && !morph_targets(*deformer).empty())
        motion.morphs = deformer.get();
      else if (!moved && is_rigid(*deformer))
        motion.node_slot = deformer->slots()[0];
      else if (!moved && skin_description(*deformer))
        motion.skin = deformer.get();
      else
        refuse("piece \"" + piece.name + "\"", "has deformers other than blend shapes, then one skin or one node");
    }
    return motion;
  }

  /// The node that shows a piece: what it follows, or one that carries its morphs' name, or its own.
  int node_for(const Piece& piece, const Motion& motion) {
    if (motion.node_slot >= 0) return node_of_slot_.at(motion.node_slot);
    std::string name = piece.name.substr(0, piece.name.rfind('#'));
    if (motion.morphs) name = control_of(motion.weight_slots().front()).node;
    const auto found = node_named_.find(name);
    if (found != node_named_.end()) return found->second;
    return node_named_[name] = append_node(document_, {.name = name});
  }

  const Control& control_of(int slot) const {
    const int control = passed_control(rig_->graph(), slot);
    if (control < 0) refuse("morph weight in slot " + std::to_string(slot), "is driven by other controls");
    return rig_->controls()[control];
  }

  /// Joins pieces that one node shows with one skin: the primitives of one mesh, which must share their morphs.
  void place(const Piece& piece) {
    if (piece.point_count == 0 || !piece.drawn) return;
    const Motion motion = motion_of(piece);
    const int node = node_for(piece, motion);
    const int skin = motion.skin ? skin_for(*skin_description(*motion.skin)) : -1;
    auto shown = std::find_if(shown_.begin(), shown_.end(),
                              [&](const Shown& known) { return known.node == node && known.skin == skin; });
    if (shown == shown_.end()) shown = shown_.insert(shown_.end(), {node, skin, weight_slots_of(node), {}});
    for (const int slot : motion.weight_slots())
      if (std::find(shown->weight_slots.begin(), shown->weight_slots.end(), slot) == shown->weight_slots.end())
        shown->weight_slots.push_back(slot);
    shown->pieces.emplace_back(&piece, motion);
  }

  /// The weights that go by a node's name, also those that move nothing: clips may key them.
  std::vector<int> weight_slots_of(int node) const {
    const std::string name = document_.text(document_.item("nodes", node), "name", "node") + ":";
    std::vector<int> slots;
    const ControlGraph& graph = rig_->graph();
    for (int slot = 0; slot < static_cast<int>(graph.slots().size()); ++slot)
      if (const int control = passed_control(graph, slot);
          control >= 0 && rig_->controls()[control].name.starts_with(name))
        slots.push_back(slot);
    return slots;
  }

  void add_mesh(const Shown& shown) {
    Json primitives = Json::array();
    for (const auto& [piece, motion] : shown.pieces) {
      Json primitive = {{"attributes", append_attributes(document_, *piece, rig_->points_rest())}};
      if (motion.skin) add_influences(*piece, motion, primitive["attributes"]);
      add_corners(*piece, motion, primitive);
      if (piece->material >= 0) primitive["material"] = piece->material;
      if (piece->name != document_.text(document_.item("nodes", shown.node), "name", "node"))
        primitive["extras"] = {{kPieceName, piece->name}};
      if (!shown.weight_slots.empty()) primitive["targets"] = targets_of(*piece, motion.morphs, shown.weight_slots);
      primitives.push_back(std::move(primitive));
    }
    Json mesh = {{"name", shown.pieces.front().first->name}, {"primitives", std::move(primitives)}};
    if (!shown.weight_slots.empty()) {
      Json weights = Json::array(), names = Json::array();
      for (const int slot : shown.weight_slots) {
        const Control& control = control_of(slot);
        weights.push_back(control.rest);
        const bool scoped = control.name.starts_with(control.node + ":");
        names.push_back(scoped ? control.name.substr(control.node.size() + 1) : control.name);
      }
      mesh["weights"] = std::move(weights);
      mesh["extras"] = {{"targetNames", std::move(names)}};
    }
    int node = shown.node;
    // A node shows one mesh with one skin; a second one stands below it, where it feels the same transform.
    if (document_.json["nodes"][node].contains("mesh"))
      node = append_node(document_, {.name = shown.pieces.front().first->name, .parent = node});
    const int index = append_item(document_, "meshes", std::move(mesh));  // moves what was in the document
    Json& owner = document_.json["nodes"][node];
    owner["mesh"] = index;
    if (shown.skin >= 0) owner["skin"] = shown.skin;
  }

  void add_corners(const Piece& piece, const Motion& motion, Json& primitive) {
    if (piece.triangles.empty()) {
      primitive["mode"] = 0;
      return;
    }
    // Triangles face outward in the scene; below a mirroring node the file has them the other way round.
    const bool mirrored = motion.node_slot >= 0 && rest_determinant(motion.node_slot) < 0;
    std::vector<int> corners;
    for (auto triangle : piece.triangles) {
      if (mirrored) std::swap(triangle[1], triangle[2]);
      for (const int corner : triangle) {
        if (corner < piece.first_point || corner >= piece.first_point + piece.point_count)
          refuse("piece \"" + piece.name + "\"", "has triangles on other pieces' points");
        corners.push_back(corner - piece.first_point);
      }
    }
    primitive["indices"] = append_corners(document_, corners, piece.point_count);
  }

  double rest_determinant(int slot) const {
    double result = 1;
    for (const NodeDescription* node = node_description(rig_->graph(), slot); node;
         node = node->parent_slot < 0 ? nullptr : node_description(rig_->graph(), node->parent_slot))
      result *= node->scale.prod() * linear(node->constant).determinant();
    return result;
  }

  int skin_for(const SkinDescription& description) {
    for (const auto& [known, index] : skins_)
      if (known->joint_slots == description.joint_slots && known->inverse_bind == description.inverse_bind)
        return index;
    std::vector<int> joints;
    for (const int slot : description.joint_slots) joints.push_back(node_of_slot_.at(slot));
    const int index = append_skin(document_, joints, description.inverse_bind);
    skins_.push_back({&description, index});
    return index;
  }

  void add_influences(const Piece& piece, const Motion& motion, Json& attributes) {
    const SkinDescription& skin = *skin_description(*motion.skin);
    const auto lists = std::span(skin.influences).subspan(piece.first_point - motion.skin->first(), piece.point_count);
    attributes.update(append_influences(document_, lists, static_cast<int>(skin.joint_slots.size())));
  }

  /// One target a weight; of zeros where the piece does not feel it.
  Json targets_of(const Piece& piece, const Deformer* morphs, const std::vector<int>& weight_slots) {
    Json targets = Json::array();
    for (const int slot : weight_slots) {
      std::vector<float> offsets(3 * static_cast<std::size_t>(piece.point_count), 0.0f);
      for (const MorphTarget& target : morphs ? morph_targets(*morphs) : std::span<const MorphTarget>{}) {
        if (target.weight_slot != slot) continue;
        for (std::size_t k = 0; k < target.points.size(); ++k) {
          const int i = target.points[k] - (piece.first_point - morphs->first());
          if (i < 0 || i >= piece.point_count) continue;
          for (int c = 0; c < 3; ++c) offsets[3 * i + c] += static_cast<float>(target.offsets[k][c]);
        }
      }
      targets.push_back({{"POSITION", append_vertices(document_, "VEC3", offsets, true)}});
    }
    return targets;
  }

  const Character& character_;
  const BuiltInRig* rig_;
  GltfDocument document_;
  std::map<int, int> node_of_slot_;
  std::map<std::string, int> node_named_;
  std::vector<Shown> shown_;
  std::vector<std::pair<const SkinDescription*, int>> skins_;
};

}  // namespace

std::vector<std::byte> to_glb(const Character& character) { return NewDocument(character).write(); }

}  // namespace rigspace
