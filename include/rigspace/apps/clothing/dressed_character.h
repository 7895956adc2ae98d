#pragma once
// A garment on a character, ready to be simulated over its clips, trained and written: what the command line, Python
// and other fronts call.

#include "rigspace/anim/character.h"
#include "rigspace/anim/worn_piece.h"
#include "rigspace/apps/clothing/hung_sheet.h"
#include "rigspace/apps/clothing/relax_garment.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/apps/clothing/worn_skin.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct DressOptions {
  double unit = 0;           ///< metres per unit of the character; 0: guessed
  double scale = 1;          ///< of a garment from a file, about the origin, and then
  Vec3 move = Vec3::Zero();  ///< scene units: brings it onto the body
  /// m: points of the garment within such a band below its top are held by the body; 0: none. Below 0: of a piece that
  /// follows one bone (hung_sheet.h) the end by which it hangs, of other garments none.
  double attach = -1;
  /// m: the garment is simulated with edges no longer than this; 0: as it is. Below 0: a piece that follows one bone
  /// with about `kSheetPoints` points, others as they are. What comes out are the points as given.
  double refine = -1;
  double clearance = 0;  ///< m to the body before the start; 0: 1.5 contact distances
  bool relax = true;     ///< bring a garment that starts inside the body out of it; false: refuse it
  double lead = 0.8;     ///< s from the rest pose, in which garments are made, to the first pose of a clip; 0: the body
                         ///< begins in that pose, and the garment fits it
  std::vector<std::string> without = {};  ///< patterns of pieces that the garment does not meet: swords, hidden shields
  std::filesystem::path keep = {};        ///< a folder in which `simulate` keeps its frames: stopped, it goes on there
  ClothOptions cloth = {};

  static constexpr int kSheetPoints = 700;

  void validate() const;
};

class DressedCharacter {
 public:
  /// `garment`: an .obj file in the character's space, in its rest pose, or the name of a piece of the character. The
  /// character is referred to. Throws Error for a garment that cannot be one, or that is far from the body.
  DressedCharacter(const Character& character, const std::string& garment, const DressOptions& options = {},
                   const ProgressCallback& progress = {});

  const DressOptions& options() const { return options_; }
  const RelaxReport& freed() const { return freed_; }
  double unit() const { return unit_; }
  const Garment& garment() const { return garment_; }
  /// The same with what holds it over a clip, from `from` - lead on.
  Garment garment(const Animation* clip, double from) const;
  /// Whether it hangs on one bone.
  const std::optional<HungSheet>& sheet() const { return sheet_; }
  /// content_hash of mesh, rest shape and material: what a database belongs to.
  std::string garment_hash() const;
  /// Whether contact of the garment with itself is on: not where it passes through itself already.
  bool self_contact() const { return options_.cloth.contact.self; }

  /// The garment over a clip (null: at rest), after the lead that brings it there; times are those of the clip. With a
  /// database in few directions, which needs a skinned character. `DressOptions::keep` is where frames are kept.
  ClothMotion simulate(const Animation* clip, const ClothClip& times, const ProgressCallback& progress = {},
                       std::shared_ptr<const PoseSpaceDatabase> database = {},
                       const SubspaceOptions& subspace = {}) const;

  /// A whole clip as it is played: a loop (decide_play) turns until the cloth has settled, and its last quarter is
  /// blended into the turn before, so that its last frame is its first (but for the travel of the root). Other clips as
  /// by simulate.
  ClothMotion play(const Animation& clip, double rate, const ProgressCallback& progress = {},
                   std::shared_ptr<const PoseSpaceDatabase> database = {}, const SubspaceOptions& subspace = {}) const;

  /// The body over a clip, from `from` - lead on.
  ClothBody body(const Animation* clip, double from) const;
  /// What the garment needs to be reduced: see simulate.
  ClothReduction reduction(const Animation* clip, double from) const;

  /// Points of the garment as it was given, in scene units, of one frame.
  Vec as_given(In frame) const;
  /// The piece of the character that the garment is, and takes the place of, by name or as it lies there; or null.
  const Piece* piece() const { return piece_ != nullptr ? piece_ : replaced_; }
  const std::vector<Triangle>& given_triangles() const { return triangles_; }
  /// The garment as a piece with joints: for with_worn_piece. In scene units, named `name`. A piece of the character
  /// keeps its look, its rest and, if it follows one bone, that alone.
  WornPiece worn_piece(const std::string& name) const;

 private:
  const KinematicReference& reference() const;  // made at its first use
  void leave_out_pieces();
  void hold_sheet();
  void hold_on_passed();
  void pass_through(const std::vector<Vec3>& places);
  std::string frames_key(const Animation* clip, const ClothClip& times, const ClothBody& moving, bool reduced) const;

  const Character& character_;
  DressOptions options_;
  std::string name_;                  // of the garment, for messages
  std::vector<std::string> without_;  // pieces that are no body: the garment itself
  const Piece* piece_ = nullptr;      // of the character, that is the garment
  const Piece* replaced_ = nullptr;   // of the character, that a garment from a file is too
  std::optional<HungSheet> sheet_;
  std::vector<char> passed_;  // of each point of the rig: it is no body for the garment
  double unit_ = 1;
  Garment garment_;
  std::vector<int> weld_;            // of each point as given, the point of the garment
  std::vector<Triangle> triangles_;  // as given
  RelaxReport freed_;
  mutable std::shared_ptr<const WornSkin> skin_;
  mutable std::optional<KinematicReference> reference_;
};

struct TrainClothOptions {
  double fps = 24;
  int every = 1;  ///< frames: the database learns from every so manieth
  DatabaseOptions database = {};
};

/// A clip over which the garment was simulated with all points, after the lead that brings it there.
struct TrainedClip {
  const Animation* clip;
  int frames;
  std::function<double(int frame, Vec& x)> read;  ///< the points, metres; returns the seconds of the clip
};

/// What the garment did in these clips, by pose. Frames are read twice.
PoseSpaceDatabase make_cloth_database(const DressedCharacter& dressed, std::span<const TrainedClip> clips,
                                      const TrainClothOptions& options = {}, const ProgressCallback& progress = {});

/// Simulates all clips with all points and gathers what the garment did. Every frame is kept in `folder` as soon as it
/// is done: a run that was stopped, even by kill -9, goes on there and comes to the same bits. The folder may be
/// removed afterwards. Throws Cancelled.
PoseSpaceDatabase train_cloth(const DressedCharacter& dressed, const std::vector<const Animation*>& clips,
                              const std::filesystem::path& folder, const TrainClothOptions& options = {},
                              const ProgressCallback& progress = {});

}  // namespace rigspace
