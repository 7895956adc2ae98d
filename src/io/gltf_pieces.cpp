#include "gltf_pieces.h"

#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr int kVertexData = 34962, kIndices = 34963;

template <class Index>
int append_indices(GltfDocument& document, const std::vector<int>& corners, int component_type) {
  const std::vector<Index> indices(corners.begin(), corners.end());
  return append_accessor(document, {.component_type = component_type, .bytes = bytes_of(indices), .target = kIndices});
}

}  // namespace

int append_vertices(GltfDocument& document, const char* type, const std::vector<float>& numbers, bool bounds) {
  return append_accessor(document, {.type = type, .bytes = bytes_of(numbers), .target = kVertexData, .bounds = bounds});
}

Json append_attributes(GltfDocument& document, const Piece& piece, const Vec& points) {
  std::vector<float> positions, normals, uv, colors;
  for (const double value : points.segment(3 * piece.first_point, 3 * piece.point_count))
    positions.push_back(static_cast<float>(value));
  Vec computed;
  if (piece.rest_normals.empty()) vertex_normals(points, piece.triangles, computed);
  for (int i = 0; i < piece.point_count; ++i) {
    Eigen::Vector3f normal = piece.rest_normals.empty()
                                 ? Eigen::Vector3f(point(computed, piece.first_point + i).cast<float>())
                                 : piece.rest_normals[i];
    if (!(normal.norm() > 1e-6f)) normal = Eigen::Vector3f::UnitY();  // on no triangle: any will do
    normal.normalize();
    normals.insert(normals.end(), normal.begin(), normal.end());
  }
  for (const auto& v : piece.uv) uv.insert(uv.end(), v.begin(), v.end());
  for (const auto& v : piece.colors)
    for (const float value : v) colors.push_back(std::clamp(value, 0.0f, 1.0f));
  Json attributes = {{"POSITION", append_vertices(document, "VEC3", positions, true)}};
  if (!piece.triangles.empty()) attributes["NORMAL"] = append_vertices(document, "VEC3", normals);
  if (!uv.empty()) attributes["TEXCOORD_0"] = append_vertices(document, "VEC2", uv);
  if (!colors.empty()) attributes["COLOR_0"] = append_vertices(document, "VEC4", colors);
  return attributes;
}

int append_corners(GltfDocument& document, const std::vector<int>& corners, int vertices) {
  return vertices < 65535 ? append_indices<std::uint16_t>(document, corners, 5123)
                          : append_indices<std::uint32_t>(document, corners, 5125);
}

int append_skin(GltfDocument& document, std::span<const int> joints, std::span<const Affine> inverse_bind) {
  std::vector<float> matrices;
  for (const Affine& each : inverse_bind) {
    Eigen::Matrix4f matrix = Eigen::Matrix4f::Identity();
    matrix.topRows<3>() = each.cast<float>();
    matrices.insert(matrices.end(), matrix.data(), matrix.data() + 16);
  }
  Json nodes = Json::array();
  for (const int joint : joints) nodes.push_back(joint);
  const int accessor = append_accessor(document, {.type = "MAT4", .bytes = bytes_of(matrices)});
  return append_item(document, "skins", {{"inverseBindMatrices", accessor}, {"joints", std::move(nodes)}});
}

}  // namespace rigspace
