#pragma once
// The full-body IK of the open character (IRM figure 4): its effectors, and the inverse of its rig that follows them.
// Used by one thread at a time.

#include "rigspace/apps/inverse/full_body_ik.h"
#include "rigspace/apps/physics/live_character.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rigspace::studio {

struct BodyEffector {
  std::string name;   ///< the part of the body: "left hand"
  std::string joint;  ///< the bone
};

class FullBody {
 public:
  /// With the model that `inverse train` left beside the file (hero.inverse of hero.glb), else one that is learned from
  /// the character's clips, or without clips from turns of its joints. Takes a second or two. Throws Error for
  /// characters that are no bodies on two legs.
  FullBody(std::shared_ptr<const LiveCharacter> character, const std::filesystem::path& file,
           const ProgressCallback& progress);

  const std::vector<BodyEffector>& effectors() const { return effectors_; }
  const std::string& model_words() const { return words_; }  ///< where the model came from
  const std::string& remark() const { return remark_; }      ///< why the file's own model is not used; empty: it is

  /// The pose from which effectors are dragged: all controls of the artist's character.
  void begin(In seen, const std::vector<bool>& pinned);

  struct Solve {
    Vec added;            ///< to the controls of `seen`; orientations as rotation vectors on top of keyed ones
    double residual = 0;  ///< of the worst pinned or dragged effector, share of the size
    double ms = 0;
  };
  Solve drag(int effector, const Vec3& target);

 private:
  std::shared_ptr<const LiveCharacter> live_;
  std::vector<BodyEffector> effectors_;
  std::string words_, remark_;
  std::unique_ptr<InverseModel> model_;
  std::unique_ptr<FullBodyIk> ik_;
  Vec seen_;
};

}  // namespace rigspace::studio
