#include "refine.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <unordered_map>

namespace rigspace {
namespace {

constexpr std::size_t kMostInfluences = 4;

struct Edges {
  std::vector<std::array<int, 2>> ends;
  std::vector<std::array<int, 3>> of_triangle;  ///< edge k is between corners k and k + 1
};

Edges edges_of(const flesh::Flesh& flesh) {
  Edges edges;
  std::unordered_map<std::uint64_t, int> known;
  known.reserve(3 * flesh.points.size());
  for (const auto& triangle : flesh.triangles) {
    std::array<int, 3> own;
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangle[k], triangle[(k + 1) % 3]);
      const auto key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
      const auto [place, fresh] = known.try_emplace(key, static_cast<int>(edges.ends.size()));
      if (fresh) edges.ends.push_back({low, high});
      own[k] = place->second;
    }
    edges.of_triangle.push_back(own);
  }
  return edges;
}

std::vector<Influence> mean_of(const std::vector<Influence>& a, const std::vector<Influence>& b) {
  std::vector<Influence> sum = a;
  for (const Influence& each : b) {
    const auto same =
        std::find_if(sum.begin(), sum.end(), [&](const Influence& known) { return known.joint == each.joint; });
    if (same == sum.end())
      sum.push_back(each);
    else
      same->weight += each.weight;
  }
  std::stable_sort(sum.begin(), sum.end(), [](const Influence& x, const Influence& y) { return x.weight > y.weight; });
  if (sum.size() > kMostInfluences) sum.resize(kMostInfluences);
  double total = 0;
  for (const Influence& each : sum) total += each.weight;
  for (Influence& each : sum) each.weight /= total;
  return sum;
}

/// One step of Newton toward the level, no longer than `most`: where the field has a crease it would leave the surface.
Vec3 onto_level(const ScalarField& solid, const Vec3& p, double most) {
  const Vec3 g = gradient(solid, p, 1e-4);
  if (g.squaredNorm() < 1e-6) return p;
  const Vec3 step = -solid(p) / g.squaredNorm() * g;
  return p + std::min(1.0, most / std::max(step.norm(), 1e-300)) * step;
}

}  // namespace

flesh::Flesh refined(const flesh::Flesh& flesh, const ScalarField& solid) {
  const Edges edges = edges_of(flesh);
  flesh::Flesh fine = flesh;
  const std::size_t old = flesh.points.size(), count = old + edges.ends.size();
  fine.points.resize(count), fine.normals.resize(count), fine.colors.resize(count), fine.influences.resize(count);
  parallel_ranges(static_cast<int>(edges.ends.size()), 256, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const auto [a, b] = edges.ends[e];
      const std::size_t at = old + e;
      const Vec3 middle = 0.5 * (flesh.points[a] + flesh.points[b]);
      fine.points[at] = onto_level(solid, middle, 0.25 * (flesh.points[a] - flesh.points[b]).norm());
      fine.normals[at] = (flesh.normals[a] + flesh.normals[b]).normalized();
      fine.colors[at] = 0.5f * (flesh.colors[a] + flesh.colors[b]);
      fine.influences[at] = mean_of(flesh.influences[a], flesh.influences[b]);
    }
  });
  fine.triangles.clear();
  for (std::size_t t = 0; t < flesh.triangles.size(); ++t) {
    const auto& corner = flesh.triangles[t];
    std::array<int, 3> middle;
    for (int k = 0; k < 3; ++k) middle[k] = static_cast<int>(old) + edges.of_triangle[t][k];
    for (int k = 0; k < 3; ++k) fine.triangles.push_back({corner[k], middle[k], middle[(k + 2) % 3]});
    fine.triangles.push_back(middle);
  }
  return fine;
}

}  // namespace rigspace
