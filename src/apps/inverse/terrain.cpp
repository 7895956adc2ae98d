#include "rigspace/apps/inverse/terrain.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

namespace rigspace {
namespace {

/// Triangles by cells of the ground, seen from above.
class HeightField {
 public:
  explicit HeightField(TriMesh mesh) : mesh_(std::move(mesh)), box_(bounding_box(mesh_.points)) {
    const double n = std::ceil(std::sqrt(static_cast<double>(mesh_.triangle_count())));
    cells_ = std::clamp(static_cast<int>(n), 1, 512);
    width_ = box_.size().x() / cells_, depth_ = box_.size().z() / cells_;
    in_cell_.resize(static_cast<std::size_t>(cells_ * cells_));
    for (int t = 0; t < mesh_.triangle_count(); ++t) {
      Box around;
      for (const int corner : mesh_.triangles[static_cast<std::size_t>(t)]) around.include(point(mesh_.points, corner));
      for (int i = column(around.low.x()); i <= column(around.high.x()); ++i)
        for (int j = row(around.low.z()); j <= row(around.high.z()); ++j)
          in_cell_[static_cast<std::size_t>(i * cells_ + j)].push_back(t);
    }
  }

  double operator()(double x, double z) const {
    double highest = -INFINITY;
    for (const int t : in_cell_[static_cast<std::size_t>(column(x) * cells_ + row(z))])
      highest = std::max(highest, height_in(mesh_.triangles[static_cast<std::size_t>(t)], x, z));
    if (std::isfinite(highest)) return highest;
    double nearest = INFINITY, height = 0;
    for (int k = 0; k < mesh_.point_count(); ++k) {
      const Vec3 at = point(mesh_.points, k);
      if (const double away = std::hypot(at.x() - x, at.z() - z); away < nearest) nearest = away, height = at.y();
    }
    return height;
  }

 private:
  int column(double x) const { return cell((x - box_.low.x()) / width_); }
  int row(double z) const { return cell((z - box_.low.z()) / depth_); }
  int cell(double share) const {
    return std::isfinite(share) ? static_cast<int>(std::clamp(share, 0.0, cells_ - 1.0)) : 0;
  }
  /// -infinity beside the triangle.
  double height_in(const Triangle& triangle, double x, double z) const {
    const Vec3 a = point(mesh_.points, triangle[0]), u = Vec3(point(mesh_.points, triangle[1])) - a,
               v = Vec3(point(mesh_.points, triangle[2])) - a;
    const double area = u.x() * v.z() - u.z() * v.x();
    if (area == 0) return -INFINITY;
    const double s = ((x - a.x()) * v.z() - (z - a.z()) * v.x()) / area,
                 t = (u.x() * (z - a.z()) - u.z() * (x - a.x())) / area;
    constexpr double kEdge = 1e-9;
    return s < -kEdge || t < -kEdge || s + t > 1 + kEdge ? -INFINITY : a.y() + s * u.y() + t * v.y();
  }

  TriMesh mesh_;
  Box box_;
  int cells_ = 1;
  double width_ = 0, depth_ = 0;  // of a cell
  std::vector<std::vector<int>> in_cell_;
};

TriMesh read_obj_mesh(const std::string& text, const std::string& file) {
  std::vector<double> points;
  TriMesh mesh;
  std::istringstream lines(text);
  std::string line, word;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    const auto refuse = [&](const std::string& problem, const std::string& remedy) {
      throw Error({.file = file + ":" + std::to_string(number),
                   .element = "line",
                   .value = line,
                   .problem = problem,
                   .remedy = remedy});
    };
    if (word == "v") {
      for (int k = 0; k < 3; ++k) {
        double value = 0;
        if (!(words >> value) || !std::isfinite(value)) refuse("is no point", "expected v x y z");
        points.push_back(value);
      }
    } else if (word == "f") {
      std::vector<int> corners;
      while (words >> word) {
        const int count = static_cast<int>(points.size() / 3), index = std::atoi(word.c_str());
        const int corner = index < 0 ? count + index : index - 1;
        if (corner < 0 || corner >= count)
          refuse("names the point " + word + ", which is not there", "count points from 1");
        corners.push_back(corner);
      }
      for (std::size_t k = 2; k < corners.size(); ++k)
        mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
    }
  }
  mesh.points = Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size()));
  return mesh;
}

Vec3 ground_point(std::string text, const std::string& file, const std::string& element) {
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  double x = 0, z = 0;
  std::string more;
  if (!(words >> x >> z) || (words >> more) || !std::isfinite(x + z))
    throw Error({.code = ErrorCode::usage,
                 .file = file,
                 .element = element,
                 .value = text,
                 .problem = "is no point of the ground",
                 .remedy = "expected x,z, as 0,2.5"});
  return {x, 0, z};
}

}  // namespace

Terrain terrain_of(TriMesh mesh) {
  if (mesh.triangles.empty())
    throw Error({.element = "terrain", .problem = "has no triangles", .remedy = "give a mesh with faces"});
  mesh.validate("terrain");
  return [field = std::make_shared<const HeightField>(std::move(mesh))](double x, double z) { return (*field)(x, z); };
}

Terrain load_terrain(const std::filesystem::path& file) {
  TriMesh mesh;
  if (file.extension() == ".obj") {
    mesh = read_obj_mesh(read_text(file), file.string());
  } else {
    const Character character = load_character(file);
    character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), mesh.points);
    for (const Piece& piece : character.pieces)
      if (piece.drawn) mesh.triangles.insert(mesh.triangles.end(), piece.triangles.begin(), piece.triangles.end());
  }
  if (mesh.triangles.empty())
    throw Error({.file = file.string(),
                 .element = "terrain",
                 .problem = "has no triangles",
                 .remedy = "give a mesh with faces"});
  return terrain_of(std::move(mesh));
}

std::vector<Vec3> read_path(std::span<const std::string> words) {
  std::vector<Vec3> path;
  if (words.size() == 1 && words[0].find(',') == std::string::npos) {
    std::istringstream lines(read_text(words[0]));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      line = line.substr(0, line.find('#'));
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      path.push_back(ground_point(line, words[0] + ":" + std::to_string(number), "line"));
    }
  } else {
    for (const std::string& word : words) path.push_back(ground_point(word, "--path", "\"" + word + "\""));
  }
  if (path.size() == 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "--path",
                 .value = "1",
                 .problem = "has one point",
                 .remedy = "give at least two"});
  return path;
}

}  // namespace rigspace
