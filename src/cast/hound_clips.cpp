#include "hound_clips.h"

#include "biped.h"
#include "hound_rig.h"
#include "rigspace/geometry/signed_distance.h"

#include <cmath>
#include <map>
#include <string>

namespace rigspace::hound {
namespace {

constexpr double kRate = 30;  // keys a second
constexpr double kDegrees = std::numbers::pi / 180;

/// Offsets from rest by the names of controls: angles in degrees, lengths in metres.
using Values = std::map<std::string, double>;

void move(Values& v, const std::string& node, const Vec3& by) {
  v[node + ".tx"] = by.x(), v[node + ".ty"] = by.y(), v[node + ".tz"] = by.z();
}
void turn(Values& v, const std::string& node, double x, double y, double z) {
  v[node + ".rx"] = x, v[node + ".ry"] = y, v[node + ".rz"] = z;
}

// The slider takes most; joints follow late, each in its own way: what an animator adds to break up a curve.
void set_spine(const std::function<Moment(double)>& at, Values& v) {
  const Moment now = at(0);
  v["spine.bend"] = now.bend, v["spine.side"] = now.side, v["spine.twist"] = now.twist, v["hips.sway"] = now.sway;
  for (int k = 0; k < 5; ++k) {
    const Moment late = at(0.02 * (k + 1));
    turn(v, biped::numbered("spine", k), 0.10 * (late.bend - now.bend) + 0.04 * late.pitch,
         0.08 * late.twist - 0.05 * late.roll, 0.12 * (late.side - now.side) + 0.05 * late.sway);
  }
  const Moment late = at(0.08);
  turn(v, "chest", -0.15 * late.bend - 0.1 * late.pitch, 0.2 * late.twist, 0.15 * late.side);
  turn(v, "pelvis", 0.25 * now.bend + 0.1 * now.pitch, 0.3 * now.twist + 0.1 * now.roll, -0.2 * now.side);
  move(v, "pelvis", {0.0005 * now.sway, 0.0007 * now.bend, 0.0003 * now.pitch});
  v["breath"] = now.breath, v["squash"] = now.squash;
  move(v, "ribs", {0.0004 * now.side, 0.0005 * now.bend, 0.004 * now.breath});
  move(v, "belly", {0.0006 * at(0.07).sway, 0.0004 * at(0.05).bend, 0.006 * at(0.06).breath + 0.01 * now.squash});
  move(v, "withers", {0.0002 * now.side, 0.008 * now.squash, 0.00015 * now.lift});
  move(v, "throat", {0.0003 * now.turn, 0.004 * now.sniff, 0.0002 * now.lift + 0.003 * now.breath});
}

void set_head(const std::function<Moment(double)>& at, Values& v) {
  const Moment now = at(0);
  v["neck.lift"] = now.lift, v["neck.turn"] = now.turn, v["neck.tilt"] = now.tilt;
  for (int k = 0; k < 4; ++k) {
    const Moment late = at(0.025 * (k + 1));
    turn(v, biped::numbered("neck", k), -0.12 * (late.lift - now.lift) - 0.03 * late.bend, 0.1 * late.tilt,
         0.12 * (late.turn - now.turn) + 0.06 * late.side);
  }
  const Moment late = at(0.1);
  turn(v, "head", now.nod + 0.3 * late.lift, 0.35 * late.tilt, 0.3 * late.turn);
  v["jaw.open"] = now.jaw, v["jaw.side"] = now.chew;
  turn(v, "jaw", 0.1 * at(0.05).jaw, 0.1 * at(0.05).tilt, 0.2 * at(0.05).chew);
  v["tongue.out"] = now.tongue;
  for (int k = 0; k < 2; ++k) {
    const Moment hang = at(0.04 * (k + 1));
    turn(v, biped::numbered("tongue", k), 14 * hang.tongue - 0.4 * hang.jaw, 0.2 * hang.tilt,
         0.5 * hang.turn + 0.3 * hang.chew);
  }
  v["eyes.side"] = now.gaze, v["eyes.up"] = now.gaze_up;
  move(v, "nose", {0.004 * now.chew / 10, 0.006 * now.sniff, 0.003 * now.sniff});
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side), ear = "ear" + end;
    v["blink" + end] = now.blink;
    move(v, "brow" + end, {0.003 * side * now.brow, 0.010 * now.brow, -0.0012 * now.jaw / 10});
    move(v, "lip" + end, {0.006 * side * now.smile, 0.007 * now.smile - 0.0006 * now.jaw, -0.008 * now.smile});
    v[ear + ".flop"] = now.flop + 0.2 * side * now.roll;
    v[ear + ".turn"] = side * now.perk, v[ear + ".spread"] = -side * (0.5 * now.perk + 0.15 * now.flop);
    for (int k = 0; k < 2; ++k) {
      const Moment swung = at(0.05 * (k + 1));
      turn(v, biped::numbered(ear, k), 0.5 * (swung.flop - now.flop) + 0.1 * swung.nod, side * 0.15 * swung.flop,
           side * 0.3 * swung.perk + 0.2 * (swung.turn - now.turn));
    }
  }
}

void set_tail(const std::function<Moment(double)>& at, Values& v) {
  const Moment now = at(0);
  v["tail.lift"] = now.tail_lift, v["tail.curl"] = now.tail_curl, v["tail.swing"] = now.tail_swing;
  for (int k = 0; k < 6; ++k) {
    const Moment late = at(0.03 * (k + 1));
    turn(v, biped::numbered("tail", k), 0.12 * (late.tail_lift - now.tail_lift) + 0.03 * late.pitch, 0.1 * late.sway,
         0.22 * (late.tail_swing - now.tail_swing) - 0.03 * late.side);
  }
}

void set_leg(const std::string& leg, const Paw& paw, const Moment& now, Values& v) {
  const bool front = leg.front() == 'f';
  const double side = leg.back() == 'l' ? 1 : -1;
  move(v, "paw_ctrl_" + leg, paw.shift);
  turn(v, "paw_ctrl_" + leg, paw.pitch, paw.yaw, 0.3 * paw.bank + 20 * paw.shift.x());
  v["roll_" + leg] = paw.roll, v["bank_" + leg] = paw.bank;
  v["toe_twist_" + leg] = paw.toe, v["stretch_" + leg] = paw.stretch;
  const double lifted = smooth_step(0.005, 0.06, paw.shift.y());
  turn(v, "toe_" + leg, -20 * lifted + 0.2 * paw.roll, 0.3 * paw.bank, side * (4 * (1 - lifted) + 0.1 * paw.yaw));
  // The middle joint goes out as the leg folds, and with the body.
  move(v, "pole_" + leg,
       {side * (0.25 * paw.shift.y() + 0.06) + 0.8 * paw.shift.x(), 0.5 * now.shift.y() + 0.5 * paw.shift.y(),
        0.8 * paw.shift.z() + 0.3 * now.shift.z()});
  if (!front) return;
  turn(v, "scapula_" + leg, -35 * paw.shift.z() + 0.1 * now.pitch, side * 10 * paw.shift.x(),
       side * (0.2 * now.side + 12 * paw.shift.y()));
  move(v, "scapula_" + leg, {side * 0.01 * now.squash, 0.02 * paw.shift.y() + 0.0003 * now.bend, 0.03 * paw.shift.z()});
}

Values controls_of(const Act& act, double time) {
  const auto at = [&](double late) { return act(time - late); };
  const Moment now = at(0);
  Values v;
  move(v, "root", now.travel);
  turn(v, "root", 0, now.heading, 0);
  v["root.rx"] = 0.02 * now.pitch, v["root.rz"] = 0.02 * now.roll;  // as the ground is
  move(v, "cog", now.shift);
  turn(v, "cog", now.pitch, now.yaw, now.roll);
  set_spine(at, v), set_head(at, v), set_tail(at, v);
  for (std::size_t k = 0; k < kLegs.size(); ++k) set_leg(kLegs[k], now.paws[k], now, v);
  return v;
}

}  // namespace

Animation keyed(const std::string& name, double duration, const Act& act, std::span<const Control> controls) {
  Animation clip{.name = name, .duration = duration, .tracks = {}, .rotations = {}};
  const int last = static_cast<int>(std::lround(duration * kRate));
  std::vector<double> times;
  for (int k = 0; k <= last; ++k) times.push_back(k == last ? duration : k / kRate);
  for (const double time : times) {
    const Values values = controls_of(act, time);
    if (clip.tracks.empty())
      for (const auto& each : values) clip.tracks.push_back({each.first, {.times = times, .values = {}}});
    std::size_t next = 0;
    for (const auto& [control, offset] : values) {
      const Control& own = controls[static_cast<std::size_t>(find_control(controls, control))];
      clip.tracks[next++].curve.values.push_back(own.rest + (own.unit == Unit::angle ? kDegrees * offset : offset));
    }
  }
  return clip;
}

}  // namespace rigspace::hound
