#include "gltf_loader.h"

#include <cmath>

namespace rigspace {
namespace {

/// The joints and weights of a primitive's vertices as the file has them: JOINTS_0 WEIGHTS_0, JOINTS_1 ..
struct RawInfluences {
  std::vector<std::vector<std::uint32_t>> joints;  ///< per set, 4 a vertex
  std::vector<std::vector<double>> weights;        ///< per set, 4 a vertex
  double rounding = 0;                             ///< largest error of a sum that comes of rounding in the file
};

RawInfluences read_influences(const GltfDocument& document, const Json& attributes, int count,
                              const std::string& element) {
  RawInfluences raw;
  for (int set = 0; set < 64; ++set) {
    const std::string joints_name = "JOINTS_" + std::to_string(set), weights_name = "WEIGHTS_" + std::to_string(set);
    const int joints = document.index(attributes, joints_name.c_str(), element, "accessors");
    const int weights = document.index(attributes, weights_name.c_str(), element, "accessors");
    if (joints < 0 && weights < 0) break;
    if (joints < 0 || weights < 0)
      document.fail(
          element,
          "has " + (joints < 0 ? weights_name : joints_name) + " without " + (joints < 0 ? joints_name : weights_name),
          "both are needed to skin it");
    const AccessorShape shape = document.accessor_shape(weights);
    for (const auto& [name, accessor] : {std::pair(joints_name, joints), std::pair(weights_name, weights)})
      if (document.accessor_shape(accessor).count != count)
        document.fail(element, "has " + std::to_string(document.accessor_shape(accessor).count) + " entries in " + name,
                      "it has " + std::to_string(count) + " vertices",
                      std::to_string(document.accessor_shape(accessor).count));
    raw.joints.push_back(document.read_integers(joints, "VEC4"));
    raw.weights.push_back(document.read_numbers(weights, "VEC4"));
    // Four weights each rounded to the nearest step of 1/255 or 1/65535; floats are often written with four digits.
    const double step = shape.component_type == 5121 ? 1.0 / 255 : shape.component_type == 5123 ? 1.0 / 65535 : 5e-4;
    raw.rounding += 2.001 * step;
  }
  return raw;
}

/// What had to be repaired, for one sentence each.
struct Repairs {
  int off = 0, zero = 0, negative = 0;
  double worst = 1;  ///< the sum farthest from one
};

void describe(const Repairs& repairs, GltfLoader& loader, const std::string& element) {
  char sum[32];
  std::snprintf(sum, sizeof sum, "%.4g", repairs.worst);
  if (repairs.off > 0)
    loader.warn(element + " has " + std::to_string(repairs.off) + " vertices whose weights do not sum to one (worst " +
                sum + "); they are normalised.");
  if (repairs.zero > 0)
    loader.warn(element + " has " + std::to_string(repairs.zero) +
                " vertices without weights; they follow the skin's first joint.");
  if (repairs.negative > 0)
    loader.warn(element + " has " + std::to_string(repairs.negative) + " negative weights; they are taken as zero.");
}

/// One vertex: weights positive, joints distinct, sum one.
std::vector<Influence> influences_of(const GltfDocument& document, const RawInfluences& raw, int vertex,
                                     int joint_count, const std::string& element, Repairs& repairs) {
  std::vector<Influence> result;
  double sum = 0;
  for (std::size_t set = 0; set < raw.joints.size(); ++set)
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t joint = raw.joints[set][4 * static_cast<std::size_t>(vertex) + k];
      const double weight = raw.weights[set][4 * static_cast<std::size_t>(vertex) + k];
      if (weight < 0) ++repairs.negative;
      if (weight <= 0) continue;  // its joint may be anything: exporters leave rubbish there
      if (joint >= static_cast<std::uint32_t>(joint_count))
        document.fail(element, "has vertex " + std::to_string(vertex) + " on joint " + std::to_string(joint),
                      "its skin has only " + std::to_string(joint_count) + " joints", std::to_string(joint));
      sum += weight;
      const auto same = std::find_if(result.begin(), result.end(),
                                     [&](const Influence& i) { return i.joint == static_cast<int>(joint); });
      if (same != result.end())
        same->weight += weight;
      else
        result.push_back({static_cast<int>(joint), weight});
    }
  if (!(sum > 1e-12)) {
    ++repairs.zero;
    return {{0, 1.0}};
  }
  if (std::abs(sum - 1) > raw.rounding) {
    ++repairs.off;
    if (std::abs(sum - 1) > std::abs(repairs.worst - 1)) repairs.worst = sum;
  }
  for (Influence& influence : result) influence.weight /= sum;
  return result;
}

void read_joints(GltfLoader& loader, int skin, SkinDescription& description) {
  const GltfDocument& document = loader.document;
  const Json& json = document.item("skins", skin);
  const std::string element = document.label("skins", skin);
  for (const Json& joint : document.list(json, "joints", element))
    description.joint_slots.push_back(loader.slot[document.index_value(joint, "joint node", element, "nodes")]);
  const std::size_t n = description.joint_slots.size();
  if (n == 0) document.fail(element, "has no joints", "remove it, or export the file again");
  document.spend(400 * n, element);
  description.inverse_bind.assign(n, Affine::Identity());
  const int accessor = document.index(json, "inverseBindMatrices", element, "accessors");
  if (accessor < 0) return;
  const auto matrices = document.read_numbers(accessor, "MAT4");
  if (matrices.size() < 16 * n)
    document.fail(element, "has " + std::to_string(matrices.size() / 16) + " inverse bind matrices",
                  "it has " + std::to_string(n) + " joints", std::to_string(matrices.size() / 16));
  for (std::size_t j = 0; j < n; ++j)
    description.inverse_bind[j] = Eigen::Map<const Mat4>(&matrices[16 * j]).topRows<3>();
}

}  // namespace

std::unique_ptr<Deformer> load_skin(GltfLoader& loader, int node, const Json& primitive, int first_point, int count,
                                    const std::string& element) {
  const GltfDocument& document = loader.document;
  const int skin = document.index(document.item("nodes", node), "skin", document.label("nodes", node), "skins");
  if (skin < 0) return nullptr;
  const RawInfluences raw =
      read_influences(document, document.object(primitive, "attributes", element), count, element);
  if (raw.joints.empty()) {
    loader.warn(element + " has a skin but no joints; it follows its node.");
    return nullptr;
  }
  SkinDescription description{.first_point = first_point, .joint_slots = {}, .inverse_bind = {}, .influences = {}};
  read_joints(loader, skin, description);
  // Lists here, and again in the deformer.
  document.spend((64 + 160 * raw.joints.size()) * static_cast<std::uint64_t>(count), element);
  Repairs repairs;
  const int joint_count = static_cast<int>(description.joint_slots.size());
  for (int i = 0; i < count; ++i)
    description.influences.push_back(influences_of(document, raw, i, joint_count, element, repairs));
  describe(repairs, loader, element);
  return make_linear_blend_skin(description);
}

}  // namespace rigspace
