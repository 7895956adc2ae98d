#pragma once
// The layer of the artist's corrections, on top of the simulated one. Of three layers a run replaces only the middle:
//
//   Walk_soft = artist + influence * soft + fix
//
// Translations and weights are added; on rx ry rz of a node both act on the rotation vector r of R = R_key exp(r). The
// corrections of a character are a small file, which `simulate --fix` reads (docs/curves-editing.md); a recipe has
// those of each clip.

#include "rigspace/anim/animation.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// The corrections of one clip.
struct ClipFix {
  double influence = 1;  ///< 0..1, of the simulated layer
  bool mute = false;     ///< the simulated layer counts as without influence
  /// Added curves of cubic keys (Interpolation::hermite) by control, each control once; s of the clip, values in
  /// degrees of angles, otherwise in the control's own unit; held outside of their keys.
  std::vector<Track> tracks = {};

  bool empty() const { return influence == 1 && !mute && tracks.empty(); }
  double weight() const { return mute ? 0 : influence; }  ///< of the simulated layer
  /// The curve of a control; null if there is none.
  const Curve* curve_of(std::string_view control) const;
  /// Puts a curve in the place of the one that the control had; one without keys takes that away.
  void set(std::string_view control, Curve curve);
};

/// What a file of corrections holds, in its order.
struct FixFile {
  struct Clip {
    std::string clip;  ///< the artist's clip, as --clip names it; a pattern may mean several
    ClipFix fix;
  };
  std::string name = {};  ///< of the file, in messages
  std::vector<Clip> clips = {};
};

/// Throws Error with file, line and field.
FixFile read_fix(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
FixFile parse_fix(std::string_view text, const std::string& name);
/// Readable JSON, a key a line; reads back as the same bits. Clips without corrections are left out.
std::string fix_text(const FixFile& file);

/// The corrections of each of these clips, in their order. Throws Error if an entry means no clip of them and none of
/// `others`, which are clips that are not simulated now, or if two mean the same clip.
std::vector<ClipFix> fixes_of(const FixFile& file, std::span<const std::string> clips,
                              std::span<const std::string> others = {});

/// Throws Error, naming the nearest control, if the rig lacks a control or it is a component of a quaternion, and if a
/// key lies outside of the clip, which begins at 0 and lasts `duration` seconds, by more than a frame. `file` and
/// `clip` stand in messages.
struct FixPlace {
  std::string file, clip;
  double duration = 0, frame_rate = 0;
};
void check_fix(const ClipFix& fix, std::span<const Control> controls, const FixPlace& place);

}  // namespace rigspace
