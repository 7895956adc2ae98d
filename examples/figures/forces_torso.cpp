// Force rigs on torsos (PBR figures 8 to 11): a breast tensed by forces fitted to a sculpt on cells split where needed,
// biceps and breath, a belt, and all of it on another torso. Writes pbr_torso.png into the folder given; fails unless
// the fit takes four fifths of the way.
#include "figure_program.h"

#include "rigspace/apps/forces/adaptive_fit.h"
#include "rigspace/apps/forces/lattice_transfer.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <cmath>
#include <cstdio>
#include <string>

using namespace rigspace;

namespace {

constexpr int kSide = 250;

struct Torso {
  Character character;
  std::shared_ptr<const ForceBody> body;

  explicit Torso(const char* name, std::vector<BeltPlan> belts = {}, int cells = 350)
      : character(make_character(name, Version::skeleton)),
        body(std::make_shared<const ForceBody>(
            make_force_body(character, {.cover = {.cells = cells}, .belts = std::move(belts)}))) {}
};

Vec at(const Rig& rig, std::initializer_list<std::pair<const char*, double>> values) {
  Vec p = rig.rest(), s;
  for (const auto& [control, value] : values)
    if (const int c = rig.find(control); c >= 0) p[c] = value;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

void draw_one(const Character& character, const Vec& s, const std::string& title, int column, int row, Picture& page) {
  Camera camera = frame(at(*character.rig, {}), 1.0, {.azimuth = 28 * kDegree, .elevation = 6 * kDegree});
  const Picture picture = Renderer(character).render({.points = s}, camera, {.width = kSide, .height = kSide});
  paste(page, picture, column * kSide, row * kSide);
  draw_text(page, column * kSide + 10, row * kSide + 20, title, {.height = 11});
}

double distance(const Vec& a, const Vec& b) { return 1e3 * (a - b).norm() / std::sqrt(a.size() / 3.0); }

/// The ribs widen and the belly comes forward.
ForceRigPart breath(const ForceBody& body) {
  ForceRigPart part{.name = "breath", .control = "breath"};
  part.force.push_back({ForceTemplate::radial, bone_guide(body, "chest", false)});
  const double size = 3.2 * body.cell;
  const Vec full = (Vec(6) << 0.9, size, 0.25, 0.3 * size, 180 * kDegree, 0).finished();
  Vec none = full;
  none[0] = 0;
  part.samples = {{0, none}, {1, full}};
  return part;
}

bool draw(const std::filesystem::path& folder) {
  Picture page(4 * kSide, 2 * kSide);
  const Torso lean("torso"), stout("stout_torso");
  const AdaptiveBody bodies(lean.body);
  const ForceRig plain(lean.body, {});
  std::vector<Affine> joints;
  plain.joints_at(plain.rest(), joints);
  const TriMesh breast{at(*lean.character.rig, {{"skin:flex", 1}}), lean.body->triangles};
  const AdaptiveFit fine = fit_adaptively(bodies, joints, breast, {.tolerance = 5e-4, .levels = 1});
  PosedLattice lattice(*lean.body);
  lattice.set_pose(joints);
  const SurfaceFit whole = fit_surface(lattice, breast);
  std::printf("breast: %.2f mm before, %.2f mm on %d cells, %.2f mm with cells split (%d unknowns, %d before)\n",
              1e3 * whole.before, 1e3 * whole.after, lean.body->elements.cell_count(), 1e3 * fine.fit.after,
              fine.rounds.back().unknowns, fine.rounds.front().unknowns);

  // Three rigs on the lean torso: the breast and the biceps from sculpts, the breath from a template.
  const double bent = 70 * kDegree;
  const std::pair<const char*, double> left{"forearm.L.rx", bent};
  plain.joints_at(
      [&] {
        Vec p = plain.rest();
        p[plain.find("forearm.L.rx")] = bent;
        return p;
      }(),
      joints);
  lattice.set_pose(joints);
  const SurfaceFit arm = fit_surface(lattice, {at(*lean.character.rig, {left, {"skin:biceps", 1}}), breast.triangles});
  std::vector<ForceRigPart> rigs{rig_of_fit("flex", "flex", 0, 1, whole.Q),
                                 rig_of_fit("biceps", "forearm.L.rx", 0, bent, arm.Q), breath(*lean.body)};
  const ForceRig rigged(lean.body, rigs);
  const ForceRigPart split = rig_of_fit("flex", "flex", 0, 1, fine);
  const auto adaptive = adaptive_rig(bodies, {&split, 1}, fine.lattice);
  std::printf("biceps at 70 degrees: %.2f mm before, %.2f mm after\n", 1e3 * arm.before, 1e3 * arm.after);

  const LatticeMap map = map_lattice(*lean.body, stout.character);
  const auto other = std::make_shared<const ForceBody>(make_force_body(stout.character, {}, map.lattice));
  const ForceRig moved(other, transfer_rigs(bodies, rigs, AdaptiveBody(other)));
  const Vec still = at(moved, {}), tense = at(moved, {{"flex", 1}}), full = at(moved, {{"breath", 1}});
  std::printf(
      "transfer: skin within %.2f %%, flattest corner %.2f; flex moves %.2f mm, breath %.2f mm (%.2f on the lean)\n",
      100 * map.surface_error, map.least_volume, distance(still, tense), distance(still, full),
      distance(at(rigged, {}), at(rigged, {{"breath", 1}})));

  const Torso belted("stout_torso", {{.name = "belt", .bone = "spine", .along = 0.3, .width = 0.05, .tight = 0.86}});
  const ForceRig belt(belted.body, {});
  draw_one(lean.character, at(rigged, {}), "at rest", 0, 0, page);
  draw_one(lean.character, breast.points, "a sculpt of the breast", 1, 0, page);
  draw_one(lean.character, at(*adaptive, {{"flex", 1}}), "forces, cells split", 2, 0, page);
  draw_one(lean.character, at(rigged, {left, {"breath", 1}}), "biceps and breath", 3, 0, page);
  draw_one(stout.character, still, "another torso", 0, 1, page);
  draw_one(stout.character, tense, "the breast's forces", 1, 1, page);
  draw_one(stout.character, at(moved, {left, {"breath", 1}}), "biceps and breath", 2, 1, page);
  draw_one(stout.character, at(belt, {}), "a belt", 3, 1, page);
  write_png(folder / "pbr_torso.png", page);
  return fine.fit.after < 0.2 * fine.fit.before && whole.after < 0.2 * whole.before && arm.after < 0.2 * arm.before;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
