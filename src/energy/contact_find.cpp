// Which points of a body are near a collider or near its own surface.

#include "contact_state.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr int kRenewals = 8;  // iterations of a solve in which normals follow; then they stay, so that it ends
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kOpposed = -0.3;  // cosine: surfaces of one body touch face to face
constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

std::unique_ptr<State> Contact::make_state() const { return std::make_unique<Memory>(); }

/// Contact begins at the thickness, or at the gap of the artist's shape where that is less.
double Contact::level(int slot, int i, const Touch& touch, Memory& memory) const {
  if (reference_.size() == 0 || !referenced_[slot / body_.points.size()]) return options_.thickness;
  double& known = memory.levels[slot];
  if (std::isnan(known)) {
    const Collider& collider = colliders_[slot / body_.points.size()];
    const Vec3 at = point(reference_, i);
    const Touch artist = collider.nearest(at, (at - touch.position).norm() + options_.thickness, facing_[slot]);
    known = artist.found ? std::min(options_.thickness, artist.gap) : options_.thickness;
  }
  return known;
}

bool Contact::find(int slot, In x, Memory& memory, Pair& pair) const {
  const int count = static_cast<int>(body_.points.size()), k = slot % count, i = body_.points[k];
  if (slot / count == static_cast<int>(colliders_.size())) return find_own(k, x, memory, pair);
  const Collider& collider = colliders_[slot / count];
  const double near = options_.thickness + options_.reach;
  const bool known = begun_ && facing_[slot].isZero(0);  // to be outside; others may be deep inside
  const Touch touch = collider.nearest(point(x, i), known || !collider.is_mesh() ? near : kInfinite, facing_[slot]);
  if (!touch.found || touch.gap >= near) return false;
  pair = {.slot = slot, .point = i, .normal = touch.normal, .offset = touch.normal.dot(touch.position)};
  pair.stiffness = body_.stiffness[k], pair.touch = touch;
  pair.level = level(slot, i, touch, memory);
  return true;
}

/// Not of the same triangle, nor near to each other or back to back at rest: those are one piece of flesh.
bool Contact::may_meet(int i, int triangle) const {
  const Triangle& t = body_.triangles[triangle];
  if (t[0] == i || t[1] == i || t[2] == i) return false;
  const Vec3 at = point(body_.x_rest, i), a = point(body_.x_rest, t[0]);
  if ((at - a).dot(rest_.normal(triangle)) <= options_.thickness) return false;
  const Vec3 b = point(body_.x_rest, t[1]), c = point(body_.x_rest, t[2]), w = closest_barycentric(at, a, b, c);
  return (at - w[0] * a - w[1] * b - w[2] * c).norm() > 2 * options_.thickness;
}

/// The gap in the artist's shape to the plane of the same triangle.
double Contact::own_level(const Pair& pair) const {
  if (reference_.size() == 0) return options_.thickness;
  const Vec3 a = point(reference_, pair.corners[0]), b = point(reference_, pair.corners[1]),
             c = point(reference_, pair.corners[2]);
  const Vec3 normal = (b - a).cross(c - a).normalized();
  return std::min(options_.thickness, normal.dot(pair.apart(reference_)));
}

/// The nearest triangle that faces the point. Where it is one that the point is behind, it has gone through it.
bool Contact::find_own(int k, In x, Memory& memory, Pair& pair) const {
  const int count = static_cast<int>(body_.points.size()), i = body_.points[k];
  const int slot = static_cast<int>(colliders_.size()) * count + k;
  const double near = options_.thickness + options_.reach;
  const Vec3 at = point(x, i), facing = point(memory.normals, i);
  const SurfacePoint closest = memory.surface.closest(at, near + 2 * facing_[slot].x(), [&](int triangle) {
    return memory.surface.normal(triangle).dot(facing) < kOpposed && may_meet(i, triangle);
  });
  if (closest.triangle < 0) return false;
  const Vec3 face = memory.surface.normal(closest.triangle), away = at - closest.position;
  const double side = away.dot(face);
  if (side < -near - 2 * facing_[slot].x() || std::abs(side) < 0.5 * closest.distance) return false;  // beside it
  const double gap = side < 0 ? -closest.distance : closest.distance;
  pair = {.slot = slot, .point = i, .corners = body_.triangles[closest.triangle], .weights = closest.barycentric};
  const bool on_face = (closest.barycentric.array() > 0).all();
  pair.normal = on_face || closest.distance < 1e-9 ? face : Vec3(away / gap);
  pair.stiffness = body_.stiffness[k];
  pair.level = own_level(pair);
  return true;
}

Change Contact::refresh(State& state, In x, Phase phase) const {
  Memory& memory = state_as<Memory>(state);
  const int count = static_cast<int>(body_.points.size());
  const int slots = (static_cast<int>(colliders_.size()) + (options_.self ? 1 : 0)) * count;
  memory.iteration = phase == Phase::step ? 0 : memory.iteration + 1;
  if (phase == Phase::step) memory.levels.assign(static_cast<std::size_t>(slots), kUnknown);
  memory.found.resize(static_cast<std::size_t>(slots));
  memory.is_found.assign(static_cast<std::size_t>(slots), 0);
  if (options_.self) {
    if (memory.surface.mesh().triangles.empty()) memory.surface = rest_;
    memory.surface.refit(x);
    vertex_normals(x, body_.triangles, memory.normals);
  }
  parallel_ranges(slots, 64, [&](int begin, int end) {
    for (int s = begin; s < end; ++s) memory.is_found[s] = find(s, x, memory, memory.found[s]) ? 1 : 0;
  });
  if (memory.iteration > kRenewals)  // old pairs stay as they are, new ones come in
    for (const Pair& pair : memory.pairs) memory.found[pair.slot] = pair, memory.is_found[pair.slot] = 1;
  Change change = Change::none;
  std::size_t at = 0;
  for (int s = 0; s < slots; ++s) {
    if (!memory.is_found[s]) continue;
    if (at == memory.pairs.size()) memory.pairs.emplace_back(), change = Change::pattern;
    Pair& old = memory.pairs[at++];
    const Pair& fresh = memory.found[s];
    if (old == fresh) continue;
    change =
        std::max(change, old.slot == fresh.slot && old.corners == fresh.corners ? Change::values : Change::pattern);
    old = fresh;
  }
  if (at < memory.pairs.size()) memory.pairs.resize(at), change = Change::pattern;
  return change;
}

}  // namespace rigspace
