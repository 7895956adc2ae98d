#include "creature_rig.h"

#include "rigspace/base/affine.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {
namespace {

/// The rigs of parts side by side; a part that is carried moves as its carrier's bone does from where the two were
/// fitted. Rests as it was drawn.
class CreatureRig final : public Rig {
 public:
  CreatureRig(std::span<const CreaturePart> database, std::span<const FittedPart> parts) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Character& character = database[parts[k].part].character;
      Member member{.rig = std::dynamic_pointer_cast<const BuiltInRig>(character.rig),
                    .first_control = static_cast<int>(controls_.size()),
                    .first_point = points_,
                    .carrier = parts[k].carrier,
                    .slot = -1,
                    .from_fit = Affine::Identity()};
      for (std::size_t c = 0; c < member.rig->controls().size(); ++c) {
        Control control = member.rig->controls()[c];
        control.name = std::to_string(k) + "." + control.name;
        control.node = std::to_string(k) + "." + control.node;
        control.rest = parts[k].p[static_cast<Eigen::Index>(c)];
        control.min = std::min(control.min, control.rest);
        control.max = std::max(control.max, control.rest);
        controls_.push_back(std::move(control));
      }
      points_ += member.rig->point_count();
      members_.push_back(std::move(member));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].carrier < 0) continue;
      const FittedPart& carrier = parts[parts[k].carrier];
      const Character& character = database[carrier.part].character;
      members_[k].slot = character.bones[parts[k].carrier_bone].slot;
      members_[k].from_fit = inverse(bone_of(members_[k], carrier.p));
    }
  }

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return points_; }

  void evaluate(Workspace&, In p, Vec& s) const override {
    s.resize(3 * points_);
    Vec own;
    for (const Member& member : members_) {
      const auto workspace = member.rig->make_workspace();
      member.rig->evaluate(*workspace, controls_of(member, p), own);
      if (member.carrier >= 0) {
        const Affine move = compose(bone_of(member, controls_of(members_[member.carrier], p)), member.from_fit);
        for (int v = 0; v < member.rig->point_count(); ++v) own.segment<3>(3 * v) = apply(move, own.segment<3>(3 * v));
      }
      s.segment(3 * member.first_point, own.size()) = own;
    }
  }

 private:
  struct Member {
    std::shared_ptr<const BuiltInRig> rig;
    int first_control, first_point, carrier, slot;
    Affine from_fit;
  };

  static Vec controls_of(const Member& member, In p) {
    return p.segment(member.first_control, static_cast<Eigen::Index>(member.rig->controls().size()));
  }
  Affine bone_of(const Member& member, In carrier_p) const {
    const BuiltInRig& rig = *members_[member.carrier].rig;
    Vec u;
    rig.evaluate_slots(*rig.make_workspace(), carrier_p, u);
    return transform_at(u, rig.graph().slots()[member.slot]);
  }

  std::vector<Control> controls_;
  std::vector<Member> members_;
  int points_ = 0;
};

/// The first clip of every part, each a whole number of times.
Animation alive(std::span<const CreaturePart> database, std::span<const FittedPart> parts) {
  constexpr double kDuration = 2.4;  // seconds
  Animation clip{.name = "Alive", .duration = kDuration, .tracks = {}, .rotations = {}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Character& character = database[parts[k].part].character;
    if (character.clips.empty()) continue;
    const Animation& own = character.clips.front();
    const int turns = std::max(1, static_cast<int>(std::lround(kDuration / own.duration)));
    const double pace = kDuration / (turns * own.duration);
    for (const RotationTrack& track : own.rotations) {
      RotationTrack longer{.node = std::to_string(k) + "." + track.node,
                           .interpolation = track.interpolation,
                           .times = {},
                           .values = {},
                           .in_tangents = {},
                           .out_tangents = {}};
      for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t i = turn == 0 ? 0 : 1; i < track.times.size(); ++i) {
          longer.times.push_back(pace * (turn * own.duration + track.times[i]));
          longer.values.push_back(track.values[i]);
        }
      }
      clip.rotations.push_back(std::move(longer));
    }
  }
  return clip;
}

}  // namespace

Character whole_creature(std::string name, std::span<const CreaturePart> database, std::span<const FittedPart> parts) {
  Character whole;
  whole.name = std::move(name);
  whole.rig = std::make_shared<CreatureRig>(database, parts);
  int first = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Character& own = database[parts[k].part].character;
    const int material = static_cast<int>(whole.materials.size());
    whole.materials.insert(whole.materials.end(), own.materials.begin(), own.materials.end());
    for (Piece piece : own.pieces) {
      piece.name = std::to_string(k) + "." + piece.name;
      piece.first_point += first;
      for (auto& triangle : piece.triangles) {
        for (int& v : triangle) v += first;
      }
      if (piece.material >= 0) piece.material += material;
      piece.rest_normals.clear();  // of the part before it was fitted
      whole.pieces.push_back(std::move(piece));
    }
    first += own.rig->point_count();
  }
  whole.clips = {alive(database, parts)};
  return whole;
}

}  // namespace rigspace
