#include "rigspace/anim/clip_play.h"

#include "clip_words.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/anim/loop.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kOneDegree = std::numbers::pi / 180;
constexpr double kSamePose = 8 * kOneDegree;   // joints of two poses that count as the same
constexpr double kNearPose = 25 * kOneDegree;  // joints at the ends of a clip that is a loop by its name
constexpr double kNearPlace = 0.06;            // of the height: the same for nodes that move
constexpr double kUnderWay = 0.2;              // of its mean speed: a node that is slower at both ends stands there
constexpr double kStepsApart = 1.8;            // a closing frame that is left out: ends are so many steps apart

double angle_between(const Vec4& a, const Vec4& b) {
  const Vec4 from = a.normalized(), to = a.dot(b) < 0 ? Vec4(-b.normalized()) : Vec4(b.normalized());
  return 4 * std::atan2((to - from).norm(), (to + from).norm());
}

/// How far the pose at the end of a clip is from the one at its start, and from the frames beside both.
struct EndGap {
  bool one_frame = true;  // every control is within a frame's change
  double angle = 0;       // rad, the largest of a joint
  double place = 0;       // of the height, the largest of a node but the traveller
  std::string farthest;   // the node of that angle
  std::string traveller;
  Vec3 travel = Vec3::Zero();  // from the start to a frame after the end
};

EndGap gap_of_ends(const Rig& rig, const Animation& clip, double frame) {
  EndGap gap;
  const double T = clip.duration, f = std::min(frame, T / 3), height = rest_height(rig);
  for (const RotationTrack& track : clip.rotations) {
    const double apart = angle_between(track(0), track(T));
    const double step = std::max(angle_between(track(0), track(f)), angle_between(track(T - f), track(T)));
    gap.one_frame = gap.one_frame && apart <= kStepsApart * step + kOneDegree;
    if (apart > gap.angle) gap.angle = apart, gap.farthest = track.node;
  }
  struct Place {
    Vec3 first = Vec3::Zero(), second = Vec3::Zero(), before = Vec3::Zero(), last = Vec3::Zero();
  };
  std::map<std::string, Place> places;
  for (const Track& track : clip.tracks) {
    const int index = rig.find(track.control);
    if (index < 0 || track.curve.times.empty()) continue;
    const Control& control = rig.controls()[index];
    const char axis = control.name.back();
    if (control.unit == Unit::length && axis >= 'x' && axis <= 'z' && control.name == control.node + ".t" + axis) {
      Place& place = places[control.node];
      const int k = axis - 'x';
      place.first[k] = track.curve(0), place.second[k] = track.curve(f);
      place.before[k] = track.curve(T - f), place.last[k] = track.curve(T);
    } else {
      const double apart = std::abs(track.curve(T) - track.curve(0));
      const double step =
          std::max(std::abs(track.curve(f) - track.curve(0)), std::abs(track.curve(T) - track.curve(T - f)));
      const bool turns = control.unit == Unit::angle;
      gap.one_frame = gap.one_frame && apart <= kStepsApart * step + (turns ? kOneDegree : 2e-3 * control.typical);
      if (turns && apart > gap.angle) gap.angle = apart, gap.farthest = control.node;
    }
  }
  double farthest = 0;
  for (const auto& [node, place] : places) {  // the one that is farthest from its start may travel
    const Vec3 apart = place.last - place.first;
    if (apart.norm() <= std::max(farthest, kNearPlace * height)) continue;
    farthest = apart.norm();
    gap.traveller = node;
    gap.travel = apart + 0.5 * (place.second - place.first + place.last - place.before);
  }
  for (const auto& [node, place] : places) {
    if (node == gap.traveller) continue;
    const double apart = (place.last - place.first).norm();
    const double step = std::max((place.second - place.first).norm(), (place.last - place.before).norm());
    double reach = 0;
    for (const Vec3& at : {place.second, place.before, place.last}) reach = std::max(reach, (at - place.first).norm());
    gap.one_frame = gap.one_frame && apart <= kStepsApart * step + std::max(2e-3 * height, 0.02 * reach);
    gap.place = std::max(gap.place, apart / height);
  }
  return gap;
}

/// Whether a node that travels leaves the clip about as fast as it enters it: a walk does, a step that ends in a stop
/// does not, and would start anew with a jolt each turn.
bool travels_steadily(const Animation& clip, const std::string& node, double frame) {
  const double T = clip.duration, f = std::min(frame, T / 3);
  const auto moved = [&](double from, double to) {
    Vec3 way = Vec3::Zero();
    for (const Track& track : clip.tracks)
      for (int axis = 0; axis < 3; ++axis)
        if (track.control == node + ".t" + "xyz"[axis]) way[axis] = track.curve(to) - track.curve(from);
    return Vec3(way / (to - from));
  };
  const Vec3 enters = moved(0, f), leaves = moved(T - f, T), mean = moved(0, T);
  if (std::max(enters.norm(), leaves.norm()) < kUnderWay * mean.norm()) return false;  // from a stop to a stop
  return (enters - leaves).norm() <= 0.5 * std::max({enters.norm(), leaves.norm(), mean.norm()});
}

/// The largest angle, rad, by which a joint differs between two poses.
double pose_difference(std::span<const Control> controls, const Vec& a, const Vec& b) {
  double largest = 0;
  for (Eigen::Index c = 0; c < a.size(); ++c) {
    const Control& control = controls[c];
    if (control.unit == Unit::quaternion && control.name.ends_with(".qx") && c + 3 < a.size()) {
      largest = std::max(largest, angle_between(a.segment<4>(c), b.segment<4>(c)));
      c += 3;
    } else if (control.unit == Unit::angle) {
      largest = std::max(largest, std::abs(a[c] - b[c]));
    }
  }
  return largest;
}

/// The idle clip in whose pose this clip begins and ends; null if there is none.
const Animation* idle_around(const Character& character, const Animation& clip) {
  const auto controls = character.rig->controls();
  Vec first, last;
  for (const Animation& idle : character.clips) {
    const std::vector<std::string> words = words_of_clip(idle.name);
    if (&idle == &clip || idle.name == clip.name || !names_idle(words) || !once_word(words).empty()) continue;
    if (first.size() == 0) first = pose_at(character, &clip, 0), last = pose_at(character, &clip, clip.duration);
    const Vec stands = pose_at(character, &idle, 0);
    if (pose_difference(controls, first, stands) < kSamePose && pose_difference(controls, last, stands) < kSamePose)
      return &idle;
  }
  return nullptr;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool matches_any(const std::string& clip, const std::vector<std::string>& patterns) {
  const std::string name = in_lower_case(clip);
  const auto bar = name.find_last_of("|:");
  const std::string own = bar == std::string::npos ? name : name.substr(bar + 1);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& each) {
    const std::string pattern = in_lower_case(each);
    return matches_pattern(name, pattern) || matches_pattern(own, pattern);
  });
}

std::string degrees(double angle) { return std::to_string(std::lround(angle / kOneDegree)) + " degrees"; }

}  // namespace

ClipPlay decide_play(const Character& character, const Animation& clip, const PlayRules& rules) {
  const std::vector<std::string> words = words_of_clip(clip.name);
  ClipPlay play{.period = clip.duration, .off_ground = names_off_ground(words)};
  if (!(clip.duration > 0)) {
    play.why = "it has no duration";
    return play;
  }
  const Seam seam = find_seam(*character.rig, clip);
  const double frame = 1 / key_rate(clip);
  const EndGap gap = gap_of_ends(*character.rig, clip, frame);
  const auto loop = [&](std::string why) {
    play.loops = true;
    if (seam.loops) {
      play.traveller = seam.traveller, play.travel = seam.travel;
    } else {
      play.period += frame;
      why += ", one frame after its last key";
      play.traveller = gap.traveller, play.travel = gap.travel;
    }
    play.why = std::move(why);
    return play;
  };
  const auto once = [&](std::string why) {
    play.why = std::move(why);
    return play;
  };
  if (matches_any(clip.name, rules.loop)) return loop("--loop says so");
  if (matches_any(clip.name, rules.once)) return once("--once says so");
  if (const std::string word = once_word(words); !word.empty()) return once("its name says \"" + word + "\"");
  const bool comes_back = seam.loops || gap.one_frame;
  if (const std::string word = loop_word(words); !word.empty()) {
    if (comes_back || (gap.angle < kNearPose && gap.place < kNearPlace)) return loop("its name says \"" + word + "\"");
    return once("its name says \"" + word + "\", but " +
                (gap.angle >= kNearPose ? gap.farthest + " ends " + degrees(gap.angle) + " from where it begins"
                                        : "its end is far from its start"));
  }
  if (const std::string word = leap_word(words); !word.empty()) return once("its name says \"" + word + "\"");
  if (const Animation* idle = idle_around(character, clip))
    return once("it begins and ends in the pose of " + idle->name);
  if (!comes_back) return once("its pose does not come back");
  const std::string& traveller = seam.loops ? seam.traveller : gap.traveller;
  if (!traveller.empty() && !travels_steadily(clip, traveller, frame))
    return once("its pose comes back, but " + traveller + " does not go on as it began");
  return loop("its pose comes back");
}

const Animation* ordinary_locomotion(const Character& character) {
  const Animation* best = nullptr;
  int best_rank = 0;
  for (const Animation& clip : character.clips) {
    if (!(clip.duration > 0)) continue;
    const int rank = locomotion_rank(words_of_clip(clip.name));
    if (rank == 0) continue;
    const bool better =
        best == nullptr || rank < best_rank || (rank == best_rank && clip.name.size() < best->name.size());
    if (better) best = &clip, best_rank = rank;
  }
  return best;
}

}  // namespace rigspace
