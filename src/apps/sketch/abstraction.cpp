#include "rigspace/apps/sketch/abstraction.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

std::span<const SketchAbstraction> abstractions_of(const Character& character) {
  const auto found = character.extensions.find("sketch");
  if (found == character.extensions.end()) return {};
  const auto* block = dynamic_cast<const SketchBlock*>(found->second.get());
  return block != nullptr ? std::span<const SketchAbstraction>(block->abstractions)
                          : std::span<const SketchAbstraction>();
}

void keep_abstraction(Character& character, SketchAbstraction abstraction) {
  auto block = std::make_shared<SketchBlock>();
  for (const SketchAbstraction& each : abstractions_of(character))
    if (each.name != abstraction.name) block->abstractions.push_back(each);
  block->abstractions.push_back(std::move(abstraction));
  character.extensions["sketch"] = std::move(block);
}

namespace {

TriMesh surface_at(const Character& character, In p) {
  TriMesh mesh = rest_surface(character);
  character.rig->evaluate(*character.rig->make_workspace(), p, mesh.points);
  return mesh;
}

}  // namespace

SeenSurface::SeenSurface(const Character& character, In p, const Camera& camera)
    : view_(camera),
      tree_(surface_at(character, p)),
      eye_(camera.eye),
      perspective_(camera.height <= 0),
      size_(bounding_box(tree_.mesh().points).diagonal()) {}

CurvePlace SeenSurface::on(int triangle, const Vec3& barycentric) const {
  CurvePlace place;
  for (int a = 0; a < 3; ++a)
    if (barycentric[a] > 1e-9) place.push_back({.point = mesh().triangles[triangle][a], .weight = barycentric[a]});
  return place;
}

// The nearest crossing of the ray, Moeller and Trumbore's test on the triangles of boxes that it enters.
CurvePlace SeenSurface::hit(const Vec2& z) const {
  const Vec3 from = view_.ray_origin(z), along = view_.ray_direction(z);
  double nearest = std::numeric_limits<double>::infinity();
  int found = -1;
  Vec3 weights = Vec3::Zero();
  const Vec3 inverse = along.cwiseInverse();
  tree_.bvh().traverse(
      [&](const Bvh::Node& node) {
        double enter = -std::numeric_limits<double>::infinity(), leave = nearest;
        for (int k = 0; k < 3; ++k) {
          if (along[k] == 0) {
            if (from[k] < node.low[k] || from[k] > node.high[k]) return false;
            continue;
          }
          const double a = (node.low[k] - from[k]) * inverse[k], b = (node.high[k] - from[k]) * inverse[k];
          enter = std::max(enter, std::min(a, b)), leave = std::min(leave, std::max(a, b));
        }
        return enter <= leave && leave >= 0;
      },
      [&](int triangle) {
        const Triangle& t = mesh().triangles[triangle];
        const Vec3 a = point(mesh().points, t[0]), e1 = point(mesh().points, t[1]) - a,
                   e2 = point(mesh().points, t[2]) - a;
        const Vec3 h = along.cross(e2);
        const double det = e1.dot(h);
        if (std::abs(det) < 1e-300) return;
        const Vec3 s = from - a;
        const double u = s.dot(h) / det;
        const Vec3 q = s.cross(e1);
        const double v = along.dot(q) / det, distance = e2.dot(q) / det;
        if (u < 0 || v < 0 || u + v > 1 || distance <= (perspective_ ? 0 : -1e12) || distance >= nearest) return;
        nearest = distance, found = triangle, weights = Vec3(1 - u - v, u, v);
      });
  return found < 0 ? CurvePlace{} : on(found, weights);
}

CurvePlace SeenSurface::nearest(const Vec3& x) const {
  const SurfacePoint found = tree_.closest(x);
  return found.triangle < 0 ? CurvePlace{} : on(found.triangle, found.barycentric);
}

bool SeenSurface::visible(const Vec3& x, const Vec3& n) const {
  const Vec3 from = x + 2e-3 * size_ * n;
  const Vec3 to = perspective_ ? eye_ : Vec3(x - 10 * size_ * view_.direction(x));
  return !tree_.any_crossing(from, to);
}

bool SeenSurface::eye_inside() const {
  if (!perspective_) return false;
  const Box box = bounding_box(mesh().points);
  if ((eye_.array() < box.low.array()).any() || (eye_.array() > box.high.array()).any()) return false;
  // In most directions there is surface: the eye is within the body, or within a fold of it.
  int closed = 0, tried = 0;
  for (int k = 0; k < 26; ++k) {
    const Vec3 direction(k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0);
    if (direction.squaredNorm() == 0) continue;
    ++tried;
    closed += tree_.any_crossing(eye_, eye_ + 2 * size_ * direction.normalized()) ? 1 : 0;
  }
  return closed > 0.9 * tried;
}

SketchCurve project_stroke(const SeenSurface& surface, const Stroke& stroke, int places) {
  SketchCurve curve{.name = stroke.name.empty() ? stroke.curve : stroke.name, .closed = stroke.closed};
  for (const Vec2& z : resampled(stroke.points, stroke.closed, places))
    if (CurvePlace place = surface.hit(z); !place.empty()) curve.places.push_back(std::move(place));
  if (curve.places.size() < static_cast<std::size_t>(places)) curve.closed = false;
  if (curve.places.size() < 2)
    throw Error({.element = stroke.name.empty() ? "stroke" : "stroke \"" + stroke.name + "\"",
                 .problem = "does not lie on the character",
                 .remedy = "draw the first line of a pair over the character as it is seen"});
  return curve;
}

SketchCurve project_curve(const SeenSurface& surface, std::span<const Vec3> curve, std::string name, int places) {
  SketchCurve result{.name = std::move(name)};
  std::vector<double> along(curve.size(), 0);
  for (std::size_t k = 1; k < curve.size(); ++k) along[k] = along[k - 1] + (curve[k] - curve[k - 1]).norm();
  std::size_t k = 1;
  for (int i = 0; i < places && curve.size() > 1; ++i) {
    const double at = along.back() * i / std::max(1, places - 1);
    while (k + 1 < curve.size() && along[k] < at) ++k;
    const double span = along[k] - along[k - 1], t = span > 0 ? (at - along[k - 1]) / span : 0;
    if (CurvePlace place = surface.nearest((1 - t) * curve[k - 1] + t * curve[k]); !place.empty())
      result.places.push_back(std::move(place));
  }
  if (result.places.size() < 2)
    throw Error(
        {.element = "curve \"" + result.name + "\"", .problem = "has no length", .remedy = "give at least two points"});
  return result;
}

}  // namespace rigspace
