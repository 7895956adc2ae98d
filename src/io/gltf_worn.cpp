#include "gltf_worn.h"

#include "gltf_pieces.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

class WornPieceWriter {
 public:
  WornPieceWriter(GltfDocument& document, const GltfScene& scene, const Character& worn)
      : document_(document), scene_(scene), worn_(worn), rig_(dynamic_cast<const BuiltInRig*>(worn.rig.get())) {
    if (rig_ == nullptr || worn.pieces.empty()) refuse("is not of the kind that with_worn_piece makes", "make it so");
    piece_ = &worn.pieces.back();
    find_deformers();
    if (clip_names(document).size() != worn.clips.size())
      refuse("comes with " + std::to_string(worn.clips.size()) + " clips where the file has " +
                 std::to_string(clip_names(document).size()),
             "take the file's own character");
  }

  void write() {
    const std::vector<int> joints = joint_nodes();
    Json primitive = {{"attributes", append_attributes(document_, *piece_, rig_->points_rest())}};
    const auto lists = std::span(skin_->influences);
    primitive["attributes"].update(append_influences(document_, lists, static_cast<int>(joints.size())));
    std::vector<int> corners;
    for (const auto& triangle : piece_->triangles)
      for (const int corner : triangle) corners.push_back(corner - piece_->first_point);
    primitive["indices"] = append_corners(document_, corners, piece_->point_count);
    primitive["material"] = material();
    Json names = Json::array(), weights = Json::array(), targets = Json::array();
    for (const MorphTarget& target : targets_) {
      targets.push_back(written(target));
      names.push_back(control_of(target).name.substr(piece_->name.size() + 1));
      weights.push_back(0.0);
    }
    if (!targets.empty()) primitive["targets"] = std::move(targets);
    Json mesh = {{"name", piece_->name}, {"primitives", Json::array({std::move(primitive)})}};
    if (!targets_.empty()) mesh["weights"] = std::move(weights), mesh["extras"] = {{"targetNames", std::move(names)}};
    const int skin = append_skin(document_, joints, skin_->inverse_bind);
    const int shown = append_item(document_, "meshes", std::move(mesh));
    const int node = append_node(document_, {.name = piece_->name});
    document_.json["nodes"][node]["mesh"] = shown;
    document_.json["nodes"][node]["skin"] = skin;
    for (std::size_t k = 0; k < worn_.clips.size(); ++k) key_weights(static_cast<int>(k), node);
  }

 private:
  [[noreturn]] void refuse(std::string problem, std::string remedy) const {
    document_.fail(piece_ ? "piece \"" + piece_->name + "\"" : "a worn piece", std::move(problem), std::move(remedy));
  }

  void find_deformers() {
    for (const auto& deformer : rig_->deformers()) {
      if (deformer->first() != piece_->first_point) continue;
      if (const auto found = morph_targets(*deformer); !found.empty()) targets_ = found;
      if (const SkinDescription* skin = skin_description(*deformer)) skin_ = skin;
    }
    if (skin_ == nullptr) refuse("has no skin", "make it by with_worn_piece");
  }

  const Control& control_of(const MorphTarget& target) const {
    return rig_->controls()[rig_->graph().controls_of(target.weight_slot)[0]];
  }

  std::vector<int> joint_nodes() const {
    std::vector<int> nodes;
    for (const int slot : skin_->joint_slots) {
      const auto bone =
          std::find_if(worn_.bones.begin(), worn_.bones.end(), [&](const Bone& b) { return b.slot == slot; });
      const auto name = bone == worn_.bones.end() ? scene_.names.end()
                                                  : std::find(scene_.names.begin(), scene_.names.end(), bone->name);
      if (name == scene_.names.end()) refuse("is held by a joint that the file lacks", "take the file's own character");
      nodes.push_back(static_cast<int>(name - scene_.names.begin()));
    }
    return nodes;
  }

  int material() {
    if (piece_->material >= 0 && piece_->material < document_.size_of("materials")) return piece_->material;
    return append_item(
        document_, "materials",
        {{"name", piece_->name},
         {"doubleSided", true},
         {"pbrMetallicRoughness",
          {{"baseColorFactor", {0.36, 0.47, 0.66, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.9}}}});
  }

  /// POSITION, and NORMAL by its first order: without that a fold would be lit as if it were flat.
  Json written(const MorphTarget& target) {
    const auto count = static_cast<std::size_t>(piece_->point_count);
    std::vector<float> positions(3 * count, 0.0f), normals(3 * count);
    Vec x[2] = {rig_->points_rest(), rig_->points_rest()}, n[2];
    for (std::size_t k = 0; k < target.points.size(); ++k) {
      const int i = target.points[k];
      for (int c = 0; c < 3; ++c)
        positions[3 * static_cast<std::size_t>(i) + c] = static_cast<float>(target.offsets[k][c]);
      point(x[0], piece_->first_point + i) += kSmall * target.offsets[k];
      point(x[1], piece_->first_point + i) -= kSmall * target.offsets[k];
    }
    for (int side = 0; side < 2; ++side) vertex_normals(x[side], piece_->triangles, n[side]);
    for (int i = 0; i < piece_->point_count; ++i) {
      const Vec3 plus = point(n[0], piece_->first_point + i), minus = point(n[1], piece_->first_point + i);
      const bool known = plus.norm() > 1e-9 && minus.norm() > 1e-9;
      const Vec3 slope = known ? Vec3((plus.normalized() - minus.normalized()) / (2 * kSmall)) : Vec3::Zero();
      for (int c = 0; c < 3; ++c) normals[3 * static_cast<std::size_t>(i) + c] = static_cast<float>(slope[c]);
    }
    return {{"POSITION", append_vertices(document_, "VEC3", positions, true)},
            {"NORMAL", append_vertices(document_, "VEC3", normals)}};
  }

  /// All weights of the mesh at each time, in one channel of the animation that is there.
  void key_weights(int k, int node) {
    std::map<std::string, const Curve*> curves;
    for (const Track& track : worn_.clips[static_cast<std::size_t>(k)].tracks) curves[track.control] = &track.curve;
    if (targets_.empty() || !curves.contains(control_of(targets_[0]).name)) return;
    const Curve& first = *curves.at(control_of(targets_[0]).name);
    const std::vector<float> times(first.times.begin(), first.times.end());
    std::vector<float> values;
    for (std::size_t t = 0; t < times.size(); ++t)
      for (const MorphTarget& target : targets_)
        values.push_back(static_cast<float>(curves.at(control_of(target).name)->values[t]));
    const int input = append_accessor(document_, {.bytes = bytes_of(times), .bounds = true});
    const int output = append_accessor(document_, {.bytes = bytes_of(values)});
    Json& animation = document_.json["animations"][k];
    const auto sampler = animation["samplers"].size();
    animation["samplers"].push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
    animation["channels"].push_back({{"sampler", sampler}, {"target", {{"node", node}, {"path", "weights"}}}});
  }

  static constexpr double kSmall = 1e-3;  // of a target: its normals turn evenly that far

  GltfDocument& document_;
  const GltfScene& scene_;
  const Character& worn_;
  const BuiltInRig* rig_;
  const Piece* piece_ = nullptr;
  const SkinDescription* skin_ = nullptr;
  std::span<const MorphTarget> targets_;
};

}  // namespace

void append_worn_piece(GltfDocument& document, const GltfScene& scene, const Character& worn) {
  WornPieceWriter(document, scene, worn).write();
}

}  // namespace rigspace
