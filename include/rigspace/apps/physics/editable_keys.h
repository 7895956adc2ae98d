#pragma once
// The simulated layer as few cubic keys that an artist can drag, and what was dragged as corrections (clip_fix.h).
//
//   const EditableKeys editable(run.character(), run.recipe());                     // once a run
//   const Track track = editable.keys(clip, {"tail_02.rx"}, 0.002)[0];              // within 0.2 % of the height
//   Curve edited = track.curve;  edited.values[3] += 5;                             // degrees
//   clip.fix.set("tail_02.rx", fix_from_edit(clip, track.curve, edited));
//   const Curve shown = edited_keys(track.curve, clip.fix.curve_of("tail_02.rx"));  // `edited` again

#include "rigspace/anim/character.h"
#include "rigspace/apps/physics/recipe.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// How far each control of the simulated layer moves the skin, from which the tolerances of its curves follow.
class EditableKeys {
 public:
  /// `simulated`: the character with its soft joints, as SimulatedCharacter::character gives it. Evaluates the rig's
  /// Jacobian once, at rest, for the controls of all clips that have motion.
  EditableKeys(const Character& simulated, const Recipe& recipe);

  /// The deviations of a clip with motion, one curve for each of these controls, in degrees or the control's unit, keys
  /// on frames with the values of these frames (fit_curve). If all controls of the layer err by as much as they may, at
  /// once and in one direction, the skin is off by `tolerance` of the height; so the keys of a control do not depend on
  /// which others are asked for. On a loop the last key is the first, a period later, with its value and slope. A
  /// control that the layer does not move has two keys of zero. Throws Error if the tolerance is not positive.
  std::vector<Track> keys(const RecipeClip& clip, std::span<const std::string> controls, double tolerance) const;

  /// What a curve of this control may be off, in degrees or its unit, for a tolerance that is a share of the height.
  double allowed(const std::string& control, double tolerance) const;
  double height() const { return height_; }  ///< of the rest pose, scene units (rest_height)

 private:
  double height_ = 0;
  std::map<std::string, double, std::less<>> allowed_;  // by control, for a tolerance of 1; infinite if no skin moves
};

/// What an edit of these keys adds, as corrections hold it (edit_of_keys): on a loop its ends stay one key.
Curve fix_from_edit(const RecipeClip& clip, const Curve& keys, const Curve& edited);
/// Keys of the simulated layer with the corrections on them: those that an editor shows. `fix`: null if there are none.
Curve edited_keys(const Curve& keys, const Curve* fix);

}  // namespace rigspace
