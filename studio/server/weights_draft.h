#pragma once
// Skin weights while they are made: those of the open file, and a draft in their place, with undo. Panel weights.cpp
// has the commands.

#include "rigspace/anim/skin_part.h"
#include "rigspace/apps/physics/live_character.h"
#include "rigspace/geometry/mirror_plane.h"
#include "rigspace/rig/weight_brush.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rigspace::studio {

/// What the draft is on: the skins of a character, and what a brush needs. Immutable.
class WeightsBody {
 public:
  /// Throws Error if the character has no skin of two joints.
  explicit WeightsBody(std::shared_ptr<const LiveCharacter> live);

  const Character& character() const { return live_->artists(); }
  const std::vector<SkinPart>& parts() const { return parts_; }
  /// Joints of all skins, as indices into Character::bones, ascending.
  const std::vector<int>& joints() const { return joints_; }
  int joint_named(const std::string& name) const;  ///< into joints(); -1: none
  const std::optional<MirrorPlane>& mirror() const { return mirror_; }
  /// All points where mirror() is meant: at rest, or as they were bound where a character rests in a lopsided pose.
  const Vec& upright() const { return upright_; }

  /// Of a point of the rig: its part and its place there; -1: no skin moves it.
  std::pair<int, int> place_of(int point) const { return places_[static_cast<std::size_t>(point)]; }
  /// A joint of joints() as a part counts it; -1: the part has none such.
  int in_part(int joint, int part) const;
  int of_part(int joint, int part) const;
  /// Both of joints(): the one across the plane, itself where there is none.
  int twin_of(int joint) const { return twins_[static_cast<std::size_t>(joint)]; }
  const WeightBrush& brush(int part) const { return brushes_[static_cast<std::size_t>(part)]; }
  int point_count() const { return static_cast<int>(places_.size()); }

 private:
  void find_mirror();
  void find_twins(const std::vector<Vec3>& places);

  std::shared_ptr<const LiveCharacter> live_;
  std::vector<SkinPart> parts_;
  std::vector<WeightBrush> brushes_;
  std::vector<std::pair<int, int>> places_;
  std::vector<int> joints_, twins_;
  Vec rest_, upright_;
  std::optional<MirrorPlane> mirror_;
};

/// One list per point of a part, joints counted in the part.
using PartWeights = std::vector<std::vector<Influence>>;

/// How the draft came about, for the command line.
struct WeightsOrigin {
  std::string method;  ///< empty: the file's own
  int influences = 4, smoothing = 0;
  bool painted = false;
  bool operator==(const WeightsOrigin&) const = default;
};

class WeightsDraft {
 public:
  explicit WeightsDraft(std::shared_ptr<const WeightsBody> body);

  const WeightsBody& body() const { return *body_; }
  const std::shared_ptr<const WeightsBody>& shared_body() const { return body_; }
  const std::vector<PartWeights>& weights() const { return weights_; }
  const WeightsOrigin& origin() const { return origin_; }
  /// Counts changes; 0: as in the file.
  int version() const { return version_; }
  bool changed() const { return !undo_.empty(); }
  std::size_t undo_steps() const { return undo_.size(); }
  std::size_t redo_steps() const { return redo_.size(); }

  /// All weights anew, as one step.
  void replace(std::vector<PartWeights> weights, WeightsOrigin origin);
  /// What a hand does to points of the rig, in this order; `joint` of joints(). Strokes of one number are one step.
  /// Returns the points of the rig that changed, ascending.
  std::vector<int> paint(const Dab& dab, const std::vector<int>& points, bool mirrored, long stroke);
  /// Throw Error where there is nothing.
  void undo();
  void redo();

  /// The weights of a point of the rig, joints counted in joints().
  std::vector<Influence> at(int point) const;
  /// One list per point of the rig, joints counted in Character::bones.
  std::vector<std::vector<Influence>> of_bones() const;
  /// The character with the draft's weights.
  Character character() const;
  /// PROTOCOL.md, weights.bin.
  std::vector<std::byte> bytes() const;

 private:
  struct Step {
    std::map<int, std::vector<Influence>> lists;  // by point of the rig, as the part counts joints
    WeightsOrigin origin;
    long stroke = -1;
  };
  void swap(Step& step);
  std::vector<Influence>& list_of(int point);
  void touch_at(const Dab& dab, int point, int joint, std::vector<int>& changed);
  void record(Step step);

  std::shared_ptr<const WeightsBody> body_;
  std::vector<PartWeights> weights_;
  WeightsOrigin origin_;
  int version_ = 0;
  std::vector<Step> undo_, redo_;
};

/// Any weights of a body as weights.bin has them.
std::vector<std::byte> weights_bytes(const WeightsBody& body, const std::vector<PartWeights>& weights, int version);

}  // namespace rigspace::studio
