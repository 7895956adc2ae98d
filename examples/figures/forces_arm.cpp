// Force rigs (PBR figures 2, 6 and 7): an arm that bends as flesh, with a biceps that bulges, and with forces fitted to
// a sculpt. Writes pbr_arms.png into the folder given; fails unless the fit takes four fifths of the way.
#include "figure_program.h"

#include "rigspace/apps/forces/other_equilibria.h"
#include "rigspace/apps/forces/surface_fit.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <cmath>
#include <cstdio>
#include <string>

using namespace rigspace;

namespace {

constexpr int kSide = 260;
constexpr double kElbow = 100;  // degrees

struct Arm {
  Character character;
  std::shared_ptr<const ForceBody> body;
  std::shared_ptr<const ForceRig> plain;

  explicit Arm(const char* name)
      : character(make_character(name, Version::skeleton)),
        body(std::make_shared<const ForceBody>(make_force_body(character))),
        plain(std::make_shared<const ForceRig>(body, std::vector<ForceRigPart>{})) {}

  Vec pose(const Rig& rig, double biceps) const {
    Vec p = rig.rest();
    p[rig.find("forearm.rx")] = kElbow * kDegree;
    if (const int shape = rig.find("skin:biceps"); shape >= 0) p[shape] = biceps;
    return p;
  }
  Vec skin(const Rig& rig, double biceps = 0) const {
    Vec s;
    rig.evaluate(*rig.make_workspace(), pose(rig, biceps), s);
    return s;
  }
};

ForceRigPart bulge(const ForceBody& body, double strength, double radius) {
  ForceRigPart part{.name = "biceps", .control = "forearm.rx"};
  part.force.push_back({ForceTemplate::bulge, bone_guide(body, "upper_arm", false)});
  Vec full(6);
  full << strength, radius, 0.5, 0.5 * radius, 0, 0;
  Vec none = full;
  none[0] = 0;
  part.samples = {{0, none}, {kElbow * kDegree, full}};
  return part;
}

void draw_arm(const Arm& arm, const Vec& s, const std::string& title, int column, int row, Picture& page) {
  const Camera camera = frame(arm.skin(*arm.character.rig, 1), 1.0, {.azimuth = 8 * kDegree, .elevation = 8 * kDegree});
  const Picture picture = Renderer(arm.character).render({.points = s}, camera, {.width = kSide, .height = kSide});
  paste(page, picture, column * kSide, row * kSide);
  draw_text(page, column * kSide + 12, row * kSide + 22, title, {.height = 12});
}

double distance(const Vec& a, const Vec& b) { return (a - b).norm() / std::sqrt(a.size() / 3.0); }

bool draw(const std::filesystem::path& folder) {
  Picture page(4 * kSide, 2 * kSide);
  bool proved = true;
  int row = 0;
  for (const char* name : {"arm", "stout_arm"}) {
    const Arm arm(name);
    const ForceRig bulging(arm.body, {row == 0 ? bulge(*arm.body, 1.2, 0.06) : bulge(*arm.body, 0.7, 0.075)});
    const Vec flesh = arm.skin(*arm.plain), bulged = arm.skin(bulging), sculpt = arm.skin(*arm.character.rig, 1);
    PosedLattice lattice(*arm.body);
    std::vector<Affine> joints;
    arm.plain->joints_at(arm.pose(*arm.plain, 0), joints);
    lattice.set_pose(joints);
    const SurfaceFit fit = fit_surface(lattice, {sculpt, arm.body->triangles});
    const ForceRig fitted(arm.body, {rig_of_fit("flex", "forearm.rx", 0, kElbow * kDegree, fit.Q)});
    const Vec flexed = arm.skin(fitted);
    std::printf("%-9s %4d cells, fit to the sculpt: %.2f mm before, %.2f mm after (%.0f %% less), at most %.1f mm\n",
                name, arm.body->elements.cell_count(), 1e3 * fit.before, 1e3 * distance(flexed, sculpt),
                100 * (1 - fit.after / fit.before), 1e3 * fit.worst);
    proved = proved && fit.after < 0.2 * fit.before;
    draw_arm(arm, arm.skin(*arm.character.rig), "skin on joints", 0, row, page);
    draw_arm(arm, flesh, "flesh, no forces", 1, row, page);
    draw_arm(arm, bulged, "a bulge by the elbow", 2, row, page);
    draw_arm(arm, flexed, "forces fitted to a sculpt", 3, row, page);
    ++row;
  }
  write_png(folder / "pbr_arms.png", page);
  return proved;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
