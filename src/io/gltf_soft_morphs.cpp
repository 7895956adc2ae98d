#include "gltf_loader.h"
#include "gltf_soft.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

constexpr int kMorphData = 34962;

/// Offsets of some vertices of a primitive, as the file will have them.
struct Offsets {
  std::vector<std::uint32_t> vertices;
  std::vector<Eigen::Vector3f> values;
};

/// The same to float32 of computations made apart.
bool same_offsets(const Offsets& a, const Offsets& b) {
  return a.vertices == b.vertices && std::equal(a.values.begin(), a.values.end(), b.values.begin(),
                                                [](const auto& x, const auto& y) { return x.isApprox(y, 1e-5f); });
}

/// What a mesh gets: names of targets in order, and for each primitive the offsets of those that move it.
struct MeshPlan {
  std::vector<std::string> names;
  std::map<int, std::map<std::string, Offsets>> offsets;
};

class SoftMorphsWriter {
 public:
  SoftMorphsWriter(GltfDocument& document, const SoftJoints& soft)
      : document_(document),
        scene_(read_scene(document, known_warnings_)),
        before_(build_character(document)),
        after_(with_soft_morphs(before_, soft)),
        shown_(shown_primitives(document, scene_)) {}

  void write() {
    for (int piece = 0; piece < static_cast<int>(shown_.size()); ++piece) gather(piece);
    for (const auto& [mesh, plan] : plans_) require_room(mesh, plan);
    for (const auto& [mesh, plan] : plans_) {
      const int old = static_cast<int>(morph_names(document_, mesh).size());
      const int added = static_cast<int>(plan.names.size());
      extend_names(mesh, plan);
      extend_weights(document_.json["meshes"][mesh], added);
      for (int node = 0; node < document_.size_of("nodes"); ++node)
        if (mesh_of(node) == mesh) extend_weights(document_.json["nodes"][node], added);
      for (int k = 0; k < document_.size_of("animations"); ++k) extend_animation(k, mesh, old, added);
      const int primitives = static_cast<int>(document_.json["meshes"][mesh]["primitives"].size());
      for (int k = 0; k < primitives; ++k) extend_targets(mesh, k, plan, old);
    }
  }

 private:
  int mesh_of(int node) const {
    return document_.index(document_.item("nodes", node), "mesh", document_.label("nodes", node), "meshes");
  }

  /// The targets that with_soft_morphs gave to a piece.
  void gather(int piece) {
    const auto& rig = static_cast<const BuiltInRig&>(*after_.rig);
    const int old_slots = static_cast<int>(static_cast<const BuiltInRig&>(*before_.rig).graph().slots().size());
    const ShownPrimitive& shown = shown_[piece];
    for (const auto& deformer : rig.deformers()) {
      if (deformer->first() != before_.pieces[piece].first_point) continue;
      for (const MorphTarget& target : morph_targets(*deformer)) {
        if (target.weight_slot < old_slots) continue;
        const Control& control = rig.controls()[rig.graph().controls_of(target.weight_slot)[0]];
        const std::string name = control.name.substr(control.node.size() + 1);
        Offsets offsets{{target.points.begin(), target.points.end()}, {}};
        for (const Vec3& offset : target.offsets) offsets.values.push_back(offset.cast<float>());
        MeshPlan& plan = plans_[shown.mesh];
        if (std::find(plan.names.begin(), plan.names.end(), name) == plan.names.end()) plan.names.push_back(name);
        const auto [known, added] = plan.offsets[shown.primitive].try_emplace(name, offsets);
        if (!added && !same_offsets(known->second, offsets))
          document_.fail(document_.label("meshes", shown.mesh),
                         "is shown by " + document_.label("nodes", shown.node) + " and by another node, where \"" +
                             name + "\" would move it in another way",
                         "give each its own mesh, or each its own soft joints", name);
      }
    }
  }

  void require_room(int mesh, const MeshPlan& plan) const {
    const std::string element = document_.label("meshes", mesh);
    const Json* extras = GltfDocument::find(document_.item("meshes", mesh), "extras");
    if (extras && !extras->is_object())
      document_.fail(element, "has extras that are no object", "morphs could not be named there; remove them");
    for (const std::string& known : morph_names(document_, mesh))
      if (std::find(plan.names.begin(), plan.names.end(), known) != plan.names.end())
        document_.fail(element, "has a morph \"" + known + "\" already", "name the soft joint otherwise", known);
  }

  /// Names that the mesh has stay; targets without one get the name that its controls have.
  void extend_names(int mesh, const MeshPlan& plan) {
    std::vector<std::string> names = morph_names(document_, mesh);
    Json& extras = document_.json["meshes"][mesh]["extras"];
    const Json* given = GltfDocument::find(extras, "targetNames");
    for (std::size_t m = 0; given && given->is_array() && m < std::min(names.size(), given->size()); ++m)
      if ((*given)[m].is_string() && !(*given)[m].get_ref<const std::string&>().empty()) names[m] = (*given)[m];
    names.insert(names.end(), plan.names.begin(), plan.names.end());
    extras["targetNames"] = std::move(names);
  }

  static void extend_weights(Json& owner, int added) {
    const auto weights = owner.find("weights");
    for (int k = 0; weights != owner.end() && k < added; ++k) weights->push_back(0.0);
  }

  /// A weights channel has a number for every target of its mesh and key. A sampler that other channels use too stays,
  /// and a new one is appended.
  void extend_animation(int animation, int mesh, int old, int added) {
    const std::string element = document_.label("animations", animation);
    const Json& json = document_.item("animations", animation);
    const auto samplers = static_cast<std::int64_t>(document_.list(json, "samplers", element).size());
    std::map<int, int> users;
    std::map<int, std::vector<int>> extended;  // sampler to channels
    int k = 0;
    for (const Json& channel : document_.list(json, "channels", element)) {
      const int sampler = static_cast<int>(document_.integer(channel, "sampler", element, samplers - 1).value_or(-1));
      const Json& target = document_.object(channel, "target", element);
      const int node = document_.index(target, "node", element, "nodes");
      const bool weights = document_.text(target, "path", element) == "weights";
      ++users[sampler];
      if (sampler >= 0 && old > 0 && node >= 0 && mesh_of(node) == mesh && weights) extended[sampler].push_back(k);
      ++k;
    }
    for (const auto& [sampler, channels] : extended) {
      Json wider = extended_sampler(animation, sampler, old, added);
      Json& changed = document_.json["animations"][animation];
      if (users[sampler] == static_cast<int>(channels.size())) {
        changed["samplers"][sampler] = std::move(wider);
        continue;
      }
      for (const int channel : channels) changed["channels"][channel]["sampler"] = changed["samplers"].size();
      changed["samplers"].push_back(std::move(wider));
    }
  }

  /// With zeros for the new targets.
  Json extended_sampler(int animation, int sampler, int old, int added) {
    Json copy = document_.json["animations"][animation]["samplers"][sampler];
    const int output = document_.index(copy, "output", document_.label("animations", animation), "accessors");
    if (output < 0) return copy;
    const std::vector<double> numbers = document_.read_numbers(output, "SCALAR");
    std::vector<float> rows;
    for (std::size_t i = 0; i < numbers.size(); i += old) {
      rows.insert(rows.end(), numbers.begin() + i, numbers.begin() + std::min(numbers.size(), i + old));
      rows.insert(rows.end(), added, 0.0f);
    }
    copy["output"] = append_accessor(document_, {.bytes = bytes_of(rows)});
    return copy;
  }

  void extend_targets(int mesh, int primitive, const MeshPlan& plan, int old) {
    const Json& json = document_.json["meshes"][mesh]["primitives"][primitive];
    const std::string element = document_.label("meshes", mesh);
    const int position =
        document_.index(document_.object(json, "attributes", element), "POSITION", element, "accessors");
    const auto count = position < 0 ? 0 : document_.accessor_shape(position).count;
    Json targets = document_.list(json, "targets", element);
    const bool with_normals =
        std::any_of(targets.begin(), targets.end(), [](const Json& target) { return target.contains("NORMAL"); });
    const auto still = [&] { return Json{{"POSITION", zeros(count, true)}}; };
    if (count == 0) return;
    while (static_cast<int>(targets.size()) < old) targets.push_back(still());
    const auto moved = plan.offsets.find(primitive);
    for (const std::string& name : plan.names) {
      const bool moves = moved != plan.offsets.end() && moved->second.contains(name);
      Json target = moves ? Json{{"POSITION", write_offsets(moved->second.at(name), count)}} : still();
      if (with_normals) target["NORMAL"] = zeros(count, false);  // some players expect it of all targets or of none
      targets.push_back(std::move(target));
    }
    document_.json["meshes"][mesh]["primitives"][primitive]["targets"] = std::move(targets);
  }

  /// An accessor without bytes is all zeros.
  int zeros(std::int64_t count, bool bounds) {
    const auto [found, added] = zeros_.try_emplace({count, bounds}, -1);
    if (!added) return found->second;
    Json json = {{"componentType", 5126}, {"count", count}, {"type", "VEC3"}};
    if (bounds) json["min"] = json["max"] = {0.0, 0.0, 0.0};
    return found->second = append_item(document_, "accessors", std::move(json));
  }

  /// Sparse where that is smaller: an index beside each vector that is there.
  int write_offsets(const Offsets& offsets, std::int64_t count) {
    const std::size_t moved = offsets.vertices.size();
    if (moved == 0) return zeros(count, true);
    if (16 * moved < 12 * static_cast<std::size_t>(count)) {
      const auto [indices, added] = index_views_.try_emplace(offsets.vertices, -1);
      if (added) indices->second = append_view(document_, bytes_of(offsets.vertices), 0);
      const int values = append_view(document_, bytes_of(offsets.values), 0);
      Eigen::Vector3f low = Eigen::Vector3f::Zero(), high = Eigen::Vector3f::Zero();  // of all, those at rest too
      for (const auto& value : offsets.values) low = low.cwiseMin(value), high = high.cwiseMax(value);
      return append_item(document_, "accessors",
                         {{"componentType", 5126},
                          {"count", count},
                          {"type", "VEC3"},
                          {"min", {low[0], low[1], low[2]}},
                          {"max", {high[0], high[1], high[2]}},
                          {"sparse",
                           {{"count", moved},
                            {"indices", {{"bufferView", indices->second}, {"componentType", 5125}}},
                            {"values", {{"bufferView", values}}}}}});
    }
    std::vector<Eigen::Vector3f> dense(count, Eigen::Vector3f::Zero());
    for (std::size_t k = 0; k < moved; ++k) dense[offsets.vertices[k]] = offsets.values[k];
    return append_accessor(document_, {.type = "VEC3", .bytes = bytes_of(dense), .target = kMorphData, .bounds = true});
  }

  GltfDocument& document_;
  std::vector<std::string> known_warnings_;
  GltfScene scene_;
  Character before_, after_;
  std::vector<ShownPrimitive> shown_;
  std::map<int, MeshPlan> plans_;
  std::map<std::pair<std::int64_t, bool>, int> zeros_;
  std::map<std::vector<std::uint32_t>, int> index_views_;
};

}  // namespace

void append_soft_morphs(GltfDocument& document, const SoftJoints& soft) {
  try {
    SoftMorphsWriter(document, soft).write();
  } catch (const Error& error) {
    if (!error.info().file.empty()) throw;
    throw error.in_file(document.file);
  }
}

}  // namespace rigspace
