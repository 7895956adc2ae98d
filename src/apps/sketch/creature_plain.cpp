// A creature as joints and linear skins: what every engine plays.

#include "rigspace/anim/bake.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/apps/sketch/individual.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace rigspace {
namespace creature_plain {
namespace {

constexpr double kAlive = 2.4;  // seconds of the clip that plays all parts
constexpr const char* kFitted = "fitted";

/// The clip with keys for every control that the fit has moved and the clip does not: it plays on the fitted part.
Animation on_the_fit(Animation clip, const Rig& rig, const Vec& p) {
  const Sampler sampler(clip, rig.controls());
  const Vec rest = rig.rest();
  for (int c = 0; c < p.size(); ++c) {
    const bool animated = std::binary_search(sampler.animated().begin(), sampler.animated().end(), c);
    if (p[c] == rest[c] || animated || rig.controls()[c].unit == Unit::quaternion) continue;
    Track track{.control = rig.controls()[c].name};
    track.curve.times = {0}, track.curve.values = {p[c]};
    clip.tracks.push_back(std::move(track));
  }
  return clip;
}

/// `times` over, so that it takes `duration`.
Animation repeated(const Animation& clip, int times, double duration) {
  Animation longer{.name = clip.name, .duration = duration};
  const double pace = duration / (times * clip.duration);
  const auto unroll = [&](const auto& keys, auto& to) {
    for (int turn = 0; turn < times; ++turn)
      for (std::size_t i = turn == 0 ? 0 : 1; i < keys.times.size(); ++i) {
        to.times.push_back(pace * (turn * clip.duration + keys.times[i]));
        to.values.push_back(keys.values[i]);
      }
  };
  for (const Track& track : clip.tracks) {
    Track made{.control = track.control};
    made.curve.interpolation = track.curve.interpolation;
    unroll(track.curve, made.curve);
    longer.tracks.push_back(std::move(made));
  }
  for (const RotationTrack& track : clip.rotations) {
    RotationTrack made{.node = track.node, .interpolation = track.interpolation};
    unroll(track, made);
    longer.rotations.push_back(std::move(made));
  }
  return longer;
}

/// All nodes that skins hang on as bones, each with a name of its own: what carries flesh is called as its joint is.
void name_all_joints(Character& character) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  for (const auto& deformer : rig.deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (const int slot : skin->joint_slots)
        if (std::none_of(character.bones.begin(), character.bones.end(), [&](const Bone& b) { return b.slot == slot; }))
          character.bones.push_back({.name = "skin_" + std::to_string(character.bones.size()), .slot = slot});
  std::set<std::string> names;
  for (Bone& bone : character.bones)
    while (!names.insert(bone.name).second) bone.name += "_";
}

class Merger {
 public:
  Merger(std::span<const CreaturePart> database, std::span<const FittedPart> parts)
      : database_(database), parts_(parts), worlds_(parts.size()), first_bone_(parts.size(), -1) {}

  Character merged(std::string name) {
    whole_.name = std::move(name);
    Animation alive{.name = "Alive", .duration = kAlive};
    std::vector<Animation> own;
    // Carriers first: the others hang on their bones.
    for (const bool carried : {false, true})
      for (std::size_t k = 0; k < parts_.size(); ++k)
        if ((parts_[k].carrier >= 0) == carried) add(static_cast<int>(k), alive, own);
    whole_.rig = std::make_shared<BuiltInRig>(graph_, Eigen::Map<const Vec>(points_.data(), std::ssize(points_)),
                                              std::move(deformers_));
    whole_.clips.push_back(std::move(alive));
    for (Animation& clip : own) whole_.clips.push_back(std::move(clip));
    return std::move(whole_);
  }

 private:
  std::string numbered(int part, const std::string& name) const { return std::to_string(part) + "." + name; }

  void add(int number, Animation& alive, std::vector<Animation>& own) {
    const FittedPart& fitted = parts_[number];
    Character from = database_[fitted.part].character;
    const Rig& rig = *from.rig;
    name_all_joints(from);
    for (Animation& clip : from.clips) clip = on_the_fit(std::move(clip), rig, fitted.p);
    from.clips.push_back(on_the_fit({.name = kFitted}, rig, fitted.p));
    const Plain plain = plain_character(from);
    if (plain.shapes > 0)
      throw Error({.element = "part \"" + database_[fitted.part].name + "\"",
                   .problem = "moves by more than joints",
                   .remedy = "save it as a rig file"});
    const Vec p = pose_at(plain.character, plain.character.clip(kFitted), 0);
    add_bones(number, plain.character, p);
    add_skins(number, plain.character);
    for (const Animation& clip : plain.character.clips) {
      if (clip.name == kFitted) continue;
      Animation named = moving(number, clip, plain.character, p);
      if (&clip == &plain.character.clips.front() && clip.duration > 0) {
        const int turns = std::max(1, static_cast<int>(std::lround(kAlive / clip.duration)));
        const Animation longer = repeated(named, turns, kAlive);
        alive.tracks.insert(alive.tracks.end(), longer.tracks.begin(), longer.tracks.end());
        alive.rotations.insert(alive.rotations.end(), longer.rotations.begin(), longer.rotations.end());
      }
      own.push_back(std::move(named));
    }
  }

  /// Roots hang on nodes "2.place" and "2.turn", which take the part's own space onto the carrier's bone.
  void add_bones(int number, const Character& plain, const Vec& p) {
    const FittedPart& fitted = parts_[number];
    int root = -1;
    if (fitted.carrier >= 0) {
      // A stretched bone's space has shears, which no node undoes but two do: U S, and V^T below it.
      const Affine back = inverse(worlds_[fitted.carrier][static_cast<std::size_t>(fitted.carrier_bone)]);
      const Eigen::JacobiSVD<Mat3> svd(Mat3(linear(back)), Eigen::ComputeFullU | Eigen::ComputeFullV);
      const double side = svd.matrixU().determinant();  // both are made rotations
      const Mat3 U = side * svd.matrixU(), Vt = side * svd.matrixV().transpose();
      const auto hang = [&](const char* name, int slot, int parent, NodeDescription node) {
        node.name = numbered(number, name), node.parent_slot = slot;
        root = add_node(*graph_, node);
        whole_.bones.push_back({.name = node.name, .parent = parent, .slot = root});
      };
      hang("place", slot_of(fitted.carrier, fitted.carrier_bone), first_bone_[fitted.carrier] + fitted.carrier_bone,
           {.translation = translation(back), .rotation = Quat(U), .scale = svd.singularValues()});
      hang("turn", root, static_cast<int>(whole_.bones.size()) - 1, {.rotation = Quat(Vt)});
    }
    const int above = static_cast<int>(whole_.bones.size()) - (root >= 0 ? 1 : 0);
    first_bone_[number] = static_cast<int>(whole_.bones.size());
    const auto& rig = dynamic_cast<const BuiltInRig&>(*plain.rig);
    for (const Bone& bone : plain.bones) {
      const int c = rig.find(bone.name + ".tx");
      const Quat turn(p[c + 6], p[c + 3], p[c + 4], p[c + 5]);
      const NodeDescription node{.name = numbered(number, bone.name),
                                 .parent_slot = bone.parent >= 0 ? slot_of(number, bone.parent) : root,
                                 .translation = p.segment<3>(c),
                                 .rotation = turn.normalized(),
                                 .scale = p.segment<3>(c + 10)};
      Affine local;
      linear(local) = node.rotation.toRotationMatrix() * node.scale.asDiagonal();
      local.col(3) = node.translation;
      worlds_[number].push_back(
          bone.parent >= 0 ? compose(worlds_[number][static_cast<std::size_t>(bone.parent)], local) : local);
      const int parent = bone.parent >= 0 ? first_bone_[number] + bone.parent : (root >= 0 ? above : -1);
      whole_.bones.push_back({.name = node.name, .parent = parent, .slot = add_node(*graph_, node)});
    }
  }

  int slot_of(int number, int bone) const {
    return whole_.bones[static_cast<std::size_t>(first_bone_[number] + bone)].slot;
  }

  void add_skins(int number, const Character& plain) {
    const auto& rig = dynamic_cast<const BuiltInRig&>(*plain.rig);
    const int first = static_cast<int>(points_.size() / 3);
    std::map<int, int> slots;
    for (std::size_t b = 0; b < plain.bones.size(); ++b)
      slots[plain.bones[b].slot] = slot_of(number, static_cast<int>(b));
    for (const auto& deformer : rig.deformers()) {
      SkinDescription skin = *skin_description(*deformer);
      skin.first_point += first;
      for (int& slot : skin.joint_slots) slot = slots.at(slot);
      deformers_.push_back(make_linear_blend_skin(skin));
    }
    points_.insert(points_.end(), rig.points_rest().begin(), rig.points_rest().end());
    const int material = static_cast<int>(whole_.materials.size()), image = static_cast<int>(whole_.images.size());
    for (SurfaceMaterial each : plain.materials) {
      if (each.image >= 0) each.image += image;
      whole_.materials.push_back(std::move(each));
    }
    whole_.images.insert(whole_.images.end(), plain.images.begin(), plain.images.end());
    for (Piece piece : plain.pieces) {
      piece.name = numbered(number, piece.name);
      piece.first_point += first;
      for (auto& triangle : piece.triangles)
        for (int& v : triangle) v += first;
      if (piece.material >= 0) piece.material += material;
      whole_.pieces.push_back(std::move(piece));
    }
  }

  /// Of a part's clip what leaves the fitted pose, under the creature's names.
  Animation moving(int number, const Animation& clip, const Character& plain, const Vec& p) const {
    Animation named{.name = numbered(number, clip.name), .duration = clip.duration};
    for (Track track : clip.tracks) {
      const double value = p[plain.rig->find(track.control)];
      if (std::all_of(track.curve.values.begin(), track.curve.values.end(),
                      [&](double each) { return std::abs(each - value) < 1e-7 * std::max(1.0, std::abs(value)); }))
        continue;
      track.control = numbered(number, track.control);
      named.tracks.push_back(std::move(track));
    }
    for (RotationTrack track : clip.rotations) {
      const int c = plain.rig->find(track.node + ".qx");
      const Vec4 value = p.segment<4>(c);
      if (std::all_of(track.values.begin(), track.values.end(), [&](const Vec4& each) {
            return 1 - std::abs(each.normalized().dot(value.normalized())) < 1e-12;
          }))
        continue;
      track.node = numbered(number, track.node);
      named.rotations.push_back(std::move(track));
    }
    return named;
  }

  std::span<const CreaturePart> database_;
  std::span<const FittedPart> parts_;
  std::vector<std::vector<Affine>> worlds_;  // of each part's bones in its own space, as it was fitted
  std::vector<int> first_bone_;              // of each part, into whole_.bones
  std::shared_ptr<ControlGraph> graph_ = std::make_shared<ControlGraph>();
  std::vector<double> points_;
  std::vector<std::shared_ptr<const Deformer>> deformers_;
  Character whole_;
};

}  // namespace
}  // namespace creature_plain

Character Creature::plain(std::string name) const {
  return creature_plain::Merger(database_, parts_).merged(std::move(name));
}

}  // namespace rigspace
