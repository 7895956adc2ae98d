// The stages of ImpulseContact that always end: zones, and letting go of the obstacle.

#include "impulse_data.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <numeric>

namespace rigspace {
namespace {

int root_of(std::vector<int>& parent, int i) {
  while (parent[static_cast<std::size_t>(i)] != i)
    i = parent[static_cast<std::size_t>(i)] = parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
  return i;
}

}  // namespace

// Along with the nearest place of the obstacle.
void ImpulseContact::Data::carry(int i) {
  if (!tree_fits) tree.refit(body_from), tree_fits = true;
  const SurfacePoint near = tree.closest(point(x_from, i));
  Vec3 by = Vec3::Zero();
  if (near.triangle >= 0) {
    const Triangle& t = body.triangles[static_cast<std::size_t>(near.triangle)];
    for (int k = 0; k < 3; ++k) by += near.barycentric[k] * (point(body_to, t[k]) - point(body_from, t[k]));
  }
  point(x, i) = point(x_from, i) + by;
}

// As one rigid body with the momentum and the angular momentum of where the points are wanted. The straight paths of
// points under x -> c + (I + t (R - I)) (x - c) never meet: the map is invertible for turns of less than half a circle.
void ImpulseContact::Data::move_rigidly(std::span<const int> points, bool turn) {
  double mass = 0;
  Vec3 center = Vec3::Zero(), by = Vec3::Zero();
  for (const int i : points) {
    const double m = 1 / std::max(inverse_masses(i), 1e-30);
    mass += m, center += m * point(x_from, i), by += m * (point(wanted, i) - point(x_from, i));
  }
  center /= mass, by /= mass;
  Mat3 R = Mat3::Identity(), inertia = Mat3::Zero();
  Vec3 spin = Vec3::Zero();
  for (const int i : points) {
    const double m = 1 / std::max(inverse_masses(i), 1e-30);
    const Vec3 r = point(x_from, i) - center, u = point(wanted, i) - point(x_from, i) - by;
    spin += m * r.cross(u);
    inertia += m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  if (turn) {
    // Without the axis of points on a line, about which nothing can turn.
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
    Vec3 w = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      if (axes.eigenvalues()[k] > 1e-9 * axes.eigenvalues()[2])
        w += axes.eigenvectors().col(k).dot(spin) / axes.eigenvalues()[k] * axes.eigenvectors().col(k);
    const double angle = w.norm();
    if (angle > 0) R = Eigen::AngleAxisd(std::min(angle, 1.0), w / angle).toRotationMatrix();
  }
  for (const int i : points) point(x, i) = center + by + R * (point(x_from, i) - center);
}

void ImpulseContact::Data::start_zones() {
  const std::size_t count = static_cast<std::size_t>(n);
  wanted = x;
  parent.resize(count), members.resize(count);
  std::iota(parent.begin(), parent.end(), 0);
  carried.assign(count, 0), straight.assign(count, 0), counted.assign(count, 0);
}

// Joins the zones of points that meet. A zone of the surface alone that meets itself (its turn was too much for the
// test) moves without turning, so that its points keep their places among each other. False if nothing is left to do.
bool ImpulseContact::Data::grow_zones(bool at_obstacle) {
  bool any = false;
  for (const Meeting& meeting : meetings) {
    const CollisionPair& pair = pairs[static_cast<std::size_t>(meeting.pair)];
    const bool at_body = !own(pair);
    if (at_body && !at_obstacle) continue;
    int first = -1;
    bool joined = false;
    for (const int i : pair.points) {
      if (!of_surface(i)) continue;
      const int root = root_of(parent, i);
      if (first < 0) first = root;
      if (root == first) continue;
      const int kept = std::min(root, first), gone = std::max(root, first);
      parent[gone] = kept, carried[kept] |= carried[gone], straight[kept] |= straight[gone];
      first = kept, joined = true;
    }
    if (at_body && !carried[first]) carried[first] = 1, joined = true;
    if (!at_body && !joined && !carried[first] && !straight[first]) straight[first] = 1, joined = true;
    any = any || joined;
  }
  return any;
}

void ImpulseContact::Data::move_zones() {
  for (int& p : parent) p = root_of(parent, p);
  std::iota(members.begin(), members.end(), 0);
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) { return parent[a] < parent[b]; });
  for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    const int root = parent[members[begin]];
    while (end < members.size() && parent[members[end]] == root) ++end;
    if (end - begin == 1 && !carried[root]) continue;
    const std::span<const int> zone(members.data() + begin, end - begin);
    if (!carried[root]) {
      move_rigidly(zone, !straight[root]);
      if (!counted[root]) counted[root] = 1, ++report.zones;
    }
    for (const int i : zone) {
      if (carried[root]) {
        carry(i);
        if (!counted[i]) counted[i] = 1, ++report.carried;
      }
      changed[i] = 1;
    }
  }
  renew_pairs();
  find_meetings(false);
}

// Stage 3. Zones only grow.
bool ImpulseContact::Data::zones() {
  start_zones();
  for (int round = 0; round < options.zone_rounds; ++round) {
    if (!grow_zones(true)) return false;
    move_zones();
    if (meetings.empty()) return true;
  }
  return false;
}

// Stage 5. Each time round a triangle of the obstacle leaves, or zones of the surface grow, which end by moving as one.
void ImpulseContact::Data::release() {
  released.assign(body.triangles.size(), 0);
  absent.resize(body.triangles.size(), 0);
  x = wanted;
  start_zones();
  find_pairs();
  find_meetings(true);
  std::vector<char> blocking(static_cast<std::size_t>(body.point_count()));
  while (!meetings.empty()) {
    std::fill(blocking.begin(), blocking.end(), 0);
    for (const Meeting& meeting : meetings)
      for (const int i : pairs[static_cast<std::size_t>(meeting.pair)].points)
        if (!of_surface(i)) blocking[static_cast<std::size_t>(i - n)] = 1;
    bool fewer = false;
    for (std::size_t t = 0; t < body.triangles.size(); ++t)
      for (const int i : body.triangles[t])
        if (blocking[static_cast<std::size_t>(i)] && !absent[t])
          released[t] = absent[t] = 1, ++report.released, fewer = true;
    if (fewer) {
      find_pairs();
      find_meetings(true);
    } else if (grow_zones(false)) {
      move_zones();
    } else {
      break;  // surfaces that touched at the start
    }
  }
}

}  // namespace rigspace
