#pragma once
// Small glTF files made in tests: binary data is added piece by piece, the rest is written as JSON text.

#include "rigspace/anim/character.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace rigspace::testing {

class GltfMaker {
 public:
  /// Appends a view of these numbers; returns its index.
  template <class Number>
  int view(const std::vector<Number>& numbers, int stride = 0) {
    bin.resize((bin.size() + 3) / 4 * 4);
    const auto bytes = std::as_bytes(std::span(numbers));
    views.push_back("{\"buffer\":0,\"byteOffset\":" + std::to_string(bin.size()) +
                    ",\"byteLength\":" + std::to_string(bytes.size()) +
                    (stride > 0 ? ",\"byteStride\":" + std::to_string(stride) : "") + "}");
    bin.insert(bin.end(), bytes.begin(), bytes.end());
    return static_cast<int>(views.size()) - 1;
  }

  /// Appends an accessor given by its JSON members.
  int accessor(const std::string& members) {
    accessors.push_back("{" + members + "}");
    return static_cast<int>(accessors.size()) - 1;
  }

  int floats(const char* type, const std::vector<float>& numbers) { return typed(type, 5126, numbers, false); }

  template <class Number>
  int typed(const char* type, int component_type, const std::vector<Number>& numbers, bool normalized) {
    const int width = std::strcmp(type, "SCALAR") == 0 ? 1 : std::strcmp(type, "MAT4") == 0 ? 16 : type[3] - '0';
    const int at = view(numbers);
    return accessor("\"bufferView\":" + std::to_string(at) + ",\"componentType\":" + std::to_string(component_type) +
                    ",\"count\":" + std::to_string(numbers.size() / width) + ",\"type\":\"" + type + "\"" +
                    (normalized ? ",\"normalized\":true" : ""));
  }

  /// `members` are those of the document besides asset, buffers, views and accessors.
  std::string json(const std::string& members, const std::string& uri = "") const {
    const auto joined = [](const std::vector<std::string>& items) {
      std::string text;
      for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
      return text;
    };
    std::string text = "{\"asset\":{\"version\":\"2.0\"}";
    if (!members.empty()) text += "," + members;
    if (!accessors.empty()) text += ",\"accessors\":[" + joined(accessors) + "]";
    if (!views.empty()) text += ",\"bufferViews\":[" + joined(views) + "]";
    if (!bin.empty())
      text += ",\"buffers\":[{\"byteLength\":" + std::to_string(bin.size()) +
              (uri.empty() ? "" : ",\"uri\":\"" + uri + "\"") + "}]";
    return text + "}";
  }

  std::vector<std::byte> glb(const std::string& members) const { return pack(json(members), bin); }

  static std::vector<std::byte> pack(std::string text, std::vector<std::byte> data) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    data.resize((data.size() + 3) / 4 * 4);
    std::vector<std::byte> bytes(28 + text.size() + data.size());
    std::size_t used = 0;
    const auto put = [&](std::size_t value) {
      const std::uint32_t v = static_cast<std::uint32_t>(value);
      std::memcpy(bytes.data() + used, &v, 4);
      used += 4;
    };
    put(0x46546C67);
    put(2);
    put(12 + 8 + text.size() + (data.empty() ? 0 : 8 + data.size()));
    put(text.size());
    put(0x4E4F534A);
    std::memcpy(bytes.data() + used, text.data(), text.size());
    used += text.size();
    if (!data.empty()) {
      put(data.size());
      put(0x004E4942);
      std::memcpy(bytes.data() + used, data.data(), data.size());
      used += data.size();
    }
    bytes.resize(used);
    return bytes;
  }

  std::vector<std::string> views, accessors;
  std::vector<std::byte> bin;
};

inline Vec evaluate(const Character& character, const Vec& p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

inline Vec rest_points(const Character& character) { return evaluate(character, character.rig->rest()); }

inline Vec points_at(const Character& character, std::string_view clip, double time) {
  return evaluate(character, pose_at(character, character.clip(clip), time));
}

/// The error of loading bytes; "no error" if it succeeds.
inline std::string message_of(const std::vector<std::byte>& bytes) {
  try {
    load_gltf(bytes, "f.glb");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A skinned, morphing strip of four vertices with two joints and a clip of every kind: one of everything.
struct SmallCharacter {
  GltfMaker maker;
  std::string members;

  SmallCharacter() {
    const int position = maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
    const int normal = maker.floats("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    const int uv = maker.floats("VEC2", {0, 0, 1, 0, 0, 1, 1, 1});
    const int joints = maker.typed<std::uint8_t>("VEC4", 5121, {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, false);
    const int weights = maker.floats("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, .5f, .5f, 0, 0, 0, 1, 0, 0});
    const int indices = maker.typed<std::uint16_t>("SCALAR", 5123, {0, 1, 2, 2, 1, 3}, false);
    const int inverse_bind = maker.floats(
        "MAT4", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1});
    const int morph = maker.floats("VEC3", {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
    const int times = maker.floats("SCALAR", {0, 1, 2});
    const int turn = maker.floats("VEC4", {0, 0, 0, 1, 0, 0, .70710678f, .70710678f, 0, 0, 1, 0});
    const int move = maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 2, 3, 0});
    const int open = maker.floats("SCALAR", {0, 0, 0, 0, 1, 0, 0, 0, 0});
    const auto n = [](int i) { return std::to_string(i); };
    members =
        "\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],\"nodes\":["
        "{\"name\":\"root\",\"children\":[1]},{\"name\":\"tip\",\"translation\":[0,1,0]},"
        "{\"name\":\"body\",\"mesh\":0,\"skin\":0}],"
        "\"meshes\":[{\"name\":\"strip\",\"extras\":{\"targetNames\":[\"open\"]},\"weights\":[0.25],"
        "\"primitives\":[{\"attributes\":{\"POSITION\":" +
        n(position) + ",\"NORMAL\":" + n(normal) + ",\"TEXCOORD_0\":" + n(uv) + ",\"JOINTS_0\":" + n(joints) +
        ",\"WEIGHTS_0\":" + n(weights) + "},\"indices\":" + n(indices) + ",\"targets\":[{\"POSITION\":" + n(morph) +
        "}],\"material\":0}]}],"
        "\"materials\":[{\"name\":\"red\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0,1]},"
        "\"doubleSided\":true,\"extras\":{\"kept\":[1,2.5,\"x\"]}}],"
        "\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":" +
        n(inverse_bind) +
        "}],"
        "\"animations\":[{\"name\":\"wave\",\"channels\":["
        "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}},"
        "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}},"
        "{\"sampler\":2,\"target\":{\"node\":2,\"path\":\"weights\"}}],\"samplers\":["
        "{\"input\":" +
        n(times) + ",\"output\":" + n(turn) +
        "},"
        "{\"input\":" +
        n(times) + ",\"output\":" + n(move) +
        ",\"interpolation\":\"STEP\"},"
        "{\"input\":" +
        n(times) + ",\"output\":" + n(open) + ",\"interpolation\":\"CUBICSPLINE\"}]}]";
  }

  std::vector<std::byte> glb() const { return maker.glb(members); }
};

}  // namespace rigspace::testing
