#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/tet_file.h"

#include <charconv>

namespace rigspace {
namespace {

void put(std::string& text, double value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void put_point(std::string& text, In points, int i) {
  for (int k = 0; k < 3; ++k) {
    if (k > 0) text += ' ';
    put(text, points[3 * i + k]);
  }
}

template <class Value>
void put_raw(std::string& text, Value value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_tets(std::string& text, const TetMesh& mesh, std::string_view between) {
  for (int t = 0; t < mesh.tet_count(); ++t) {
    text += std::to_string(t + 1);
    text += between;
    for (const int corner : mesh.tets[t]) text += ' ' + std::to_string(corner + 1);
    text += '\n';
  }
}

std::string msh_2_text(const TetMesh& mesh) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(mesh.point_count()) + "\n";
  for (int i = 0; i < mesh.point_count(); ++i) {
    text += std::to_string(i + 1) + ' ';
    put_point(text, mesh.points, i);
    text += '\n';
  }
  text += "$EndNodes\n$Elements\n" + std::to_string(mesh.tet_count()) + "\n";
  put_tets(text, mesh, " 4 2 1 1");
  return text + "$EndElements\n";
}

std::string msh_2_binary(const TetMesh& mesh) {
  std::string text = "$MeshFormat\n2.2 1 8\n";
  put_raw<std::int32_t>(text, 1);
  text += "\n$EndMeshFormat\n$Nodes\n" + std::to_string(mesh.point_count()) + "\n";
  for (int i = 0; i < mesh.point_count(); ++i) {
    put_raw<std::int32_t>(text, i + 1);
    for (int k = 0; k < 3; ++k) put_raw<double>(text, mesh.points[3 * i + k]);
  }
  text += "\n$EndNodes\n$Elements\n" + std::to_string(mesh.tet_count()) + "\n";
  if (!mesh.tets.empty()) {
    for (const std::int32_t header : {4, mesh.tet_count(), 2}) put_raw<std::int32_t>(text, header);
    for (int t = 0; t < mesh.tet_count(); ++t) {
      for (const std::int32_t tag : {t + 1, 1, 1}) put_raw<std::int32_t>(text, tag);
      for (const int corner : mesh.tets[t]) put_raw<std::int32_t>(text, corner + 1);
    }
  }
  return text + "\n$EndElements\n";
}

std::string msh_4_text(const TetMesh& mesh) {
  const std::string points = std::to_string(mesh.point_count()), tets = std::to_string(mesh.tet_count());
  std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 " + points + " 1 " + points + "\n3 1 0 " + points + "\n";
  for (int i = 0; i < mesh.point_count(); ++i) text += std::to_string(i + 1) + '\n';
  for (int i = 0; i < mesh.point_count(); ++i) {
    put_point(text, mesh.points, i);
    text += '\n';
  }
  text += "$EndNodes\n$Elements\n1 " + tets + " 1 " + tets + "\n3 1 4 " + tets + "\n";
  put_tets(text, mesh, "");
  return text + "$EndElements\n";
}

std::string msh_4_binary(const TetMesh& mesh) {
  std::string text = "$MeshFormat\n4.1 1 8\n";
  put_raw<std::int32_t>(text, 1);
  text += "\n$EndMeshFormat\n$Nodes\n";
  const std::int64_t points = mesh.point_count(), tets = mesh.tet_count();
  for (const std::int64_t header : {std::int64_t{1}, points, std::int64_t{1}, points}) put_raw(text, header);
  for (const std::int32_t header : {3, 1, 0}) put_raw(text, header);
  put_raw(text, points);
  for (std::int64_t i = 1; i <= points; ++i) put_raw(text, i);
  for (const double x : mesh.points) put_raw(text, x);
  text += "\n$EndNodes\n$Elements\n";
  for (const std::int64_t header : {std::int64_t{1}, tets, std::int64_t{1}, tets}) put_raw(text, header);
  for (const std::int32_t header : {3, 1, 4}) put_raw(text, header);
  put_raw(text, tets);
  for (std::int64_t t = 0; t < tets; ++t) {
    put_raw<std::int64_t>(text, t + 1);
    for (const int corner : mesh.tets[static_cast<std::size_t>(t)]) put_raw<std::int64_t>(text, corner + 1);
  }
  return text + "\n$EndElements\n";
}

}  // namespace

std::string to_msh(const TetMesh& mesh, MshOptions options) {
  if (options.version_2) return options.binary ? msh_2_binary(mesh) : msh_2_text(mesh);
  return options.binary ? msh_4_binary(mesh) : msh_4_text(mesh);
}

std::string to_medit(const TetMesh& mesh) {
  std::string text = "MeshVersionFormatted 2\nDimension 3\nVertices\n" + std::to_string(mesh.point_count()) + "\n";
  for (int i = 0; i < mesh.point_count(); ++i) {
    put_point(text, mesh.points, i);
    text += " 1\n";
  }
  const auto boundary = boundary_triangles(mesh);
  text += "Triangles\n" + std::to_string(boundary.size()) + "\n";
  for (const Triangle& t : boundary) {
    for (const int corner : t) text += std::to_string(corner + 1) + ' ';
    text += "1\n";
  }
  text += "Tetrahedra\n" + std::to_string(mesh.tet_count()) + "\n";
  for (const Tet& t : mesh.tets) {
    for (const int corner : t) text += std::to_string(corner + 1) + ' ';
    text += "1\n";
  }
  return text + "End\n";
}

void write_tets(const std::filesystem::path& path, const TetMesh& mesh) {
  const std::string extension = path.extension().string();
  if (extension != ".msh" && extension != ".mesh")
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "is no tetrahedral mesh by its extension",
                 .remedy = "expected .msh or .mesh"});
  write_file(path, extension == ".msh" ? to_msh(mesh) : to_medit(mesh));
}

}  // namespace rigspace
