#include "gltf_patch.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rigspace {
namespace {

int component_bytes(int type) { return type == 5126 || type == 5125 ? 4 : type == 5122 || type == 5123 ? 2 : 1; }

int components(const std::string& type) { return type == "MAT4" ? 16 : type == "SCALAR" ? 1 : type.back() - '0'; }

double number_at(const std::byte* data, int type) {
  const auto as = [&]<class Stored>(Stored value) {
    std::memcpy(&value, data, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
    case 5121: return as(std::uint8_t{});
    case 5123: return as(std::uint16_t{});
    case 5125: return as(std::uint32_t{});
    default: return as(float{});
  }
}

void add_bounds(const GltfAccessor& accessor, std::size_t count, Json& json) {
  const int width = components(accessor.type), unit = component_bytes(accessor.component_type);
  std::vector<double> low(width, 1e300), high(width, -1e300);
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < width; ++k) {
      const double value = number_at(accessor.bytes.data() + (i * width + k) * unit, accessor.component_type);
      low[k] = std::min(low[k], value);
      high[k] = std::max(high[k], value);
    }
  json["min"] = low;
  json["max"] = high;
}

}  // namespace

int append_item(GltfDocument& document, const char* list, Json value) {
  Json& items = document.json[list];
  items.push_back(std::move(value));
  return static_cast<int>(items.size()) - 1;
}

int append_view(GltfDocument& document, std::span<const std::byte> bytes, int target) {
  if (document.buffers.empty()) {
    document.buffers.emplace_back();
    append_item(document, "buffers", {{"byteLength", 0}});
  }
  std::vector<std::byte>& buffer = document.buffers.back();
  buffer.resize((buffer.size() + 3) / 4 * 4);
  Json view = {{"buffer", document.buffers.size() - 1}, {"byteOffset", buffer.size()}, {"byteLength", bytes.size()}};
  if (target != 0) view["target"] = target;
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  document.json["buffers"].back()["byteLength"] = buffer.size();
  return append_item(document, "bufferViews", std::move(view));
}

int append_accessor(GltfDocument& document, const GltfAccessor& accessor) {
  const std::size_t size =
      static_cast<std::size_t>(components(accessor.type)) * component_bytes(accessor.component_type);
  assert(accessor.bytes.size() % size == 0);
  // Vertex data must lie in steps of four bytes: each element of an odd size is padded, with a stride.
  const std::size_t count = accessor.bytes.size() / size, stride = (size + 3) / 4 * 4;
  int view;
  if (accessor.target == 34962 && stride != size) {
    std::vector<std::byte> padded(count * stride);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(accessor.bytes.begin() + i * size, size, padded.begin() + i * stride);
    view = append_view(document, padded, accessor.target);
    document.json["bufferViews"][view]["byteStride"] = stride;
  } else {
    view = append_view(document, accessor.bytes, accessor.target);
  }
  Json json = {{"bufferView", view}, {"componentType", accessor.component_type}};
  if (accessor.normalized) json["normalized"] = true;
  json["count"] = count;
  json["type"] = accessor.type;
  if (accessor.bounds) add_bounds(accessor, count, json);
  return append_item(document, "accessors", std::move(json));
}

Json append_influences(GltfDocument& document, std::span<const std::vector<Influence>> influences, int joint_count) {
  constexpr int kVertexData = 34962;
  std::size_t most = 1;
  for (const auto& list : influences) most = std::max(most, list.size());
  const std::size_t sets = (most + 3) / 4;
  std::vector<std::vector<std::uint16_t>> joints(sets, std::vector<std::uint16_t>(4 * influences.size()));
  std::vector<std::vector<float>> weights(sets, std::vector<float>(4 * influences.size()));
  for (std::size_t i = 0; i < influences.size(); ++i) {
    std::vector<Influence> sorted = influences[i];
    std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.weight > b.weight; });
    double others = 0;
    for (std::size_t k = 1; k < sorted.size(); ++k) others += static_cast<float>(sorted[k].weight);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (!(sorted[k].weight > 0)) continue;  // joints of no weight are written as zero
      joints[k / 4][4 * i + k % 4] = static_cast<std::uint16_t>(sorted[k].joint);
      weights[k / 4][4 * i + k % 4] = static_cast<float>(k == 0 ? 1 - others : sorted[k].weight);
    }
  }
  const bool small = joint_count <= 256;
  Json attributes = Json::object();
  for (std::size_t set = 0; set < sets; ++set) {
    const std::vector<std::uint8_t> bytes(joints[set].begin(), joints[set].end());
    const auto data = small ? bytes_of(bytes) : bytes_of(joints[set]);
    attributes["JOINTS_" + std::to_string(set)] = append_accessor(
        document, {.type = "VEC4", .component_type = small ? 5121 : 5123, .bytes = data, .target = kVertexData});
    attributes["WEIGHTS_" + std::to_string(set)] =
        append_accessor(document, {.type = "VEC4", .bytes = bytes_of(weights[set]), .target = kVertexData});
  }
  return attributes;
}

int append_node(GltfDocument& document, const GltfNode& node) {
  Json json = Json::object();
  if (!node.name.empty()) json["name"] = node.name;
  const Quat& q = node.rotation;
  if (!node.translation.isZero(0))
    json["translation"] = {node.translation[0], node.translation[1], node.translation[2]};
  if (q.vec() != Vec3::Zero()) json["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  if (node.scale != Vec3::Ones()) json["scale"] = {node.scale[0], node.scale[1], node.scale[2]};
  if (node.parent >= document.size_of("nodes"))
    document.fail("node \"" + node.name + "\"", "has parent " + std::to_string(node.parent),
                  "the document has " + std::to_string(document.size_of("nodes")) + " nodes",
                  std::to_string(node.parent));
  const int index = append_item(document, "nodes", std::move(json));
  if (node.parent >= 0) {
    document.json["nodes"][node.parent]["children"].push_back(index);
  } else if (document.size_of("scenes") > 0) {
    const int scene = std::max(0, document.index(document.json, "scene", "the document", "scenes"));
    document.json["scenes"][scene]["nodes"].push_back(index);
  }
  return index;
}

}  // namespace rigspace
