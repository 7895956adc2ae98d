#include "part_contact.h"

#include "flesh/flesh_region.h"
#include "stepper.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace rigspace {
namespace {

constexpr double kWithin = 0.25;          // of the size: search distance; deeper points count as on the other side
constexpr double kTouching = 1e-6;        // of the size: smaller depths count as 0
constexpr double kApart = 0.03;           // of the size: three contact thicknesses (stepper_contact.cpp)
constexpr double kFollows = 1e-6;         // motion_of above which a point belongs to the system's own skin
constexpr double kMovedByEarlier = 0.02;  // motion_of above which a point belongs to the skin of earlier parts

/// The positions of the skin nodes of a stepped body for given controls.
class Skin {
 public:
  explicit Skin(const SteppedBody& body) : body_(body), workspace_(body.rig->make_workspace()) {
    for (int i = 0; i < body.node_count(); ++i)
      if (body.roles[i] == NodeRole::bound) nodes_.push_back(i);
  }

  const std::vector<int>& nodes() const { return nodes_; }

  /// Sets x to the positions of `nodes` at p.
  void place(In p, std::vector<Vec3>& x) {
    body_.rig->evaluate(*workspace_, p, s_);
    x.resize(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) x[k] = body_.ties.row(nodes_[k], s_);
  }

 private:
  const SteppedBody& body_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> nodes_;
  Vec s_;
};

double depth(const Collider& shape, const Vec3& x, double within) {
  const Touch touch = shape.nearest(x, within);
  return touch.found ? std::max(0.0, -touch.gap) : 0;
}

/// Moves `shape` to where the obstacle is at a time, s. `points` is scratch memory.
void place(const Obstacle& obstacle, double time, Collider& shape, Vec& points) {
  if (obstacle.points) {
    obstacle.points(time, points);
    shape.place_points(points, points);
  } else if (obstacle.pose) {
    shape.place(obstacle.pose(time), obstacle.pose(time));
  }
}

/// Deviations of a motion at any time, linear between its times; repeated if it loops, otherwise constant beyond its
/// ends.
struct Played {
  std::vector<int> controls;
  std::vector<double> times;
  Mat deviation;
  bool cyclic = false;

  void add_to(Vec& p, double time) const {
    const double first = times.front(), last = times.back();
    if (cyclic && last > first) time -= std::floor((time - first) / (last - first)) * (last - first);
    time = std::clamp(time, first, last);
    const auto next = std::upper_bound(times.begin() + 1, times.end() - 1, time);
    const auto k = static_cast<Eigen::Index>(next - times.begin());
    const double share = (time - *(next - 1)) / (*next - *(next - 1));
    for (std::size_t c = 0; c < controls.size(); ++c) {
      const auto row = static_cast<Eigen::Index>(c);
      p[controls[c]] += (1 - share) * deviation(row, k - 1) + share * deviation(row, k);
    }
  }
};

/// The triangles with all three corners chosen, as a mesh of these corners; `points`: their numbers in the surface.
TriMesh cut(const TriMesh& surface, const std::vector<char>& chosen, std::vector<int>& points) {
  TriMesh mesh;
  for (const Triangle& triangle : surface.triangles)
    if (std::all_of(triangle.begin(), triangle.end(), [&](int i) { return chosen[i] != 0; })) {
      mesh.triangles.push_back(triangle);
      points.insert(points.end(), triangle.begin(), triangle.end());
    }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (Triangle& triangle : mesh.triangles)
    for (int& corner : triangle)
      corner = static_cast<int>(std::lower_bound(points.begin(), points.end(), corner) - points.begin());
  mesh.points.resize(3 * static_cast<Eigen::Index>(points.size()));
  for (std::size_t k = 0; k < points.size(); ++k)
    point(mesh.points, static_cast<int>(k)) = point(surface.points, points[k]);
  return mesh;
}

}  // namespace

void measure_depths(const KeyedMotion& key, PartSystem& system, const Run& run, std::span<PartReport> reports) {
  if (system.obstacles.empty()) return;
  const SteppedBody body = system.body();
  Skin skin(body);
  std::vector<Collider> shapes;
  for (const Obstacle& each : system.obstacles) shapes.push_back(each.shape);
  Vec p, points;
  std::vector<Vec3> x, x_key;
  for (Eigen::Index k = 0; k < run.deviation.cols(); ++k) {
    const double time = run.times[static_cast<std::size_t>(k)];
    key.controls(time, p);
    skin.place(p, x_key);
    for (std::size_t c = 0; c < body.own_controls().size(); ++c)
      p[body.free[c]] += run.deviation(static_cast<Eigen::Index>(c), k);
    skin.place(p, x);
    for (std::size_t o = 0; o < shapes.size(); ++o) {
      place(system.obstacles[o], time, shapes[o], points);
      for (std::size_t n = 0; n < x.size(); ++n) {
        double deep = depth(shapes[o], x[n], kWithin * body.size);
        if (deep > 0 && system.obstacles[o].artist_first) deep -= depth(shapes[o], x_key[n], kWithin * body.size);
        for (std::size_t c = 0; c < system.parts.size(); ++c) {
          PartReport& report = reports[static_cast<std::size_t>(system.parts[c].index)];
          if (deep > std::max(report.deepest, kTouching * body.size) && body.groups[c].masses[skin.nodes()[n]] > 0)
            report.deepest = deep, report.deepest_at = time;
        }
      }
    }
  }
}

std::vector<Obstacle> obstacles_from(const SoftMotion& earlier, const Character& character, const KeyedMotion& key,
                                     PartSystem& system) {
  if (earlier.controls.empty() || earlier.times.size() < 2) return {};
  const SteppedBody body = system.body();
  const TriMesh surface = rest_surface(character);
  const Vec moved = motion_of(character, earlier.controls), own = motion_of(character, body.own_controls());
  Eigen::AlignedBox3d own_box;
  std::vector<Vec3> own_points;
  for (int i = 0; i < surface.point_count(); ++i)
    if (own[i] > kFollows) own_points.emplace_back(point(surface.points, i)), own_box.extend(own_points.back());
  const double apart = kApart * body.size;
  std::vector<char> chosen(static_cast<std::size_t>(surface.point_count()), 0);
  for (int i = 0; i < surface.point_count(); ++i) {
    const Vec3 x = point(surface.points, i);
    const bool near =
        !own_box.isEmpty() && own_box.exteriorDistance(x) < apart &&
        std::any_of(own_points.begin(), own_points.end(), [&](const Vec3& each) { return (each - x).norm() < apart; });
    chosen[static_cast<std::size_t>(i)] = moved[i] > kMovedByEarlier && own[i] <= kFollows && !near;
  }
  std::vector<int> points;
  const TriMesh mesh = cut(surface, chosen, points);
  if (mesh.triangles.empty()) return {};
  const std::shared_ptr<const Rig> rig = character.rig->restricted(points);
  const std::shared_ptr<Workspace> workspace = rig->make_workspace();
  const auto played = std::make_shared<const Played>(
      Played{earlier.controls, earlier.times, earlier.deviation, key.cyclic() && earlier.looped});
  return {{.name = "parts", .shape = Collider::mesh(mesh), .points = [=, &key](double time, Vec& x) {
             Vec p;
             key.controls(time, p);
             played->add_to(p, time);
             rig->evaluate(*workspace, p, x);
           }}};
}

}  // namespace rigspace
