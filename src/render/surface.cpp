#include "surface.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace rigspace {
namespace {

constexpr double kSameNormal = 0.94;  // cosine; file normals that differ by less than 20 degrees are one
constexpr double kCrease = 0.643;     // cosine of 50 degrees, for files without normals

void check(const Character& character, const Piece& piece, int point_count) {
  const auto fail = [&](std::string problem, std::string remedy) {
    throw Error({.file = character.name,
                 .element = "piece \"" + piece.name + "\"",
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  };
  if (piece.first_point < 0 || piece.point_count < 0 || piece.first_point > point_count - piece.point_count)
    fail("reaches beyond the rig's " + std::to_string(point_count) + " points", "check first_point and point_count");
  const auto sized = [&](std::size_t size, const char* what) {
    if (size != 0 && size != static_cast<std::size_t>(piece.point_count))
      fail("has " + std::to_string(size) + " " + what + " for " + std::to_string(piece.point_count) + " points",
           "give none or one per point");
  };
  sized(piece.uv.size(), "texture coordinates");
  sized(piece.colors.size(), "colours");
  sized(piece.rest_normals.size(), "normals");
  for (const auto& triangle : piece.triangles)
    for (const int i : triangle)
      if (i < piece.first_point || i >= piece.first_point + piece.point_count)
        fail("has a triangle at point " + std::to_string(i), "stay within its own points");
  if (piece.material >= static_cast<int>(character.materials.size()))
    fail("has material " + std::to_string(piece.material),
         "the character has " + std::to_string(character.materials.size()));
}

/// Union of equals, smaller index as the representative.
struct Classes {
  std::vector<int> parent;
  explicit Classes(int count) : parent(count) { std::iota(parent.begin(), parent.end(), 0); }
  int find(int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  void join(int i, int j) {
    i = find(i), j = find(j);
    parent[std::max(i, j)] = std::min(i, j);
  }
};

/// The same number for points that coincide at rest, to 1e-6 of the character's size.
std::vector<int> weld(const Vec& rest) {
  const int n = static_cast<int>(rest.size() / 3);
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (int i = 0; i < n; ++i) low = low.cwiseMin(point(rest, i)), high = high.cwiseMax(point(rest, i));
  const double cell = std::max(1e-6 * (high - low).maxCoeff(), 1e-300);
  using Key = std::array<double, 3>;
  std::vector<Key> keys(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) keys[i][k] = std::round((rest[3 * i + k] - low[k]) / cell);
  std::vector<int> order(n), welded(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return keys[i] != keys[j] ? keys[i] < keys[j] : i < j; });
  for (int k = 0; k < n; ++k)
    welded[order[k]] = k > 0 && keys[order[k]] == keys[order[k - 1]] ? welded[order[k - 1]] : order[k];
  return welded;
}

/// Joins corners at the same place with the same normal.
class Smoothing {
 public:
  Smoothing(const Character& character, const Surface& surface, const Vec& rest)
      : character_(character), surface_(surface), classes_(3 * static_cast<int>(surface.triangles.size())) {
    for (const auto& t : surface.triangles) {
      const Vec3 normal = (point(rest, t[1]) - point(rest, t[0])).cross(point(rest, t[2]) - point(rest, t[0]));
      face_normals_.push_back(normal.normalized());
    }
    const std::vector<int> welded = weld(rest);
    std::vector<std::vector<int>> corners_at(welded.size());
    for (int c = 0; c < 3 * static_cast<int>(surface.triangles.size()); ++c)
      corners_at[welded[point_of(c)]].push_back(c);
    for (const auto& corners : corners_at) join(corners);
  }

  int number(std::vector<std::array<int, 3>>& corner_normals) {
    std::vector<int> index(classes_.parent.size(), -1);
    int count = 0;
    corner_normals.resize(surface_.triangles.size());
    for (int c = 0; c < static_cast<int>(index.size()); ++c) {
      int& normal = index[classes_.find(c)];
      if (normal < 0) normal = count++;
      corner_normals[c / 3][c % 3] = normal;
    }
    return count;
  }

 private:
  int point_of(int corner) const { return static_cast<int>(surface_.triangles[corner / 3][corner % 3]); }

  /// The direction to compare, and the least cosine that counts as the same.
  std::pair<Vec3, double> direction(int corner) const {
    const Piece& piece = character_.pieces[surface_.piece[corner / 3]];
    if (piece.rest_normals.empty()) return {face_normals_[corner / 3], kCrease};
    return {piece.rest_normals[point_of(corner) - piece.first_point].cast<double>().normalized(), kSameNormal};
  }

  void join(const std::vector<int>& corners) {
    // Quadratic in the corners of one place; beyond this many (a file that collapses to a point) only equal points
    // join.
    constexpr std::size_t kMany = 256;
    for (std::size_t a = 0; a < corners.size(); ++a) {
      const auto [normal_a, agree_a] = direction(corners[a]);
      for (std::size_t b = corners.size() > kMany && a >= 1 ? a - 1 : 0; b < a; ++b) {
        if (classes_.find(corners[a]) == classes_.find(corners[b])) continue;
        const auto [normal_b, agree_b] = direction(corners[b]);
        if (normal_a.dot(normal_b) > std::max(agree_a, agree_b)) classes_.join(corners[a], corners[b]);
      }
    }
  }

  const Character& character_;
  const Surface& surface_;
  std::vector<Vec3> face_normals_;
  Classes classes_;
};

}  // namespace

Surface make_surface(const Character& character) {
  if (!character.rig)
    throw Error(
        {.file = character.name, .element = "character", .problem = "has no rig", .remedy = "load or build one first"});
  Surface surface;
  for (int k = 0; k < static_cast<int>(character.pieces.size()); ++k) {
    const Piece& piece = character.pieces[k];
    check(character, piece, character.rig->point_count());
    if (!piece.drawn) continue;
    for (const auto& t : piece.triangles) {
      surface.triangles.push_back(
          {static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
      surface.piece.push_back(k);
    }
  }
  if (surface.triangles.empty())
    throw Error({.file = character.name,
                 .element = "character",
                 .problem = "has no triangles to draw",
                 .remedy = "render a file that contains a mesh"});
  Vec rest;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), rest);
  surface.normal_count = Smoothing(character, surface, rest).number(surface.corner_normals);
  return surface;
}

std::vector<Vec3f> smooth_normals(const Surface& surface, const std::vector<Vec3f>& points) {
  std::vector<Vec3f> normals(surface.normal_count, Vec3f::Zero());
  for (std::size_t k = 0; k < surface.triangles.size(); ++k) {
    const auto& t = surface.triangles[k];
    const Vec3f twice_area = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
    for (const int n : surface.corner_normals[k]) normals[n] += twice_area;
  }
  for (Vec3f& normal : normals) {
    const float length = normal.norm();
    if (length > 0) normal /= length;
  }
  return normals;
}

}  // namespace rigspace
