#include "rigspace/apps/inverse/source_body.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigspace {
namespace {

using enum BodyRole;

constexpr int kLooks = 12, kMoments = 120;  // of a clip at which a body is searched, and its stand judged

/// +y up as it is, then +z up.
std::array<Mat3, 2> ways_up() { return {Mat3::Identity(), Mat3{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}; }

std::vector<Affine> turned(std::vector<Affine> world, const Mat3& R) {
  for (Affine& each : world) {
    linear(each) = R * linear(each);
    translation(each) = R * translation(each);
  }
  return world;
}

/// How upright a body stands, at most 1: cosines of thighs, shins and back from the vertical, of elbows from straight,
/// and of the slope of feet from that of a standing foot.
double standing(const BodyJoints& body) {
  const auto at = [&](const BodyJoint* joint) -> Vec3 {
    return translation(body.reference.world[static_cast<std::size_t>(joint->bone)]);
  };
  const auto cosine = [](const Vec3& a, const Vec3& b) { return a.dot(b) / std::max(1e-300, a.norm() * b.norm()); };
  double sum = 0, weight = 0;
  const auto add = [&](double value, double share) { sum += share * value, weight += share; };
  for (const char side : {'l', 'r'}) {
    const BodyJoint *hip = body.find(thigh, side), *knee = body.find(shin, side), *ankle = body.find(foot, side);
    add(cosine(at(hip) - at(knee), Vec3::UnitY()), 2), add(cosine(at(knee) - at(ankle), Vec3::UnitY()), 2);
    if (const BodyJoint* tip = body.find(toe, side)) {
      const Vec3 along = at(tip) - at(ankle);
      add(std::cos(std::asin(std::clamp(-along.y() / along.norm(), -1.0, 1.0)) - 0.5), 1);
    }
    if (const BodyJoint* arm = body.find(upper_arm, side), *elbow = body.find(forearm, side),
        *wrist = body.find(hand, side);
        arm != nullptr && elbow != nullptr && wrist != nullptr)
      add(cosine(at(elbow) - at(arm), at(wrist) - at(elbow)), 1);
  }
  add(body_line(body, thigh).dot(body_line(body, upper_arm)), 2);  // in a stride the shoulders turn against the hips
  const BodyJoint *low = body.find(hips), *high = body.find(head);
  if (high == nullptr) high = body.find(spine, 0, body.count(spine) - 1);
  if (high != nullptr) add(cosine(at(high) - at(low), Vec3::UnitY()), 2);
  return sum / weight;
}

/// Its left is the mean of those of hips and shoulders: swinging arms and legs do not count.
void set_left(BodyJoints& body) {
  const Vec3 left = body_line(body, thigh) + body_line(body, upper_arm);
  if (left.norm() > 0.1) body.left = left.normalized();
}

constexpr double kStands = 0.9;   // a reference pose that stands like this serves
constexpr double kBetter = 0.02;  // a pose of the clip replaces the file's if it stands better by so much
constexpr double kLeast = 0.5;    // below this nothing stands

std::vector<Affine> clip_pose(const Character& source, const Animation& clip, double time) {
  Vec p = source.rig->rest();
  Sampler(clip, source.rig->controls()).sample(time, p);
  return bone_transforms(source, p);
}

/// The body that is seen in a pose, if there is one.
SourceBody body_in(const Character& source, const std::vector<Affine>& world, const Mat3& R) {
  SourceBody found{.upright = R};
  if (!std::ranges::all_of(world, [](const Affine& each) { return each.allFinite(); })) return found;
  found.body = find_body_joints(source, {.world = turned(world, R)});
  if (found.body.found()) found.standing = standing(found.body);
  return found;
}

const SourceBody& better(const SourceBody& a, const SourceBody& b) { return b.standing > a.standing ? b : a; }

/// The body of the file's own reference pose.
SourceBody body_of_file(const Character& source) {
  const ReferencePose own = reference_pose(source);
  const auto [y_up, z_up] = ways_up();
  SourceBody found = body_in(source, own.world, y_up);
  if (!found.body.found()) found = body_in(source, own.world, z_up);
  found.body.reference.from_skin = own.from_skin;
  return found;
}

/// As it stands at this moment; `seen`: which joint is which.
SourceBody body_at(const Character& source, const Animation& clip, double time, const SourceBody& seen) {
  SourceBody there = seen;
  there.body.reference = {.world = turned(clip_pose(source, clip, time), seen.upright)};
  set_left(there.body);
  there.standing = standing(there.body), there.reference_time = time;
  return there;
}

/// The mean turn of necks and head against the chest over a clip: people look straight ahead in the mean, but not in
/// every pose (the T pose that CMU's converter added bows the head by 16 degrees).
class MeanGaze {
 public:
  explicit MeanGaze(const BodyJoints& body) {
    const int spines = body.count(spine);
    chest_ = body.find(spines > 0 ? spine : hips, 0, std::max(0, spines - 1))->bone;
    for (const BodyJoint& joint : body.joints)
      if (joint.role == neck || joint.role == head) bones_.push_back(joint.bone);
    sums_.assign(bones_.size(), Mat3::Zero());
  }
  void add(const std::vector<Affine>& world) {
    for (std::size_t k = 0; k < bones_.size(); ++k)
      sums_[k] += turn(world, chest_).transpose() * turn(world, bones_[k]);
  }
  void set(std::vector<Affine>& world) const {
    for (std::size_t k = 0; k < bones_.size(); ++k)
      linear(world[static_cast<std::size_t>(bones_[k])]) = turn(world, chest_) * nearest_rotation(sums_[k]);
  }

 private:
  static Mat3 turn(const std::vector<Affine>& world, int bone) {
    return nearest_rotation(linear(world[static_cast<std::size_t>(bone)]));
  }
  int chest_;
  std::vector<int> bones_;
  std::vector<Mat3> sums_;
};

/// The pose of the clip in which it stands best, with each foot as it stands when it is lowest, and the head as it is
/// in the mean.
SourceBody best_of_clip(const Character& source, const Animation& clip, SourceBody seen) {
  for (int k = 0; k <= kLooks && !seen.body.found(); ++k)
    for (const Mat3& R : ways_up())
      seen = better(seen, body_in(source, clip_pose(source, clip, clip.duration * k / kLooks), R));
  if (!seen.body.found()) return {};
  SourceBody best;
  std::array<double, 2> lowest{INFINITY, INFINITY};
  std::array<SourceBody, 2> on_floor;
  MeanGaze gaze(seen.body);
  for (int k = 0; k <= kMoments; ++k) {
    const SourceBody there = body_at(source, clip, clip.duration * k / kMoments, seen);
    best = better(best, there);
    if (std::isfinite(there.standing)) gaze.add(there.body.reference.world);
    for (const std::size_t side : {0, 1}) {
      const auto height = [&](BodyRole role) {
        const BodyJoint* joint = there.body.find(role, "lr"[side]);
        return joint == nullptr ? 0
                                : translation(there.body.reference.world[static_cast<std::size_t>(joint->bone)]).y();
      };
      // Heels that lift are higher than feet that stand.
      if (const double low = height(foot) + height(toe); low < lowest[side]) lowest[side] = low, on_floor[side] = there;
    }
  }
  if (!best.body.found()) return {};
  gaze.set(best.body.reference.world);
  // Of the bones of a foot their turns and the places below the ankle are those of that moment.
  for (const std::size_t side : {0, 1}) {
    const BodyJoint* ankle = best.body.find(foot, "lr"[side]);
    const auto a = static_cast<std::size_t>(ankle->bone);
    const Vec3 shift = translation(best.body.reference.world[a]) - translation(on_floor[side].body.reference.world[a]);
    for (std::size_t b = 0; b < best.body.parent.size(); ++b)
      for (int above = static_cast<int>(b); above >= 0; above = best.body.parent[static_cast<std::size_t>(above)])
        if (above == ankle->bone) {
          best.body.reference.world[b] = on_floor[side].body.reference.world[b];
          translation(best.body.reference.world[b]) += shift;
        }
  }
  return best;
}

/// The body stands above the origin, at the height that it has.
SourceBody centred(SourceBody source) {
  if (!source.body.found()) return source;
  Vec3 at = translation(source.body.reference.world[static_cast<std::size_t>(source.body.find(hips)->bone)]);
  at.y() = 0;
  for (Affine& each : source.body.reference.world) translation(each) -= at;
  return source;
}

/// Bones of limbs by their names, whose ends are at one place.
void refuse_flat(const Character& source) {
  constexpr std::pair<BodyRole, BodyRole> kBones[] = {
      {upper_arm, forearm}, {forearm, hand}, {thigh, shin}, {shin, foot}};
  const std::vector<Affine> world = reference_pose(source).world;
  double size = 0;
  for (const Affine& each : world) size = std::max(size, (translation(each) - translation(world.front())).norm());
  for (std::size_t b = 0; b < source.bones.size(); ++b) {
    const int parent = source.bones[b].parent;
    if (parent < 0) continue;
    const auto above = static_cast<std::size_t>(parent);
    if ((translation(world[b]) - translation(world[above])).norm() > 1e-6 * size) continue;
    for (const auto& [near, far] : kBones)
      if (name_evidence(source.bones[above].name, near) >= 0.7 && name_evidence(source.bones[b].name, far) >= 0.95)
        throw Error({.file = source.name,
                     .element = "bone \"" + source.bones[above].name + "\"",
                     .value = "0",
                     .problem = "has no length: \"" + source.bones[b].name + "\" is at the same place",
                     .remedy = "mend the skeleton"});
  }
}

}  // namespace

Vec3 body_line(const BodyJoints& body, BodyRole role) {
  const BodyJoint *left = body.find(role, 'l'), *right = body.find(role, 'r');
  if (left == nullptr || right == nullptr) return body.left;
  Vec3 line = translation(body.reference.world[static_cast<std::size_t>(left->bone)]) -
              translation(body.reference.world[static_cast<std::size_t>(right->bone)]);
  line.y() = 0;
  return line.norm() > 0 ? Vec3(line.normalized()) : body.left;
}

SourceBody find_source_body(const Character& source, const Animation* clip, double reference_time) {
  refuse_flat(source);
  SourceBody own = body_of_file(source);
  if (clip == nullptr || (reference_time < 0 && own.standing >= kStands)) return own;
  if (reference_time >= 0) {
    for (const Mat3& R : ways_up()) {
      SourceBody there = body_in(source, clip_pose(source, *clip, reference_time), R);
      there.reference_time = reference_time;
      if (there.body.found()) {
        set_left(there.body);
        return centred(std::move(there));
      }
    }
    if (!own.body.found()) own = best_of_clip(source, *clip, own);
    return own.body.found() ? centred(body_at(source, *clip, reference_time, own)) : own;
  }
  const SourceBody moving = best_of_clip(source, *clip, own);
  if (moving.standing > own.standing + kBetter && moving.standing >= kLeast) return centred(moving);
  return own;
}

}  // namespace rigspace
