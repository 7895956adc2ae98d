// What the hound does: gaits, play and begging, as moments over time.

#include "biped.h"
#include "hound_clips.h"
#include "hound_rig.h"
#include "rigspace/geometry/signed_distance.h"

#include <cmath>
#include <random>

namespace rigspace::hound {
namespace {

using biped::eased;
using puppet::kTurn;

double wave(double cycles) { return std::sin(kTurn * cycles); }

struct Gait {
  double rate = 1;                           ///< cycles a second
  double stride = 0.3;                       ///< metres a paw goes back and forth
  double lift = 0.06;                        ///< metres
  double stance = 0.6;                       ///< share of a cycle on the ground
  std::array<double, 4> offset{0, 0, 0, 0};  ///< in the cycle, in the order of kLegs
  double bob = 0.015, bend = 0, pitch = 0;   ///< metres, degrees
};
const Gait kWalk{.rate = 0.9, .stride = 0.32, .lift = 0.05, .stance = 0.65, .offset = {0, 0.5, 0.75, 0.25}};
const Gait kTrot{.rate = 1.7, .stride = 0.36, .lift = 0.08, .stance = 0.5, .offset = {0, 0.5, 0.5, 0}, .bob = 0.025};
const Gait kGallop{.rate = 2.2,
                   .stride = 0.55,
                   .lift = 0.13,
                   .stance = 0.35,
                   .offset = {0.1, 0, 0.55, 0.45},
                   .bob = 0.05,
                   .bend = 22,
                   .pitch = 9};

// Paws go round beneath a body that travels as fast as they go back.
void walk(const Gait& gait, double time, double amount, Moment& m) {
  const double cycles = gait.rate * time;
  for (std::size_t k = 0; k < m.paws.size(); ++k) {
    double phase = cycles + gait.offset[k];
    phase -= std::floor(phase);
    Paw& paw = m.paws[k];
    const bool down = phase < gait.stance;
    const double u = down ? phase / gait.stance : (phase - gait.stance) / (1 - gait.stance);
    const double s = down ? 0.5 - u : -0.5 + u * u * (3 - 2 * u), up = down ? 0 : std::sin(kTurn / 2 * u);
    paw.shift += amount * Vec3(0, gait.lift * up * up, gait.stride * s);
    paw.roll += amount * (down ? 38 * smooth_step(0.55, 1, u) : 38 * (1 - smooth_step(0, 0.5, u)));
    paw.pitch += amount * 26 * up * (1 - u);
  }
  m.shift.y() += amount * gait.bob * (std::cos(2 * kTurn * (cycles + 0.1)) - 0.5);
  m.shift.z() += amount * 0.3 * gait.bob * wave(2 * cycles);
  m.bend += amount * gait.bend * wave(cycles + 0.2), m.pitch += amount * gait.pitch * wave(cycles + 0.05);
  m.side += amount * 5 * wave(cycles), m.sway += amount * 6 * wave(cycles + 0.3), m.roll += amount * 2 * wave(cycles);
  m.twist += amount * 4 * wave(cycles + 0.15), m.nod += amount * 5 * wave(2 * cycles + 0.3);
  m.lift += amount * 4 * wave(2 * cycles), m.flop += amount * 300 * gait.bob * wave(2 * cycles + 0.25);
  m.travel.z() += amount * gait.stride * gait.rate / gait.stance * 0.2 * time;  // mostly on the spot
}

void breathe(double time, double rate, Moment& m) {
  m.breath += 0.5 * wave(rate * time);
  m.jaw += 3 + 3 * wave(rate * time), m.tongue += 0.15;
  m.blink += smooth_step(0.9, 1, wave(0.23 * time)), m.sniff += 0.2 * wave(0.7 * time);
}

void wag(double time, double rate, double amount, Moment& m) {
  m.tail_swing += amount * wave(rate * time), m.sway += 0.12 * amount * wave(rate * time + 0.1);
  m.smile += 0.01 * amount;
}

Moment walking(double t) {
  Moment m;
  walk(kWalk, t, 1, m), breathe(t, 1.2, m), wag(t, 0.9, 12, m);
  m.tail_lift = 10 + 5 * wave(0.4 * t), m.turn = 14 * wave(0.23 * t), m.gaze = 10 * wave(0.23 * t + 0.1);
  m.lift += 8 * wave(0.31 * t), m.perk = 10 * wave(0.37 * t), m.yaw = 2 * wave(0.45 * t + 0.1), m.brow = 0.4 * wave(0.3 * t);
  return m;
}

Moment trotting(double t) {
  Moment m;
  walk(kTrot, t, 1, m), breathe(t, 2, m);
  m.tail_lift = 30, m.tail_curl = 20 + 12 * wave(1.7 * t), m.heading = 12 * wave(0.2 * t);
  m.side += 8 * wave(0.2 * t + 0.2), m.turn = 10 * wave(0.2 * t + 0.25), m.perk = 12;
  for (Paw& paw : m.paws) paw.yaw = 6 * wave(0.2 * t + 0.2);
  return m;
}

Moment galloping(double t) {
  Moment m;
  walk(kGallop, t, 0.8 + 0.2 * wave(0.15 * t), m), breathe(t, 2.2, m);
  m.jaw += 8, m.tongue += 0.4, m.lift += -15, m.tail_lift = 35 + 12 * wave(2.2 * t), m.squash = 0.2 * wave(2.2 * t);
  for (Paw& paw : m.paws) paw.stretch = 0.2 + 0.2 * wave(2.2 * t);
  return m;
}

// From standing to sitting and back.
void sit(double amount, Moment& m) {
  m.shift += amount * Vec3(0, -0.19, -0.03), m.pitch += -34 * amount, m.bend += -14 * amount;
  m.nod += 26 * amount, m.lift += 12 * amount, m.tail_lift += 20 * amount;
  for (const std::size_t k : {2u, 3u}) {
    m.paws[k].shift += amount * Vec3(k == 2 ? 0.05 : -0.05, 0, 0.12), m.paws[k].yaw += (k == 2 ? 14 : -14) * amount;
    m.paws[k].bank += 6 * amount, m.paws[k].toe += 5 * amount;
  }
}

Moment sitting(double t) {
  Moment m;
  breathe(t, 1, m), wag(t, 2, 14, m);
  sit(eased({{0.4, 0}, {1.3, 1}, {4.2, 1}, {5.2, 0}}, t), m);
  const double look = eased({{1.2, 0}, {1.8, 1}, {2.6, 1}, {3.2, -1}, {4, 0}}, t);
  m.turn = 34 * look, m.tilt = 16 * eased({{1.5, 0}, {2, 1}, {3, -1}, {4, 0}}, t), m.perk = 14 * look;
  m.gaze = 18 * look, m.brow = 0.8 * look * look, m.gaze_up = 6 * wave(0.4 * t), m.chew = 5 * wave(1.3 * t);
  return m;
}

// Elbows down, rump up.
void bow(double amount, Moment& m) {
  m.shift += amount * Vec3(0, -0.09, -0.07), m.pitch += 24 * amount, m.bend += 12 * amount, m.lift += 28 * amount;
  m.nod += -8 * amount, m.tail_lift += 50 * amount, m.tail_curl += 30 * amount;
  for (const std::size_t k : {0u, 1u})
    m.paws[k].shift += amount * Vec3(k == 0 ? 0.02 : -0.02, 0, 0.17), m.paws[k].toe += 8 * amount;
}

Moment stretching(double t) {
  Moment m;
  breathe(t, 0.8, m);
  const double down = eased({{0.3, 0}, {1.4, 1}, {2.4, 1}, {3.2, 0}}, t);
  bow(down, m), wag(t, 1.4, 10 + 18 * down, m);
  m.jaw += 22 * eased({{1.2, 0}, {1.8, 1}, {2.4, 0}}, t), m.tongue += 0.6 * down, m.flop += 12 * down;
  m.squash = -0.3 * eased({{3, 0}, {3.6, 1}, {4.4, 0}}, t);
  for (Paw& paw : m.paws) paw.bank = 4 * down;
  return m;
}

// From head to tail, as after a bath.
Moment shaking(double t) {
  Moment m;
  breathe(t, 1, m);
  const double on = eased({{0.4, 0}, {0.9, 1}, {2.6, 1}, {3.2, 0}}, t), rate = 3;
  m.tilt = 30 * on * wave(rate * t), m.twist = 16 * on * wave(rate * t - 0.12), m.roll = 6 * on * wave(rate * t - 0.1);
  m.sway = 10 * on * wave(rate * t - 0.25), m.tail_swing = 45 * on * wave(rate * t - 0.35);
  m.flop = 30 * on * wave(rate * t - 0.08), m.perk = 18 * on * wave(rate * t - 0.1), m.shift.y() = -0.03 * on;
  m.chew = 10 * on * wave(rate * t - 0.1), m.jaw += 8 * on, m.blink = on, m.side = 6 * on * wave(rate * t - 0.2);
  for (std::size_t k = 0; k < m.paws.size(); ++k)
    m.paws[k].shift += on * Vec3(k % 2 == 0 ? 0.03 : -0.03, 0, 0), m.paws[k].bank = 5 * on * wave(rate * t);
  return m;
}

// Sits and lifts one paw after the other, high.
Moment giving_paw(double t) {
  Moment m;
  breathe(t, 1.4, m), wag(t, 1.8, 20, m);
  const double down = eased({{0.2, 0}, {0.9, 1}, {4.6, 1}, {5.3, 0}}, t);
  sit(down, m);
  const std::array up{eased({{1, 0}, {1.6, 1}, {2.3, 0.9}, {2.7, 0}}, t),
                      eased({{2.5, 0}, {3.2, 1}, {3.9, 1}, {4.4, 0}}, t)};
  for (std::size_t k = 0; k < 2; ++k) {
    const double side = k == 0 ? 1 : -1, beat = wave(1.3 * t);
    m.paws[k].shift += up[k] * Vec3(0.02 * side, 0.30 + 0.03 * beat, 0.10), m.paws[k].pitch += up[k] * (46 + 8 * beat);
    m.paws[k].roll += 8 * up[k], m.paws[k].yaw += 8 * side * up[k], m.paws[k].bank += 4 * up[k];
    m.roll += -3 * side * up[k], m.side += 6 * side * up[k], m.tilt += 12 * side * up[k], m.turn += -12 * side * up[k];
  }
  m.brow += 0.6 * (up[0] + up[1]), m.smile += 0.5 * up[1], m.jaw += 8 * up[1], m.perk += 10 * (up[0] - up[1]);
  m.shift += 0.03 * (up[0] + up[1]) * Vec3(0, 1, -1), m.gaze_up = 10 * up[0];
  return m;
}

// Both front paws off the ground, and small hops.
Moment rearing(double t) {
  Moment m;
  breathe(t, 2, m), wag(t, 2.4, 24, m);
  const double up = eased({{0.3, 0}, {0.8, 1}, {1.3, 0}, {1.9, 0}, {2.4, 0.8}, {3, 0}}, t);
  const double hop = eased({{3.2, 0}, {3.5, 1}, {3.8, 0}, {4.1, 1}, {4.4, 0}}, t);
  m.pitch += -22 * up, m.bend += 6 * up - 8 * hop, m.lift += -10 * up, m.nod += 8 * up;
  m.shift += Vec3(0, 0.05 * up + 0.12 * hop, -0.06 * up), m.squash += 0.25 * hop - 0.1 * up, m.flop += 25 * hop;
  m.travel += Vec3(0.05 * wave(0.3 * t), 0.02 * hop, 0);
  for (std::size_t k = 0; k < m.paws.size(); ++k) {
    const bool front = k < 2;
    if (front) m.paws[k].shift += up * Vec3(0, 0.24, 0.02), m.paws[k].pitch += 34 * up;
    m.paws[k].shift += hop * Vec3(0, 0.14, front ? 0.05 : -0.06), m.paws[k].pitch += 20 * hop;
    m.paws[k].stretch += 0.25 * hop, m.paws[k].toe = 4 * up;
  }
  m.jaw += 12 * hop, m.tail_lift += 25 * up + 20 * hop, m.turn = 12 * wave(0.5 * t), m.twist = 5 * wave(0.7 * t);
  return m;
}

// ---- To be tried on ------------------------------------------------------------------------------------------------

Moment jumping(double t) {
  Moment m;
  breathe(t, 2.4, m), wag(t, 2.6, 32, m);
  const double once = t - 2.2 * std::floor(t / 2.2), side = std::floor(t / 2.2) == 1 ? -1 : 1;
  const double crouch = eased({{0, 0}, {0.35, 1}, {0.5, 0}}, once), air = eased({{0.42, 0}, {0.8, 1}, {1.2, 0}}, once);
  const double land = eased({{1.1, 0}, {1.25, 1}, {1.6, 0}}, once);
  bow(0.7 * crouch + 0.5 * land, m);
  m.shift += Vec3(0.04 * side * air, 0.26 * air, 0.06 * air), m.travel = Vec3(0.1 * side * air, 0, 0.15 * t);
  m.pitch += -26 * eased({{0.42, 0}, {0.62, 1}, {0.95, -0.8}, {1.25, 0}}, once), m.bend += -24 * air + 20 * land;
  m.heading = 25 * wave(0.12 * t), m.side += 22 * side * air, m.twist += 14 * side * air, m.roll += 8 * side * air;
  m.turn += 26 * side * (crouch + air), m.squash = 0.5 * air - 0.6 * land, m.flop += 50 * air - 30 * land;
  for (std::size_t k = 0; k < m.paws.size(); ++k) {
    const bool front = k < 2;
    m.paws[k].shift += air * Vec3(0.03 * side, front ? 0.30 : 0.22, front ? 0.10 : -0.16);
    m.paws[k].pitch += (front ? 40 : 50) * air, m.paws[k].stretch = 0.5 * air, m.paws[k].yaw = 12 * side * air;
  }
  m.jaw += 20 * air, m.tongue += 0.5 * air, m.brow = air, m.perk += 20 * side * air, m.gaze_up = 12 * air;
  return m;
}

Moment turning(double t) {
  Moment m;
  const double veer = wave(0.33 * t) + 0.4 * wave(0.71 * t);
  walk(kGallop, t, 1.1, m), breathe(t, 2.5, m);
  m.heading = 55 * std::sin(0.33 * kTurn * t), m.side += 26 * veer, m.roll += -14 * veer, m.twist += 12 * veer;
  m.turn += 28 * veer, m.tilt += -10 * veer, m.sway += 10 * veer, m.tail_swing = -50 * veer + 12 * wave(2.2 * t);
  m.tail_lift = 20 + 20 * wave(2.2 * t), m.shift += Vec3(-0.05 * veer, -0.03, 0), m.lift -= 10, m.jaw += 12;
  m.tongue += 0.6, m.flop += 25 * wave(2.2 * t + 0.2), m.squash = 0.3 * wave(2.2 * t);
  for (std::size_t k = 0; k < m.paws.size(); ++k) {
    Paw& paw = m.paws[k];
    paw.shift.x() += 0.06 * veer, paw.yaw += 20 * veer, paw.bank += 10 * veer;
    paw.stretch = 0.3 + 0.2 * wave(2.2 * t + 0.2 * static_cast<double>(k)), paw.toe = -6 * veer;
  }
  return m;
}

Moment begging(double t) {
  Moment m;
  const double up = eased({{0.2, 0}, {1, 1}, {3.6, 1}, {4.4, 0}}, t), hop = up * std::abs(wave(1.6 * t));
  sit(1.15 * up, m), breathe(t, 3, m), wag(t, 3.4, 45, m);
  m.pitch -= 14 * up, m.bend += 14 * up, m.lift -= 16 * up, m.shift += Vec3(0, 0.10 * up + 0.03 * hop, -0.08 * up),
      m.nod += 20 * up;
  for (const std::size_t k : {0u, 1u}) {
    const double beat = wave(2.3 * t + (k == 0 ? 0 : 0.4));
    m.paws[k].shift += up * Vec3(0, 0.42 + 0.05 * beat, 0.02 + 0.06 * beat), m.paws[k].pitch += up * (60 + 14 * beat);
    m.paws[k].roll += 10 * up * beat, m.paws[k].yaw += (k == 0 ? 10 : -10) * up;
  }
  m.turn = 20 * up * wave(0.8 * t), m.tilt = 22 * up * wave(0.5 * t), m.jaw += 14 * up, m.tongue += 0.5 * up;
  m.brow = up, m.smile += up, m.perk = 22 * up, m.flop += 20 * hop, m.chew = 8 * up * wave(2 * t), m.gaze_up = 15 * up;
  return m;
}

/// A sum of three slow waves, at most about 1.
class Wander {
 public:
  explicit Wander(std::mt19937& random) {
    for (auto& part : parts_) part = {0.1 + 1.2 * share(random), share(random), 0.25 + 0.35 * share(random)};
  }
  double operator()(double t) const {
    double sum = 0;
    for (const auto& part : parts_) sum += part[2] * wave(part[0] * t + part[1]);
    return sum;
  }
  static double share(std::mt19937& random) { return random() / 4294967295.0; }

 private:
  std::array<std::array<double, 3>, 3> parts_;
};

}  // namespace

std::vector<Animation> clips(std::span<const Control> controls) {
  return {keyed("Walk", 5, walking, controls),          keyed("Trot", 5, trotting, controls),
          keyed("Gallop", 5, galloping, controls),      keyed("Sit", 5.5, sitting, controls),
          keyed("Stretch", 4.5, stretching, controls),  keyed("Shake", 3.6, shaking, controls),
          keyed("GivePaw", 5.5, giving_paw, controls),  keyed("Rear", 4.6, rearing, controls),
          keyed("JumpAndPlay", 4.4, jumping, controls), keyed("GallopAndTurn", 4, turning, controls),
          keyed("Beg", 4.6, begging, controls)};
}

Act random_act(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Wander> w;
  for (int k = 0; k < 40; ++k) w.emplace_back(random);
  const Gait gaits[] = {kWalk, kTrot, kGallop};
  const Gait gait = gaits[random() % 3];
  const double amount = Wander::share(random), rate = 1 + 2 * Wander::share(random);
  return [=](double t) {
    Moment m;
    walk(gait, t, amount, m), breathe(t, rate, m), wag(t, rate, 20 + 20 * w[0](t), m);
    sit(0.9 * std::max(0.0, w[1](t)) * (1 - amount), m), bow(0.9 * std::max(0.0, w[2](t)) * (1 - amount), m);
    m.heading = 20 * w[3](t), m.pitch += 16 * w[4](t), m.roll += 9 * w[5](t), m.bend += 16 * w[6](t);
    m.side += 18 * w[7](t), m.twist += 12 * w[8](t), m.sway += 8 * w[9](t), m.lift += 20 * w[10](t);
    m.turn += 26 * w[11](t), m.tilt += 18 * w[12](t), m.nod += 14 * w[13](t), m.jaw += 10 + 10 * w[14](t);
    m.chew += 6 * w[15](t), m.tongue += 0.3 + 0.3 * w[16](t), m.brow += 0.8 * w[17](t), m.smile += 0.7 * w[18](t);
    m.flop += 25 * w[19](t), m.perk += 16 * w[20](t), m.tail_lift += 25 + 25 * w[21](t);
    m.tail_curl += 20 * w[22](t), m.squash += 0.4 * w[23](t), m.gaze += 14 * w[24](t), m.gaze_up += 10 * w[25](t);
    m.shift += Vec3(0.03 * w[26](t), 0.10 * std::max(0.0, w[27](t)), 0.05 * w[28](t));
    for (std::size_t k = 0; k < m.paws.size(); ++k) {
      const Wander &a = w[29 + k], &b = w[33 + k];
      m.paws[k].shift += Vec3(0.04 * b(t), 0.22 * std::max(0.0, a(t)), 0.10 * b(t + 1));
      m.paws[k].pitch += 40 * std::max(0.0, a(t)), m.paws[k].yaw += 12 * b(t), m.paws[k].bank += 7 * b(t + 2);
      m.paws[k].toe += 6 * b(t + 4), m.paws[k].stretch += 0.25 + 0.25 * a(t + 1);
    }
    return m;
  };
}

}  // namespace rigspace::hound
