#include "frame_scene.h"

#include "rigspace/base/error.h"

#include <cmath>
#include <string>

namespace rigspace {
namespace {

const Vec3f kClay(0.50f, 0.465f, 0.43f);
const Vec3f kWire(0.035f, 0.045f, 0.06f);
constexpr float kBrightest = 0.82f;  // no real paint reflects more

void check(const Character& character, const Snapshot& snapshot) {
  if (snapshot.points.size() != 3 * static_cast<Eigen::Index>(character.rig->point_count()))
    throw Error({.file = character.name,
                 .element = "snapshot",
                 .problem = "has " + std::to_string(snapshot.points.size() / 3) + " points",
                 .remedy = "the rig has " + std::to_string(character.rig->point_count())});
  for (Eigen::Index i = 0; i < snapshot.points.size(); ++i)
    if (!std::isfinite(snapshot.points[i]))
      throw Error({.file = character.name,
                   .element = "point " + std::to_string(i / 3),
                   .problem = "is not finite",
                   .remedy = "check the pose that was evaluated"});
}

bool is_plain_white(const SurfaceMaterial& material) {
  return material.image < 0 && material.base_color.head<3>() == Vec3f::Ones();
}

}  // namespace

FrameScene::FrameScene(const Character& character, const Surface& surface,
                       const std::vector<std::optional<Texture>>& textures, const Snapshot& snapshot,
                       const Camera& camera, const RenderOptions& render_options)
    : options(render_options),
      studio(camera, render_options),
      character_(character),
      surface_(surface),
      textures_(textures) {
  check(character, snapshot);
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const auto& t : surface.triangles)
    for (const std::uint32_t i : t)
      low = low.cwiseMin(point(snapshot.points, i)), high = high.cwiseMax(point(snapshot.points, i));
  // Single precision is enough only near zero: everything is moved there. A character far away stays sharp.
  const Vec3 origin = 0.5 * (low + high);
  const int n = static_cast<int>(snapshot.points.size() / 3);
  points_.reserve(n);
  for (int i = 0; i < n; ++i) points_.push_back((point(snapshot.points, i) - origin).cast<float>());
  normals_ = smooth_normals(surface, points_);
  size = std::max(static_cast<float>(0.5 * (high - low).norm()), 1e-30f);
  floor_ = static_cast<float>(options.ground_height.value_or(low.y()) - origin.y()) - 1e-4f * size;
  rays.emplace(surface.triangles, points_);

  eye = (camera.eye - origin).cast<float>();
  const Mat3 axes = camera.axes();
  const double half = std::tan(0.5 * camera.fov), pixel = 2 * half / options.height;
  pixel_angle = static_cast<float>(pixel);
  ray_x_ = (pixel * axes.col(0)).cast<float>();
  ray_y_ = (-pixel * axes.col(1)).cast<float>();
  ray_corner_ = (-axes.col(2) - 0.5 * options.width * pixel * axes.col(0) + half * axes.col(1)).cast<float>();
  mark_blocks(snapshot, camera);
}

void FrameScene::mark_blocks(const Snapshot& snapshot, const Camera& camera) {
  blocks_x_ = (options.width + 7) / 8;
  const int blocks_y = (options.height + 7) / 8;
  shows_.assign(static_cast<std::size_t>(blocks_x_) * blocks_y, 0);
  const int n = static_cast<int>(points_.size());
  std::vector<Eigen::Vector3f> seen(n);
  for (int i = 0; i < n; ++i)
    seen[i] = camera.project(point(snapshot.points, i), options.width, options.height).cast<float>();
  constexpr float kReach = 2;  // pixels by which samples leave their pixel, and some more
  const auto block = [](float pixel, int count) {
    return static_cast<int>(std::clamp(pixel / 8, 0.0f, static_cast<float>(count - 1)));
  };
  for (const auto& t : surface_.triangles) {
    Eigen::Vector3f low = seen[t[0]].cwiseMin(seen[t[1]]).cwiseMin(seen[t[2]]);
    Eigen::Vector3f high = seen[t[0]].cwiseMax(seen[t[1]]).cwiseMax(seen[t[2]]);
    if (low.z() <= 0) {  // reaches behind the eye
      if (high.z() <= 0) continue;
      low.setZero(), high << static_cast<float>(options.width), static_cast<float>(options.height), 0;
    }
    if (high.x() < -kReach || high.y() < -kReach || low.x() > options.width + kReach ||
        low.y() > options.height + kReach)
      continue;
    for (int y = block(low.y() - kReach, blocks_y); y <= block(high.y() + kReach, blocks_y); ++y)
      for (int x = block(low.x() - kReach, blocks_x_); x <= block(high.x() + kReach, blocks_x_); ++x)
        shows_[static_cast<std::size_t>(y) * blocks_x_ + x] = 1;
  }
}

// How much of the wire covers this place, 0..1. Triangles of a few pixels fade out, or dense meshes would turn black.
float FrameScene::wire_at(int triangle, const Vec3f& barycentric, float pixel) const {
  const auto& t = surface_.triangles[triangle];
  const float area = (points_[t[1]] - points_[t[0]]).cross(points_[t[2]] - points_[t[0]]).norm();
  float nearest = INFINITY, lowest = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const float height = area / std::max((points_[t[(k + 1) % 3]] - points_[t[(k + 2) % 3]]).norm(), 1e-30f);
    nearest = std::min(nearest, barycentric[k] * height);
    lowest = std::min(lowest, height);
  }
  return nearest < 0.45f * pixel ? 0.85f * std::clamp(lowest / (7 * pixel), 0.12f, 1.0f) : 0;
}

Vec3f FrameScene::albedo_at(int triangle, const Vec3f& barycentric, float pixel) const {
  const Piece& piece = character_.pieces[surface_.piece[triangle]];
  const auto& t = surface_.triangles[triangle];
  const Vec3f edges[2] = {points_[t[1]] - points_[t[0]], points_[t[2]] - points_[t[0]]};
  const float area = edges[0].cross(edges[1]).norm();
  const SurfaceMaterial* material = piece.material >= 0 ? &character_.materials[piece.material] : nullptr;
  if (!options.colors || ((!material || is_plain_white(*material)) && piece.colors.empty())) return kClay;

  Vec3f albedo = material ? Vec3f(material->base_color.head<3>()) : Vec3f::Ones();
  if (!piece.colors.empty()) {
    Vec3f color = Vec3f::Zero();
    for (int k = 0; k < 3; ++k)
      color += barycentric[k] * piece.colors[static_cast<int>(t[k]) - piece.first_point].head<3>();
    albedo = albedo.cwiseProduct(color);
  }
  if (material && material->image >= 0 && !piece.uv.empty()) {
    Eigen::Vector2f uv[3];
    for (int k = 0; k < 3; ++k) uv[k] = piece.uv[static_cast<int>(t[k]) - piece.first_point];
    const Eigen::Vector2f a = uv[1] - uv[0], b = uv[2] - uv[0];
    const float density = std::sqrt(std::abs(a.x() * b.y() - a.y() * b.x()) / std::max(area, 1e-30f));
    const Eigen::Vector2f at = barycentric[0] * uv[0] + barycentric[1] * uv[1] + barycentric[2] * uv[2];
    albedo = albedo.cwiseProduct(textures_[material->image]->sample(at, 0.5f * pixel * density));
  }
  return albedo.cwiseMax(0.0f).cwiseMin(1.0f) * kBrightest;
}

SurfaceSample FrameScene::surface_at(const Packet& packet, int lane) const {
  const RTCRayHit8& hit = packet.embree;
  const int triangle = static_cast<int>(hit.hit.primID[lane]);
  const float u = hit.hit.u[lane], v = hit.hit.v[lane];
  const Vec3f barycentric(1 - u - v, u, v);
  const Vec3f direction(hit.ray.dir_x[lane], hit.ray.dir_y[lane], hit.ray.dir_z[lane]);
  const auto& t = surface_.triangles[triangle];

  SurfaceSample sample;
  sample.position = barycentric[0] * points_[t[0]] + barycentric[1] * points_[t[1]] + barycentric[2] * points_[t[2]];
  sample.face_normal = Vec3f(hit.hit.Ng_x[lane], hit.hit.Ng_y[lane], hit.hit.Ng_z[lane]).normalized();
  Vec3f corner[3];
  sample.normal.setZero();
  for (int k = 0; k < 3; ++k) {
    corner[k] = normals_[surface_.corner_normals[triangle][k]];
    sample.normal += barycentric[k] * corner[k];
  }
  const float length = sample.normal.norm();
  if (length > 1e-6f)
    sample.normal /= length;
  else
    sample.normal = sample.face_normal;
  // Mirrored parts wind the other way: the smooth normal gives the outside, the viewing direction the lit side.
  const float facing = sample.face_normal.dot(direction) > 0 ? -1.0f : 1.0f;
  const float agrees = sample.normal.dot(sample.face_normal) < 0 ? -1.0f : 1.0f;
  sample.face_normal *= facing;
  sample.normal *= facing * agrees;
  // A smooth normal may lean away from the viewer at a silhouette: bring it back to grazing.
  const float lean = sample.normal.dot(direction);
  if (lean > -0.02f) sample.normal = (sample.normal - (lean + 0.02f) * direction).normalized();

  // Shadow rays from flat triangles with smooth normals draw the triangles at the terminator; they start instead from
  // the tangent planes of the corners (Hanika, Hacking the Shadow Terminator, Ray Tracing Gems II, 2021).
  Vec3f lift = Vec3f::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3f n = facing * agrees * corner[k];
    lift -= barycentric[k] * std::min(0.0f, (sample.position - points_[t[k]]).dot(n)) * n;
  }
  sample.lifted = sample.position + lift + 2e-4f * size * sample.face_normal;
  const float pixel = hit.ray.tfar[lane] * pixel_angle;
  sample.albedo = albedo_at(triangle, barycentric, pixel);
  if (options.wireframe) sample.albedo += wire_at(triangle, barycentric, pixel) * (kWire - sample.albedo);
  return sample;
}

float FrameScene::floor_distance(const Vec3f& origin, const Vec3f& direction) const {
  if (!options.ground || direction.y() >= 0 || origin.y() <= floor_) return -1;
  return (floor_ - origin.y()) / direction.y();
}

float FrameScene::floor_weight(const Vec3f& place) const {
  const float r = std::hypot(place.x(), place.z()) / size;
  const float fade = std::clamp((4.0f - r) / 2.2f, 0.0f, 1.0f);
  return fade * fade * (3 - 2 * fade);
}

}  // namespace rigspace
