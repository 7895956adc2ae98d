#include "flesh.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace::flesh {
namespace {

// Closed by one point at either end; ring r is points first + 1 + r * segments ..
void add_closed_rings(int first, int rings, int segments, Flesh& flesh) {
  const auto at = [&](int ring, int k) { return first + 1 + ring * segments + k % segments; };
  const int last = first + 1 + rings * segments;
  for (int k = 0; k < segments; ++k) {
    flesh.triangles.push_back({first, at(0, k), at(0, k + 1)});
    for (int r = 0; r + 1 < rings; ++r) {
      flesh.triangles.push_back({at(r, k), at(r + 1, k), at(r + 1, k + 1)});
      flesh.triangles.push_back({at(r, k), at(r + 1, k + 1), at(r, k + 1)});
    }
    flesh.triangles.push_back({at(rings - 1, k), last, at(rings - 1, k + 1)});
  }
}

void add_point(const Vec3& x, const Vec3& normal, const Attachment& attachment, Flesh& flesh) {
  flesh.points.push_back(x);
  flesh.normals.push_back(normal.normalized());
  flesh.colors.push_back(attachment.color);
  flesh.influences.push_back({{attachment.joint, 1.0}});
}

}  // namespace

void add_ellipsoid(const EllipsoidShape& shape, const Attachment& attachment, Flesh& flesh) {
  const int first = flesh.size();
  const auto add = [&](const Vec3& unit) {
    add_point(shape.center + shape.axes * unit.cwiseProduct(shape.half), shape.axes * unit.cwiseQuotient(shape.half),
              attachment, flesh);
  };
  add(Vec3::UnitZ());
  for (int r = 0; r < shape.rings; ++r) {
    const double polar = std::numbers::pi * (r + 1) / (shape.rings + 1);
    for (int k = 0; k < shape.segments; ++k) {
      const double around = 2 * std::numbers::pi * k / shape.segments;
      add({std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around), std::cos(polar)});
    }
  }
  add(-Vec3::UnitZ());
  add_closed_rings(first, shape.rings, shape.segments, flesh);
}

void add_tube(const TubeShape& shape, const Attachment& attachment, Flesh& flesh) {
  const int first = flesh.size(), count = static_cast<int>(shape.line.size());
  const auto tangent = [&](int i) -> Vec3 {
    return (shape.line[std::min(i + 1, count - 1)] - shape.line[std::max(i - 1, 0)]).normalized();
  };
  add_point(shape.line[0] - shape.radii[0] * tangent(0), -tangent(0), attachment, flesh);
  for (int i = 0; i < count; ++i) {
    const Vec3 along = tangent(i), side = along.cross(shape.up).normalized(), up = side.cross(along);
    for (int k = 0; k < shape.segments; ++k) {
      const double around = 2 * std::numbers::pi * k / shape.segments;
      const Vec3 normal = std::cos(around) * side + std::sin(around) * up;
      add_point(shape.line[i] + shape.radii[i] * normal, normal, attachment, flesh);
    }
  }
  add_point(shape.line[count - 1] + shape.radii[count - 1] * tangent(count - 1), tangent(count - 1), attachment, flesh);
  add_closed_rings(first, count, shape.segments, flesh);
}

void add_turned(const TurnedShape& shape, int joint, Flesh& flesh) {
  const int first = flesh.size();
  const Vec3 axis = shape.axes.col(2);
  add_point(shape.center + shape.top * axis, axis, {joint, shape.top_color}, flesh);
  for (const Ring& ring : shape.rings) {
    for (int k = 0; k < shape.segments; ++k) {
      const double around = 2 * std::numbers::pi * k / shape.segments;
      const Vec3 out = std::cos(around) * shape.axes.col(0) + std::sin(around) * shape.axes.col(1);
      add_point(shape.center + ring.along * axis + ring.radius * out, ring.normal[0] * out + ring.normal[1] * axis,
                {joint, ring.color}, flesh);
    }
  }
  add_point(shape.center + shape.bottom * axis, -axis, {joint, shape.bottom_color}, flesh);
  add_closed_rings(first, static_cast<int>(shape.rings.size()), shape.segments, flesh);
}

std::vector<double> chain_weights(const Vec3& p, std::span<const Vec3> chain, double width) {
  const std::size_t bones = chain.size() - 1;
  double nearest = 1e300, position = 0, length = 0;
  std::vector<double> start(bones);
  for (std::size_t k = 0; k < bones; ++k) {
    const Vec3 bone = chain[k + 1] - chain[k];
    const double t = segment_parameter(p, chain[k], chain[k + 1]);
    const double distance = (p - chain[k] - t * bone).squaredNorm();
    start[k] = length;
    if (distance < nearest) {
      nearest = distance;
      position = length + t * bone.norm();
    }
    length += bone.norm();
  }
  // Telescoping steps: w_k = S_k - S_(k+1) with S_0 = 1 sums to one.
  std::vector<double> weights(bones);
  double reached = 1;
  for (std::size_t k = 0; k < bones; ++k) {
    const double next = k + 1 < bones ? smooth_step(start[k + 1] - width, start[k + 1] + width, position) : 0;
    weights[k] = reached - next;
    reached = next;
  }
  return weights;
}

void ChainWeights::operator()(const Vec3& p, double share, WeightRow row) const {
  const std::vector<double> along = chain_weights(p, points, width);
  for (std::size_t k = 0; k < along.size(); ++k) row[joints[k]] += share * along[k];
}

std::vector<double> shares(std::span<const Part> parts, const Vec3& p) {
  std::vector<double> share;
  double nearest = 1e300, sum = 0;
  for (const Part& part : parts) {
    share.push_back(part.distance(p));
    nearest = std::min(nearest, share.back());
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    share[k] = std::exp((nearest - share[k]) / parts[k].softness) * (parts[k].mask ? parts[k].mask(p) : 1.0);
    sum += share[k];
  }
  for (double& s : share) s /= sum;
  return share;
}

void weigh(std::span<const Part> parts, const Vec3& p, WeightRow row) {
  const std::vector<double> share = shares(parts, p);
  row.setZero();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (share[k] > 1e-6) parts[k].weigh(p, share[k], row);
  }
}

Flesh make_body(const TriMesh& surface, const BodyPlan& plan) {
  Flesh flesh{.name = plan.name, .material = plan.material};
  flesh.triangles = surface.triangles;
  const int count = surface.point_count();
  flesh.points.resize(count), flesh.normals.resize(count), flesh.colors.resize(count);
  Mat weights(count, plan.joints);
  const Vec faceted = vertex_normals(surface);
  parallel_ranges(count, 256, [&](int begin, int end) {
    for (int v = begin; v < end; ++v) {
      const Vec3 p = point(surface.points, v);
      flesh.points[v] = p;
      // The solid's normal is the smoother one, save at creases and where the mesh is too coarse for the solid.
      const Vec3 normal = gradient(plan.solid, p, 1e-4).normalized(), facet = point(faceted, v);
      flesh.normals[v] = normal.dot(facet) > 0.8 ? normal : facet;
      flesh.colors[v] = plan.color(p);
      weigh(plan.parts, p, weights.row(v));
    }
  });
  smooth_weights(flesh.triangles, plan.smoothing, weights);
  flesh.influences = strongest(weights, 4, 0.02);
  return flesh;
}

void smooth_weights(std::span<const std::array<int, 3>> triangles, int rounds, Mat& weights) {
  std::vector<int> degree(weights.rows(), 0);
  for (const auto& triangle : triangles) {
    for (const int v : triangle) ++degree[v];  // of a closed mesh: triangles and neighbours are equally many
  }
  for (int round = 0; round < rounds; ++round) {
    Mat mean = Mat::Zero(weights.rows(), weights.cols());
    for (const auto& triangle : triangles) {
      for (int k = 0; k < 3; ++k) mean.row(triangle[k]) += weights.row(triangle[(k + 1) % 3]);
    }
    for (Eigen::Index v = 0; v < weights.rows(); ++v) {
      weights.row(v) = 0.5 * weights.row(v) + 0.5 / std::max(degree[v], 1) * mean.row(v);
    }
  }
}

std::vector<std::vector<Influence>> strongest(const Mat& weights, int most, double least) {
  std::vector<std::vector<Influence>> result(weights.rows());
  for (Eigen::Index v = 0; v < weights.rows(); ++v) {
    std::vector<Influence>& list = result[v];
    for (int j = 0; j < weights.cols(); ++j) {
      if (weights(v, j) > least) list.push_back({j, weights(v, j)});
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    if (static_cast<int>(list.size()) > most) list.resize(most);
    double sum = 0;
    for (const Influence& influence : list) sum += influence.weight;
    for (Influence& influence : list) influence.weight /= sum;
  }
  return result;
}

}  // namespace rigspace::flesh
