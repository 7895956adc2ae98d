// Horns, eyes, fangs and claws, and the icons that stand for the parts in a drawing.

#include "biped.h"
#include "curve_drafts.h"
#include "dragon_parts.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace::dragon {
namespace {

using flesh::Flesh;
using puppet::Skeleton;
using shapes::mirrored;

const Eigen::Vector4f kIvory(0.84f, 0.76f, 0.60f, 1), kGold(0.88f, 0.60f, 0.05f, 1), kBlack(0.006f, 0.005f, 0.008f, 1);

struct Cone {
  std::vector<Vec3> line;
  double radius;  // metres, at the root
  int pieces, segments;
};

void add_cone(const Cone& cone, int joint, double side, Flesh& details) {
  flesh::TubeShape tube;
  tube.up = Vec3::UnitX();
  tube.segments = cone.segments;
  for (const shapes::CurvePoint& c : shapes::smooth_line(cone.line, cone.pieces)) {
    tube.line.push_back(side > 0 ? c.position : mirrored(c.position));
    tube.radii.push_back(cone.radius * (1.12 - c.fraction));
  }
  flesh::add_tube(tube, {joint, kIvory}, details);
}

// Horns 72 and 42 points, fangs 20 above and below, eyes 146 and 62: 362 to a side.
void add_face(const Skeleton& skeleton, double side, Flesh& details) {
  const int skull = skeleton.find("skull"), jaw = skeleton.find("jaw");
  const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
  add_cone({{{0.060, 1.525, 0.64}, {0.100, 1.630, 0.54}, {0.125, 1.690, 0.38}}, 0.042, 3, 10}, skull, side, details);
  add_cone({{{0.105, 1.405, 0.63}, {0.165, 1.400, 0.55}, {0.20, 1.385, 0.46}}, 0.034, 2, 8}, skull, side, details);
  add_cone({{{0.045, 1.375, 0.955}, {0.047, 1.345, 0.965}, {0.047, 1.318, 0.962}}, 0.014, 1, 6}, skull, side, details);
  add_cone({{{0.036, 1.325, 0.935}, {0.038, 1.352, 0.942}, {0.038, 1.375, 0.940}}, 0.013, 1, 6}, jaw, side, details);
  flesh::add_ellipsoid({.center = own(kEye), .half = Vec3::Constant(kEyeRadius), .rings = 9, .segments = 16},
                       {skull, kGold}, details);
  // A slit pupil that looks out and ahead.
  const Vec3 gaze = Vec3(0.80, 0.10, 0.60).normalized();
  flesh::add_ellipsoid({.center = own(kEye + 0.88 * kEyeRadius * gaze),
                        .axes = shapes::facing(own(gaze)),
                        .half = {0.0075, 0.022, 0.0075},
                        .rings = 5,
                        .segments = 12},
                       {skull, kBlack}, details);
}

// Claws: 42 points each, three to a paw.
void add_claws(const Vec3& toes, int joint, double side, Flesh& details) {
  for (const double aside : {-0.05, 0.0, 0.05}) {
    const Vec3 root(toes.x() + 1.25 * aside, 0.044, toes.z() - 0.015 - 3 * aside * aside);
    add_cone({{root, root + Vec3(0.1 * aside, -0.004, 0.035), root + Vec3(0.15 * aside, -0.032, 0.062)}, 0.022, 2, 8},
             joint, side, details);
  }
}

std::vector<Vec3> offset(std::span<const Vec3> line, const ScalarField& solid) {
  return outline_of({.solid = solid, .chain = {line.begin(), line.end()}, .view = Vec3::UnitX(), .count = 60});
}

std::vector<Vec3> arc(const Vec3& center, double radius_y, double radius_z, int points) {
  std::vector<Vec3> line;
  for (int k = 0; k < points; ++k) {
    const double turn = 2 * std::numbers::pi * k / points;
    line.push_back(center + Vec3(0, radius_y * std::cos(turn), radius_z * std::sin(turn)));
  }
  return line;
}

}  // namespace

Flesh make_details(Kind kind, const Skeleton& skeleton) {
  Flesh details{.name = name_of(kind) + "_details", .material = 1};
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    if (kind == Kind::head) add_face(skeleton, side, details);
    if (kind == Kind::front_legs) add_claws(kFrontLeg[4], skeleton.find("foretoes" + end), side, details);
    if (kind == Kind::hind_legs) add_claws(kHindLeg[4], skeleton.find("hindtoes" + end), side, details);
  }
  return details;
}

AbstractionDraft icon_of(Kind kind, const Skeleton& skeleton) {
  AbstractionDraft icon{"icon", {}};
  const std::vector<flesh::Part> weights = weights_of(kind, skeleton);
  const auto skinned = [&](const char* name, std::span<const Vec3> line, int count, bool closed = false) {
    icon.curves.push_back(on_skin(name, resampled(line, count), weights, skeleton.size()));
    icon.curves.back().closed = closed;
  };
  const auto rigid = [&](const char* name, std::vector<Vec3> points, const char* joint, bool closed) {
    CurveDraft draft{.name = name, .points = std::move(points), .influences = {}, .closed = closed};
    draft.influences.assign(draft.points.size(), {{skeleton.find(joint), 1.0}});
    icon.curves.push_back(std::move(draft));
  };
  switch (kind) {
    case Kind::torso: {  // a bean
      const std::vector<Vec3> bean = outline_around(torso, {0, 0.80, -0.08}, Vec3::UnitX(), 100);
      icon.curves.push_back(on_skin("outline", bean, weights, skeleton.size()));
      icon.curves.back().closed = true;
      break;
    }
    case Kind::wings: {  // the arm and the leading finger, and the scalloped edge back to the flank
      skinned("arm", std::array{kWing[0], kWing[1], kWing[2], kFingers[0]}, 40);
      std::vector<Vec3> edge;
      const std::array<Vec3, 4> rim{kFingers[0], kFingers[1], kFingers[2], kFlank};
      for (std::size_t k = 0; k + 1 < rim.size(); ++k) {
        for (int i = 0; i < 12; ++i) {
          const double t = i / 12.0;
          const Vec3 straight = rim[k] + t * (rim[k + 1] - rim[k]);
          edge.push_back(straight + 0.9 * t * (1 - t) * (kWing[2] - straight));
        }
      }
      edge.push_back(kFlank);
      skinned("edge", edge, 60);
      break;
    }
    case Kind::head: {  // a neck, a wedge with an open mouth, a horn
      skinned("neck", std::array{kNeck[0], kNeck[1], kNeck[2], kNeck[3]}, 30);
      rigid("skull",
            resampled(std::array{Vec3(0, 1.36, 0.70), Vec3(0, 1.40, 0.57), Vec3(0, 1.52, 0.58), Vec3(0, 1.55, 0.68),
                                 Vec3(0, 1.50, 0.80), Vec3(0, 1.475, 0.98), Vec3(0, 1.42, 1.03), Vec3(0, 1.365, 0.98),
                                 Vec3(0, 1.36, 0.72)},
                      36),
            "skull", false);
      rigid(
          "jaw",
          resampled(std::array{Vec3(0, 1.345, 0.70), Vec3(0, 1.33, 1.0), Vec3(0, 1.28, 0.97), Vec3(0, 1.30, 0.70)}, 20),
          "jaw", false);
      rigid("horn", resampled(std::array{Vec3(0, 1.53, 0.62), Vec3(0, 1.63, 0.53), Vec3(0, 1.69, 0.38)}, 14), "skull",
            false);
      break;
    }
    case Kind::tail: {  // a line with a spade
      skinned("line", kTail, 70);
      const Vec3 end = kTail[6], along = (kTail[6] - kTail[5]).normalized(), aside = along.cross(Vec3::UnitX());
      std::vector<Vec3> spade{end, end + 0.11 * aside, end + 0.24 * along, end - 0.11 * aside, end};
      rigid("spade", resampled(spade, 30), "tail_06", false);
      break;
    }
    case Kind::front_legs: {  // a column down to the paw and up again, two strokes for the toes
      skinned("outline", offset(kFrontLeg, front_leg), 80);
      for (const double ahead : {0.0, 0.05}) {
        const Vec3 top = kFrontLeg[4] + Vec3(0, 0.045, ahead - 0.03);
        rigid(ahead == 0 ? "toe_1" : "toe_2", resampled(std::array<Vec3, 2>{top, top - Vec3(0, 0.07, -0.01)}, 10),
              "foretoes_l", false);
      }
      break;
    }
    case Kind::hind_legs: {  // a round thigh, and the bones below it
      rigid("thigh", arc({0.18, 0.68, -0.31}, 0.20, 0.155, 48), "hindleg_l", true);
      skinned("shin", std::array{kHindLeg[1], kHindLeg[2], kHindLeg[3], kHindLeg[4]}, 52);
      break;
    }
  }
  return icon;
}

}  // namespace rigspace::dragon
