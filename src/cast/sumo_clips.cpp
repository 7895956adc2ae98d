#include "sumo_clips.h"

#include "biped.h"
#include "sumo_shape.h"

#include <cmath>
#include <string>
#include <utility>

namespace rigspace::sumo {
namespace {

using biped::eased;
using biped::Puppeteer;
using namespace puppet;

constexpr double kStance = 0.115;  // metres that each foot stands further out than at rest
constexpr double kCrouch = -0.10;  // metres the pelvis is below rest, standing ready
constexpr double kToesOut = 24;    // degrees

Placement wide(double side) {
  const Placement ankle = biped::ankle_of(kPlan, {}, side);
  // Turned out about the ankle.
  return {about_y(side * kToesOut), ankle.position + Vec3(side * kStance, 0, 0)};
}

// Hands to the knees: elbows out, forearms in front.
constexpr biped::ArmPose kOnKnees{.lower = 12, .swing = 30, .bend = 38};

void lids(Puppeteer& puppet, double shut) {
  for (const double side : {1.0, -1.0}) puppet.turn("lid" + biped::suffix(side), about_x(62 * shut));
}

// ---- Stomp ---------------------------------------------------------------------------------------------------------

constexpr double kStompDuration = 4.0;
constexpr double kHit = 2.10;  // seconds: the foot comes down, on a key

// The right leg: loaded, swung up to the side, held, dropped.
double raised(double time) { return eased({{0.55, 0}, {1.30, 1}, {1.70, 1.06}, {1.82, 1.04}}, time); }
double fall(double time) {
  const double u = std::clamp((time - 1.82) / (kHit - 1.82), 0.0, 1.0);
  return u * u;  // gathering speed until the ground
}

Placement stomping_foot(double time) {
  const double up = time < 1.82 ? raised(time) : raised(1.82) * (1 - fall(time));
  Placement foot = wide(-1);
  // About the left foot's side: out, up, and the sole turns outward with the leg.
  // It leaves the ground and meets it straight, so that it does not scrape.
  foot.position += up * smooth_step(0, 0.3, up) * Vec3(-0.26, 0, 0.02) + std::pow(up, 1.3) * Vec3(0, 0.50, 0);
  foot.turn = about_z(-48 * up * smooth_step(0, 0.2, up)) * foot.turn;
  return foot;
}

void stomping_spine(double time, Puppeteer& puppet) {
  // Over the left leg, then back, down with the blow, and up again.
  const auto over = [&](double late) {
    return eased({{0.05, 0}, {0.62, 1}, {1.65, 1.04}, {kHit, 0.28}, {kHit + 0.25, -0.06}, {kHit + 0.7, 0}},
                 time - late);
  };
  const double drop = eased({{0.10, 0}, {0.45, 1}, {1.25, -0.9}, {1.75, -1.0}, {kHit, 0.0}}, time);
  const double blow = eased({{kHit - 0.02, 0}, {kHit + 0.20, 1}, {kHit + 0.62, 0.75}, {3.35, -0.08}, {3.75, 0}}, time);
  puppet.shift("pelvis", {0.155 * over(0), kCrouch - 0.03 * drop - 0.115 * blow, -0.02 - 0.03 * blow});
  puppet.turn("pelvis", about_z(15 * over(0)) * about_x(8 + 6 * blow));
  puppet.turn("spine_01", about_z(-11 * over(0.02)) * about_x(2 * blow));
  puppet.turn("spine_02", about_z(-10 * over(0.04)) * about_x(2 * blow));
  puppet.turn("chest", about_z(-8 * over(0.07)) * about_y(-3 * over(0.1)) * about_x(-2 + 3 * blow));
  puppet.turn("neck", about_z(5 * over(0.1)) * about_x(-4 - 5 * blow));
  puppet.turn("head", about_z(6 * over(0.14)) * about_x(-4 - 4 * blow));
}

Pose stomp(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  stomping_spine(time, puppet);
  const double open = eased({{0.3, 0}, {1.2, 1}, {1.75, 1}, {kHit + 0.12, 0}}, time - 0.03);
  const double blow = eased({{kHit, 0}, {kHit + 0.22, 1}, {2.75, 0.8}, {3.4, 0}}, time - 0.04);
  for (const double side : {1.0, -1.0}) {
    const double out = side > 0 ? 1.0 : 0.75;
    puppet.arm(side, {.lower = kOnKnees.lower - 34 * out * open + 6 * blow,
                      .swing = kOnKnees.swing - 16 * open,
                      .bend = kOnKnees.bend - 14 * open + 6 * blow});
    puppet.foot(side, {side > 0 ? wide(1) : stomping_foot(time), 0});
  }
  lids(puppet, eased({{1.9, 0}, {kHit, 0.55}, {kHit + 0.12, 0.9}, {2.6, 0.5}, {2.9, 0}}, time));
  return puppet.pose;
}

// ---- HeadShake -----------------------------------------------------------------------------------------------------

constexpr double kShakeDuration = 2.4;

Pose head_shake(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  // Wind up to the left, shake three times a second, run out.
  const double amount = eased({{0.1, 0}, {0.5, 1}, {1.5, 1}, {2.1, 0}}, time);
  const auto shake = [&](double late) { return amount * std::sin(kTurn * 3.0 * (time - 0.25 - late)); };
  puppet.shift("pelvis", {0.006 * shake(-0.02), kCrouch - 0.025 * amount, -0.02});
  puppet.turn("pelvis", about_x(8) * about_y(-1.5 * shake(-0.03)));
  puppet.turn("spine_01", about_x(1.5 * amount));
  puppet.turn("spine_02", about_x(1.5 * amount));
  puppet.turn("chest", about_x(-2 + 2 * amount) * about_y(4 * shake(-0.02)));
  puppet.turn("neck", about_x(-4 + 5 * amount) * about_y(10 * shake(0)) * about_z(-2 * shake(0.02)));
  puppet.turn("head", about_x(-4 + 7 * amount) * about_y(24 * shake(0.02)) * about_z(-5 * shake(0.05)));
  for (const double side : {1.0, -1.0}) {
    puppet.arm(side,
               {.lower = kOnKnees.lower + 2 * amount, .swing = kOnKnees.swing, .bend = kOnKnees.bend + 3 * amount});
    puppet.foot(side, {wide(side), 0});
  }
  lids(puppet, eased({{0.2, 0}, {0.42, 1}, {1.75, 1}, {2.0, 0}}, time));
  return puppet.pose;
}

}  // namespace

std::vector<Animation> clips(const Skeleton& skeleton) {
  return bake(skeleton, {{"Stomp", kStompDuration, 60, stomp}, {"HeadShake", kShakeDuration, 60, head_shake}});
}

}  // namespace rigspace::sumo
