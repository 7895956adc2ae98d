// What linear blend skinning loses where a joint turns far, and four cures of it side by side: a tube of two joints
// twisted by 180 degrees and bent by 130. Writes skin_cures.png into the folder given and prints volumes; fails unless
// each cure keeps more than linear blending at the largest angle.
#include "figure_program.h"

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/base/affine.h"
#include "rigspace/io/rig_correctives.h"
#include "rigspace/render/renderer.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

constexpr int kWide = 300, kHigh = 230, kRings = 97, kAround = 48, kHelpers = 3;
constexpr double kRadius = 0.2, kBlend = 0.3;  // of a tube from -1 to 1, whose weights run from -kBlend to kBlend

enum class Method { linear, dual_quaternion, helpers, pose_space };
constexpr std::array kMethods = {Method::linear, Method::dual_quaternion, Method::helpers, Method::pose_space};
constexpr std::array kTitles = {"linear blend", "dual quaternions", "three helper joints", "pose-space shapes"};

struct Deed {
  const char* name;
  const char* control;
  double most;                  // degrees
  std::array<double, 2> shown;  // examples of the pose-space shapes
};
// Two rotations that are half a turn apart have no shorter way between them.
constexpr std::array kDeeds = {Deed{"twist", "lower.rx", 179.9, {90, 165}}, Deed{"elbow", "lower.rz", 130, {65, 130}}};

double smooth(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// The tube: rings along x, round ends, stripes that show how it twists.
struct Tube {
  Character shape;
  Vec points;

  Tube() {
    Piece piece{.name = "tube", .first_point = 0, .point_count = kRings * kAround, .material = 0};
    points.resize(3 * piece.point_count);
    for (int r = 0; r < kRings; ++r)
      for (int a = 0; a < kAround; ++a) {
        // Six rings at each end are its cap.
        const double cap = r < 6 ? (6 - r) / 6.0 : r >= kRings - 6 ? (r - kRings + 7) / 6.0 : 0;
        const double bent = 0.5 * M_PI * cap, angle = 2 * M_PI * a / kAround;
        const double along = std::clamp(-1 + 2.0 * (r - 6) / (kRings - 13), -1.0, 1.0);
        const double x = along + (r < kRings / 2 ? -1 : 1) * kRadius * std::sin(bent);
        const double radius = kRadius * std::max(1e-3, std::cos(bent));
        const int i = r * kAround + a, next = r * kAround + (a + 1) % kAround;
        point(points, i) = Vec3(x, radius * std::cos(angle), radius * std::sin(angle));
        const bool dark = (a / 4) % 2 == 0;
        piece.colors.push_back(dark ? Eigen::Vector4f(0.16f, 0.3f, 0.42f, 1) : Eigen::Vector4f(0.8f, 0.62f, 0.42f, 1));
        if (r + 1 == kRings) continue;
        piece.triangles.push_back({i, i + kAround, next});
        piece.triangles.push_back({next, i + kAround, next + kAround});
      }
    for (int a = 1; a + 1 < kAround; ++a) {
      const int end = (kRings - 1) * kAround;
      piece.triangles.push_back({0, a, a + 1}), piece.triangles.push_back({end, end + a + 1, end + a});
    }
    if (signed_volume({points, piece.triangles}) < 0)
      for (Triangle& t : piece.triangles) std::swap(t[1], t[2]);
    shape.name = "tube";
    shape.materials.push_back({.name = "skin"});
    shape.pieces.push_back(std::move(piece));
  }

  double share(int i) const { return smooth(-kBlend, kBlend, points[3 * i]); }  // of the lower joint
  double volume(const Vec& s) const { return signed_volume({s, shape.pieces[0].triangles}); }
  /// How far the middle ring is from its own middle, on average.
  double waist(const Vec& s) const {
    const int first = kRings / 2 * kAround;
    Vec3 middle = Vec3::Zero();
    for (int a = 0; a < kAround; ++a) middle += point(s, first + a) / kAround;
    double sum = 0;
    for (int a = 0; a < kAround; ++a) sum += (point(s, first + a) - middle).norm() / kAround;
    return sum;
  }
};

RigPlan plan_of(const Tube& tube, Method method) {
  RigPlan plan;
  plan.points_rest = tube.points;
  plan.pieces = {{"tube", 0, kRings * kAround}};
  plan.nodes = {{.name = "upper", .parent = {}, .translation = Vec3(-1, 0, 0)},
                {.name = "lower", .parent = "upper", .translation = Vec3(1, 0, 0)}};
  const int helpers = method == Method::helpers ? kHelpers : 0;
  plan::Skin skin{.dual_quaternion = method == Method::dual_quaternion, .joints = {"upper"}};
  Affine upper = identity_affine();
  translation(upper) = Vec3(1, 0, 0);
  skin.inverse_bind = {upper};
  for (int h = 0; h < helpers; ++h) {
    const double share = (h + 1.0) / (helpers + 1);
    const std::string name = "helper" + std::to_string(h + 1);
    plan.helpers.push_back({.name = name,
                            .parent = "upper",
                            .child = "lower",
                            .axis = Vec3::UnitX(),
                            .twist = share,
                            .swing = share,
                            .along = 1});
    skin.joints.push_back(name), skin.inverse_bind.push_back(identity_affine());
  }
  skin.joints.push_back("lower"), skin.inverse_bind.push_back(identity_affine());
  for (int i = 0; i < kRings * kAround; ++i) {
    // Between the two joints of a chain of helpers that are nearest in share.
    const double at = tube.share(i) * (helpers + 1);
    const int first = std::min(static_cast<int>(at), helpers);
    skin.influences.push_back({{first, first + 1 - at}, {first + 1, at - first}});
  }
  plan.deformers = {{.name = "skin", .pieces = {"tube"}, .kind = skin}};
  return plan;
}

RiggedCharacter rigged(const Tube& tube, Method method) {
  RiggedCharacter result{.character = tube.shape, .plan = plan_of(tube, method)};
  const BuiltRig built = build(result.plan);
  result.character.rig = built.rig;
  result.character.bones = {{"upper", -1, built.transforms.at("upper")}, {"lower", 0, built.transforms.at("lower")}};
  return result;
}

Vec posed(const Rig& rig, const Deed& deed, double degrees) {
  Vec p = rig.rest(), s;
  p[find_control(rig.controls(), deed.control)] = degrees * kDegree;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

/// What an artist would sculpt: sections of a twisted tube turn and stay round; a bent one is elastic flesh.
Vec sculpted(const Tube& tube, const Rig& flesh, const Deed& deed, double degrees) {
  if (std::string(deed.control) != "lower.rx") return posed(flesh, deed, degrees);
  Vec s = tube.points;
  for (int i = 0; i < s.size() / 3; ++i)
    point(s, i) = Eigen::AngleAxisd(tube.share(i) * degrees * kDegree, Vec3::UnitX()) * point(tube.points, i);
  return s;
}

RiggedCharacter with_shapes(const Tube& tube, const Rig& flesh, const Deed& deed) {
  RiggedCharacter plain = rigged(tube, Method::linear);
  std::vector<PoseSample> samples;
  for (const double degrees : deed.shown) {
    Vec p = plain.character.rig->rest();
    p[find_control(plain.character.rig->controls(), deed.control)] = degrees * kDegree;
    samples.push_back({p, sculpted(tube, flesh, deed, degrees)});
  }
  const Correctives shapes = fit_correctives(plain.plan, *plain.character.rig, samples, {.ridge = 1e-4});
  return with_correctives(std::move(plain), shapes);
}

bool draw(const std::filesystem::path& folder) {
  const Tube tube;
  const RiggedCharacter plain = rigged(tube, Method::linear);
  const ForceRig flesh(std::make_shared<const ForceBody>(make_force_body(plain.character, {.cover = {.cells = 4000}})),
                       {});
  const double whole = tube.volume(tube.points), round = tube.waist(tube.points);
  Picture page(4 * kWide, 2 * kHigh);
  bool proved = true;
  for (std::size_t row = 0; row < kDeeds.size(); ++row) {
    const Deed& deed = kDeeds[row];
    double linear_loss = 0;
    for (std::size_t column = 0; column < kMethods.size(); ++column) {
      const RiggedCharacter made =
          kMethods[column] == Method::pose_space ? with_shapes(tube, flesh, deed) : rigged(tube, kMethods[column]);
      std::printf("%-6s %-20s", deed.name, kTitles[column]);
      Vec s;
      for (const double share : {0.5, 0.75, 1.0}) {
        s = posed(*made.character.rig, deed, share * deed.most);
        std::printf("  %3.0f deg: volume %5.1f %%, middle %5.1f %%", share * deed.most,
                    100 * (tube.volume(s) / whole - 1), 100 * (tube.waist(s) / round - 1));
      }
      std::printf("\n");
      const double loss = std::abs(tube.volume(s) / whole - 1);
      if (column == 0) linear_loss = loss;
      proved = proved && (column == 0 || loss < linear_loss);
      const Camera camera = frame(posed(*plain.character.rig, deed, 0.6 * deed.most), double(kWide) / kHigh,
                                  {.azimuth = 10 * kDegree, .elevation = 14 * kDegree, .zoom = 1.05});
      const Picture cell =
          Renderer(made.character).render({.points = s}, camera, {.width = kWide, .height = kHigh, .ground = false});
      paste(page, cell, static_cast<int>(column) * kWide, static_cast<int>(row) * kHigh);
      char text[64];
      std::snprintf(text, sizeof text, "volume %+.1f %%", 100 * (tube.volume(s) / whole - 1));
      draw_text(page, column * kWide + 12.0, row * kHigh + 22.0, kTitles[column], {.height = 12});
      draw_text(page, column * kWide + 12.0, row * kHigh + 40.0, text, {.height = 10, .color = {110, 112, 118}});
    }
    const Vec s = sculpted(tube, flesh, deed, deed.shown[1]);
    std::printf("%-6s %-20s  %3.0f deg: volume %5.1f %%\n", deed.name, "sculpt", deed.shown[1],
                100 * (tube.volume(s) / whole - 1));
  }
  write_png(folder / "skin_cures.png", page);
  return proved;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
