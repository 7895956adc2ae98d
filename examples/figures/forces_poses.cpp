// Force rigs (PBR figures 2, 3 and 5): a bent elbow by one linearisation a bone, by frames of cells and by the
// nonlinear solid; a forearm on its upper arm without and with creases; a pose found from points of a sculpt, and
// together with the forces. Writes pbr_poses.png into the folder given; fails unless frames of cells are nearer to the
// nonlinear solid, creases are less deep, and pose and forces together find the elbow's angle.
#include "figure_program.h"

#include "rigspace/apps/forces/force_simulation.h"
#include "rigspace/apps/forces/other_equilibria.h"
#include "rigspace/apps/forces/surface_fit.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

using namespace rigspace;

namespace {

constexpr int kSide = 210;
constexpr double kBent = 100, kFolded = 130, kSculpt = 85;  // degrees

struct Arm {
  Character character = make_character("arm", Version::skeleton);
  std::shared_ptr<const ForceBody> body = std::make_shared<const ForceBody>(make_force_body(character));
  std::shared_ptr<const ForceRig> rig = std::make_shared<const ForceRig>(body, std::vector<ForceRigPart>{});

  Vec pose(double degrees) const {
    Vec p = rig->rest();
    p[rig->find("forearm.rx")] = degrees * kDegree;
    return p;
  }
  Vec skin_of(const Vec& y) const {
    Vec s;
    body->surface.evaluate(y, s);
    return s;
  }
  Vec sculpt(double degrees) const {
    Vec p = character.rig->rest(), s;
    p[character.rig->find("forearm.rx")] = degrees * kDegree, p[character.rig->find("skin:biceps")] = 1;
    character.rig->evaluate(*character.rig->make_workspace(), p, s);
    return s;
  }
};

double distance(const Vec& a, const Vec& b) { return 1e3 * (a - b).norm() / std::sqrt(a.size() / 3.0); }

void draw_arm(const Arm& arm, const Vec& s, const std::string& title, int column, int row, Picture& page) {
  const Camera camera = frame(arm.sculpt(kBent), 1.0, {.azimuth = 8 * kDegree, .elevation = 8 * kDegree});
  paste(page, Renderer(arm.character).render({.points = s}, camera, {.width = kSide, .height = kSide}), column * kSide,
        row * kSide);
  draw_text(page, column * kSide + 10, row * kSide + 20, title, {.height = 11});
}

bool draw_equilibria(const Arm& arm, Picture& page) {
  PosedLattice lattice(*arm.body);
  std::vector<Affine> joints;
  arm.rig->joints_at(arm.pose(kBent), joints);
  lattice.set_pose(joints);
  Vec cells, blended, carried, nonlinear;
  lattice.shape_of(Vec(), cells), lattice.carried(carried);
  blended_local_shape(*arm.body, joints, blended);
  nonlinear = cells;
  const Summary summary = nonlinear_shape(lattice, Vec(), nonlinear);
  const Vec true_skin = arm.skin_of(nonlinear);
  const double by_bones = distance(arm.skin_of(blended), true_skin), by_cells = distance(arm.skin_of(cells), true_skin);
  std::printf(
      "elbow at %.0f degrees, from the nonlinear solid (%s): blended bones %.2f mm, one linearisation a bone %.2f "
      "mm, frames of cells %.2f mm\n",
      kBent, summary.converged() ? "converged" : "not converged", distance(arm.skin_of(carried), true_skin), by_bones,
      by_cells);
  draw_arm(arm, arm.skin_of(carried), "blended bones", 0, 0, page);
  draw_arm(arm, arm.skin_of(blended), "one linearisation a bone", 1, 0, page);
  draw_arm(arm, arm.skin_of(cells), "frames of cells", 2, 0, page);
  draw_arm(arm, true_skin, "nonlinear", 3, 0, page);
  return summary.converged() && by_cells < by_bones;
}

/// Deepest point inside the body, mm.
double depth_of(const Arm& arm, const CreaseSeeds& seeds, const Vec& y) {
  Creases creases(std::make_shared<const CreaseSurface>(*arm.body), seeds);
  for (int k = 0; k < 20; ++k) creases.update(*arm.body, y);  // the front spreads
  double deepest = 0;
  for (const CreaseContact& each : creases.contacts()) deepest = std::max(deepest, -each.gap);
  return 1e3 * deepest;
}

bool draw_creases(const Arm& arm, Picture& page) {
  const CreaseSeeds seeds = find_crease_seeds(*arm.rig, slow_motion(arm.pose(0), arm.pose(kFolded), 36));
  double depth[2] = {0, 0};
  for (const bool held : {false, true}) {
    ForceSimulation simulation(arm.rig);
    if (held) simulation.hold_creases(Creases(std::make_shared<const CreaseSurface>(*arm.body), seeds));
    simulation.restart(arm.pose(0));
    for (int k = 1; k <= 120; ++k) simulation.step(arm.pose(kFolded * std::min(1.0, k / 60.0)));
    depth[held ? 1 : 0] = depth_of(arm, seeds, simulation.shape());
    draw_arm(arm, arm.skin_of(simulation.shape()), held ? "creases held apart" : "folded, no contact", held ? 1 : 0, 1,
             page);
  }
  std::printf(
      "forearm on its upper arm at %.0f degrees: %zu seeds, deepest point %.2f mm without creases, %.2f mm with\n",
      kFolded, seeds.pairs.size(), depth[0], depth[1]);
  return depth[1] < depth[0];
}

bool draw_poses(const Arm& arm, Picture& page) {
  const Vec target = arm.sculpt(kSculpt);
  const std::vector<int> free{arm.rig->find("forearm.rx")};
  std::vector<DragTarget> features;  // of the upper arm and the elbow, which the biceps deforms
  for (int i = 0; i < arm.rig->point_count(); i += 40)
    if (const double x = arm.body->points_rest[3 * i]; x > 0.1 && x < 0.32) features.push_back({i, point(target, i)});
  const PoseFit pose = fit_pose(*arm.rig, features, arm.rig->rest(), free);
  const PoseAndForceFit both = fit_pose_and_forces(*arm.rig, {target, arm.body->triangles}, pose.p, free);
  const auto degrees = [&](const Vec& p) { return p[free[0]] / kDegree; };
  std::printf("a sculpt bent by %.0f degrees: %.1f by %zu points, %.1f with the forces, which meet it within %.2f mm\n",
              kSculpt, degrees(pose.p), features.size(), degrees(both.p), 1e3 * both.fit.after);
  draw_arm(arm, target, "a sculpt", 2, 1, page);
  draw_arm(arm, arm.skin_of(both.fit.y), "pose and forces found", 3, 1, page);
  return std::abs(degrees(both.p) - kSculpt) < 1;
}

bool draw(const std::filesystem::path& folder) {
  const Arm arm;
  Picture page(4 * kSide, 2 * kSide);
  const bool nearer = draw_equilibria(arm, page), apart = draw_creases(arm, page), found = draw_poses(arm, page);
  write_png(folder / "pbr_poses.png", page);
  return nearer && apart && found;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
