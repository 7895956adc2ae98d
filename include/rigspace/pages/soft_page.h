#pragma once
// The proof of a simulation as one self-contained HTML page: before and after side by side, sliders for how much of
// each part, the deviation's curves, the seam of loops, a video. Opens from disk, needs no network.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A distance of the two clips that is known already, at even times from the first to the last of the pair.
struct SoftPageCurve {
  std::string name;
  std::vector<double> percent;  ///< of the character's size
};

/// The amount of a part in the recipe, as `rerun --set PART.amount=VALUE` sets it.
struct SoftPageAmount {
  std::string part;                ///< its name in the recipe
  double amount = 1;               ///< as it is set for the clip
  std::vector<double> key_times;   ///< s of the clip, where the amount is keyed; empty: `amount` holds
  std::vector<double> key_values;  ///< one for each time
  std::string interpolation;       ///< of the keys, as --set names it; empty: smooth
  bool clip_only = false;          ///< set for this clip alone
};

/// What moves by itself: one entry of the page's list.
struct SoftPagePart {
  std::string name;
  std::string preset;               ///< one word
  std::vector<std::string> nodes;   ///< joints, root first, named as the rig names nodes; unknown ones are left out
  std::vector<std::string> morphs;  ///< morph controls, "<mesh node>:<morph>"
  std::string summary;              ///< a sentence for people; may be empty
  std::vector<SoftPageCurve> curves = {};
  /// Morph controls that the part moves as well, with the same curves as those of `morphs`: not drawn.
  std::vector<std::string> more_morphs = {};
  std::vector<SoftPageAmount> amounts = {};  ///< that the part's slider scales; empty: it has no slider
};

/// The largest deviation of a point of the skin in a clip.
struct SoftPageLargest {
  double percent = 0;  ///< of the height: the largest extent of the artist's pose at the clip's start
  double at = 0;       ///< s
};

/// Two clips of one file, of one length: the artist's, and the same with soft parts.
struct SoftPair {
  std::string base, soft;           ///< names of clips
  bool loop = false;                ///< the end meets the start: the curves go on past both
  std::vector<SoftPagePart> parts;  ///< in the order of the list
  std::string why = {};             ///< the rule that decided whether it loops, after "since"; may be empty
  double period =
      0;  ///< s, of a loop: a frame more than the clip where the file leaves out the closing frame; 0: unknown
  /// Of a loop before it was closed: its end against its start, percent of the largest deviation.
  std::optional<double> gap = {};
  std::optional<SoftPageLargest> largest = {};  ///< the page opens on the clip where this is largest
};

struct SoftPageOptions {
  std::string title;               ///< plain text, UTF-8: usually the file's name
  std::vector<SoftPair> pairs;     ///< at least one; shown first: the largest deviation, else the first
  std::vector<std::string> notes;  ///< sentences for people, shown beneath the parts
  std::string base_label = "before", soft_label = "after";  ///< what the two sides are called, plain text
  /// The shell command that repeats the run, to which the page adds --set; empty: it cannot be repeated.
  std::string rerun = {};
};

/// The page for a binary glTF file that holds both clips of every pair. The bytes go into it as they are; what they
/// hold is checked when it opens, so read them with the library first. At amount k it shows base + k (soft - base),
/// rotations as R_base exp(k log(R_base^-1 R_soft)). Throws Error where they are no GLB, where there is no pair, and
/// where the program was built without the page.
std::string soft_page(std::span<const std::byte> glb, const SoftPageOptions& options);

}  // namespace rigspace
