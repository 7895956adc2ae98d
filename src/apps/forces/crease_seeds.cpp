#include "rigspace/apps/forces/creases.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/winding_number.h"

#include <algorithm>

namespace rigspace {
namespace {

/// Points that are inside the body, though not by their own skin: just outside of it the winding number is 1.
class EntryFinder {
 public:
  EntryFinder(const ForceBody& body, const CreaseSurface& surface, const CreaseOptions& options)
      : body_(&body), surface_(&surface), reach_(options.deepest * surface.mean_edge()) {
    mesh_.triangles = surface.triangles();
    mesh_.points = places(body.elements.lattice.points());
    tree_ = TriangleTree(mesh_);
  }

  /// Calls found(point, corner of the triangle that it entered).
  template <class Found>
  void each_entry(In y, const Found& found) {
    mesh_.points = places(y);
    tree_.refit(mesh_.points);
    const WindingTree winding(mesh_);
    const Vec normals = vertex_normals(mesh_);
    for (int i = 0; i < surface_->count(); ++i) {
      const Vec3 x = point(mesh_.points, i), n = point(normals, i);
      const SurfacePoint near = tree_.closest(x, reach_, [&](int t) {
        return !surface_->is_near(i, t) && tree_.normal(t).dot(n) < 0 &&
               tree_.normal(t).dot(x - point(mesh_.points, mesh_.triangles[t][0])) < 0;
      });
      if (near.triangle < 0 || winding(x + 0.02 * surface_->mean_edge() * n) < 0.5) continue;
      Eigen::Index corner = 0;
      near.barycentric.maxCoeff(&corner);
      found(i, mesh_.triangles[near.triangle][corner]);
    }
  }

 private:
  Vec places(In y) const {
    Vec x(3 * surface_->count());
    for (int i = 0; i < surface_->count(); ++i) point(x, i) = body_->surface.evaluate(y, surface_->skin_point(i));
    return x;
  }
  const ForceBody* body_;
  const CreaseSurface* surface_;
  double reach_;
  TriMesh mesh_;
  TriangleTree tree_;
};

}  // namespace

// A point near a contact is no seed: the front will find it.
CreaseSeeds find_crease_seeds(const ForceRig& rig, std::span<const Vec> poses, const CreaseOptions& options,
                              const ProgressCallback& progress) {
  const ForceBody& body = rig.body();
  const auto surface = std::make_shared<const CreaseSurface>(body);
  Creases creases(surface, {}, options);
  EntryFinder finder(body, *surface, options);
  PosedLattice lattice(body);
  CreaseSeeds seeds;
  std::vector<Affine> joints;
  Vec y = body.elements.lattice.points();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    report(progress, "looking for creases", static_cast<double>(k) / static_cast<double>(poses.size()));
    const Vec& p = poses[k];
    rig.joints_at(p, joints);
    lattice.set_pose(joints);
    if (k == 0) lattice.shape_of(rig.force_at(p), y);
    if (k > 0) settle_creases(lattice, rig.force_at(p), creases, y);
    std::vector<char> known(surface->count(), 0);  // the front looks at neighbours of contacts
    const auto mark = [&](int i) {
      known[i] = 1;
      for (const int near : surface->neighbours(i)) {
        known[near] = 1;
        for (const int next : surface->neighbours(near)) known[next] = 1;
      }
    };
    for (const CreaseContact& each : creases.contacts()) mark(each.point), mark(surface->triangles()[each.triangle][0]);
    finder.each_entry(y, [&](int i, int j) {
      if (known[i] != 0) return;
      mark(i), mark(j);
      seeds.pairs.push_back({surface->skin_point(i), surface->skin_point(j)});
      creases.add_seed(i, j);
    });
  }
  return seeds;
}

std::vector<Vec> slow_motion(In from, In to, int steps) {
  std::vector<Vec> poses;
  for (int k = 0; k <= steps; ++k) poses.emplace_back(from + static_cast<double>(k) / steps * (to - from));
  return poses;
}

}  // namespace rigspace
