#pragma once
// The proof of a simulation as one self-contained HTML page: before and after side by side, a slider for how much, and
// the deviation's curves beneath. Opens from disk, asks the network for nothing.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A distance of the two clips that is known already, at even times from the first to the last of the pair.
struct SoftPageCurve {
  std::string name;
  std::vector<double> percent;  ///< of the character's size
};

/// What moves by itself: one entry of the page's list.
struct SoftPagePart {
  std::string name;
  std::string preset;               ///< one word
  std::vector<std::string> nodes;   ///< joints, root first, named as the rig names nodes; unknown ones are left out
  std::vector<std::string> morphs;  ///< morph controls, "<mesh node>:<morph>"
  std::string summary;              ///< a sentence for people; may be empty
  std::vector<SoftPageCurve> curves = {};
};

/// Two clips of one file, of one length: the artist's, and the same with soft parts.
struct SoftPair {
  std::string base, soft;           ///< names of clips
  bool loop = false;                ///< the end meets the start: the curves go on past both
  std::vector<SoftPagePart> parts;  ///< in the order of the list
};

struct SoftPageOptions {
  std::string title;                                        ///< plain text, UTF-8: usually the file's name
  std::vector<SoftPair> pairs;                              ///< at least one; the first is shown first
  std::vector<std::string> notes;                           ///< sentences for people, shown beneath the parts
  std::string base_label = "before", soft_label = "after";  ///< what the two sides are called, plain text
};

/// The page for a binary glTF file that holds both clips of every pair. The bytes go into it as they are; what they
/// hold is checked when it opens, so read them with the library first. At amount k it shows base + k (soft - base),
/// rotations as R_base exp(k log(R_base^-1 R_soft)). Throws Error where they are no GLB, where there is no pair, and
/// where the program was built without the page.
std::string soft_page(std::span<const std::byte> glb, const SoftPageOptions& options);

}  // namespace rigspace
