// Numbers that are not finite, where what they should be can be said: in skin weights, normals, texture coordinates,
// colours, morphs, keys, and in accessors that nothing uses. The bytes of the document are changed, so that what is
// written is clean too. Positions, bind matrices and times are left: without them nothing is defined.
#include "gltf_document.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rigspace {
namespace {

enum class Role { unused, attribute, weights, keys, cubic_keys, needed };

/// What the document uses an accessor for, in words for a sentence, and where a skin's joints are.
struct Use {
  Role role = Role::unused;
  std::string words = "which nothing uses";
  int joints = -1, positions = -1;  ///< of weights: the accessors of the same primitive
};

/// An index that stands in the document, whatever it is worth: -1 where it is none.
int index_of(const Json& object, const char* key, int count) {
  const Json* value = GltfDocument::find(object, key);
  if (!value || !value->is_number_unsigned()) return -1;
  const auto index = value->get<std::uint64_t>();
  return index < static_cast<std::uint64_t>(count) ? static_cast<int>(index) : -1;
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const Json* list = object.is_object() ? GltfDocument::find(object, key) : nullptr;
  return list && list->is_array() ? *list : kNone;
}

class Repair {
 public:
  explicit Repair(GltfDocument& document) : document_(document), count_(document.size_of("accessors")) {
    uses_.resize(count_);
    find_uses();
    for (const auto& buffer : document.buffers) left_ += 16 * buffer.size();
  }

  void run() {
    for (int accessor = 0; accessor < count_; ++accessor)
      if (uses_[accessor].role != Role::needed) repair(accessor);
  }

 private:
  void note(int accessor, Role role, std::string words) {
    if (accessor < 0 || uses_[accessor].role == Role::needed) return;
    uses_[accessor].role = role;
    uses_[accessor].words = std::move(words);
  }

  void note_attributes(const Json& attributes, const std::string& mesh) {
    if (!attributes.is_object()) return;
    const int positions = index_of(attributes, "POSITION", count_);
    for (const auto& [name, value] : attributes.items()) {
      const int accessor = index_of(attributes, name.c_str(), count_);
      const bool weights = name.starts_with("WEIGHTS_");
      note(accessor,
           weights              ? Role::weights
           : name == "POSITION" ? Role::needed
                                : Role::attribute,
           name + " of " + mesh);
      if (!weights || accessor < 0) continue;
      uses_[accessor].joints = index_of(attributes, ("JOINTS_" + name.substr(8)).c_str(), count_);
      uses_[accessor].positions = positions;
    }
  }

  void find_uses() {
    const Json& meshes = list_of(document_.json, "meshes");
    for (std::size_t m = 0; m < meshes.size(); ++m)
      for (const Json& primitive : list_of(meshes[m], "primitives")) {
        if (!primitive.is_object()) continue;
        const std::string mesh = document_.label("meshes", static_cast<int>(m));
        note(index_of(primitive, "indices", count_), Role::needed, "");
        for (const Json& target : list_of(primitive, "targets"))
          if (target.is_object())
            for (const auto& [name, value] : target.items())
              note(index_of(target, name.c_str(), count_), Role::attribute, "a morph of " + mesh);
        if (const Json* attributes = GltfDocument::find(primitive, "attributes")) note_attributes(*attributes, mesh);
      }
    for (const Json& skin : list_of(document_.json, "skins"))
      if (skin.is_object()) note(index_of(skin, "inverseBindMatrices", count_), Role::needed, "");
    const Json& clips = list_of(document_.json, "animations");
    for (std::size_t a = 0; a < clips.size(); ++a)
      for (const Json& sampler : list_of(clips[a], "samplers")) {
        if (!sampler.is_object()) continue;
        note(index_of(sampler, "input", count_), Role::needed, "");
        const Json* kind = GltfDocument::find(sampler, "interpolation");
        note(index_of(sampler, "output", count_), kind && *kind == "CUBICSPLINE" ? Role::cubic_keys : Role::keys,
             "keys of " + document_.label("animations", static_cast<int>(a)));
      }
  }

  static float number(const GltfDocument::Elements& of, std::int64_t i, int k) {
    float value;
    std::memcpy(&value, of.data + static_cast<std::size_t>(i) * of.stride + 4 * static_cast<std::size_t>(k), 4);
    return value;
  }
  static void set(const GltfDocument::Elements& of, std::int64_t i, int k, float value) {
    std::memcpy(of.data + static_cast<std::size_t>(i) * of.stride + 4 * static_cast<std::size_t>(k), &value, 4);
  }
  static bool sound(const GltfDocument::Elements& of, std::int64_t i) {
    for (int k = 0; k < of.components; ++k)
      if (!(std::abs(number(of, i, k)) <= kLargestNumber)) return false;
    return true;
  }

  /// The value of the key before, or of the first that has one; tangents become zero.
  void repair_key(const GltfDocument::Elements& of, std::int64_t i, bool cubic) const {
    const std::int64_t step = cubic ? 3 : 1;
    std::int64_t from = cubic && i % 3 != 1 ? -1 : i - step;
    for (std::int64_t j = i + step; from < 0 && (!cubic || i % 3 == 1) && j < of.count; j += step)
      if (sound(of, j)) from = j;
    for (int k = 0; k < of.components; ++k) set(of, i, k, from < 0 ? 0 : number(of, from, k));
  }

  /// The joints and weights of the nearest vertex of the primitive that has some.
  void repair_weights(const GltfDocument::Elements& of, std::int64_t i, const Use& use) const {
    for (int k = 0; k < of.components; ++k)
      if (!(std::abs(number(of, i, k)) <= kLargestNumber)) set(of, i, k, 0);
    const auto positions = document_.elements(use.positions), joints = document_.elements(use.joints);
    const bool weightless = [&] {
      for (int k = 0; k < of.components; ++k)
        if (number(of, i, k) > 0) return false;
      return true;
    }();
    if (!weightless || positions.count != of.count || joints.count != of.count || !positions.is_float ||
        positions.components != 3 || joints.data == nullptr)
      return;
    const auto place = [&](std::int64_t v) {
      return Vec3(number(positions, v, 0), number(positions, v, 1), number(positions, v, 2));
    };
    std::int64_t best = -1;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t v = 0; v < of.count; ++v) {
      if (v == i || !sound(of, v) || !sound(positions, v)) continue;
      double sum = 0;
      for (int k = 0; k < of.components; ++k) sum += number(of, v, k);
      if (const double d = (place(v) - place(i)).squaredNorm(); sum > 0.5 && d < nearest) nearest = d, best = v;
    }
    if (best < 0) return;
    for (int k = 0; k < of.components; ++k) set(of, i, k, number(of, best, k));
    std::memcpy(joints.data + static_cast<std::size_t>(i) * joints.stride,
                joints.data + static_cast<std::size_t>(best) * joints.stride, joints.element_size);
  }

  void repair(int accessor) {
    const GltfDocument::Elements of = document_.elements(accessor);
    if (of.data == nullptr || !of.is_float) return;
    // Files may list the same bytes again and again: what is not looked at here is refused by whoever reads it.
    const std::uint64_t bytes = static_cast<std::uint64_t>(of.count) * of.element_size;
    if (bytes > left_) return;
    left_ -= bytes;
    const std::int64_t most = 100'000'000 / std::max<std::int64_t>(1, of.count);  // searches for a nearest vertex
    const Use& use = uses_[accessor];
    std::int64_t repaired = 0;
    for (std::int64_t i = 0; i < of.count; ++i) {
      if (sound(of, i)) continue;
      ++repaired;
      if (use.role == Role::keys || use.role == Role::cubic_keys)
        repair_key(of, i, use.role == Role::cubic_keys);
      else if (use.role == Role::weights && repaired <= most)
        repair_weights(of, i, use);
      else
        for (int k = 0; k < of.components; ++k)
          if (!(std::abs(number(of, i, k)) <= kLargestNumber)) set(of, i, k, 0);
    }
    if (repaired == 0) return;
    const char* how = use.role == Role::keys || use.role == Role::cubic_keys ? "they are as the key before."
                      : use.role == Role::weights ? "vertices without weights follow the vertex nearest to them."
                                                  : "they are taken as zero.";
    document_.warnings.push_back("accessor " + std::to_string(accessor) + " (" + use.words + ") has " +
                                 std::to_string(repaired) + " entries that are not finite; " + how);
  }

  GltfDocument& document_;
  int count_;
  std::uint64_t left_ = 0;  // bytes that may still be looked at
  std::vector<Use> uses_;
};

}  // namespace

GltfDocument::Elements GltfDocument::elements(int accessor) {
  if (accessor < 0) return {};
  try {
    const AccessorShape shape = accessor_shape(accessor);
    const Strided at = locate(item("accessors", accessor), shape.count, shape.components, shape.component_type,
                              "accessor " + std::to_string(accessor));
    const std::size_t unit = shape.component_type <= 5121 ? 1 : shape.component_type <= 5123 ? 2 : 4;
    // The buffers are this document's own: `locate` is const for those who only read.
    return {.data = const_cast<std::byte*>(at.data),
            .stride = at.stride,
            .count = shape.count,
            .components = shape.components,
            .element_size = unit * static_cast<std::size_t>(shape.components),
            .is_float = shape.component_type == 5126};
  } catch (const Error&) {
    return {};  // the loader throws where it reads this
  }
}

void GltfDocument::repair_numbers() { Repair(*this).run(); }

}  // namespace rigspace
