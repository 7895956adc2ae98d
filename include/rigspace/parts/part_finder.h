#pragma once
// Chooses the parts of a character that get secondary motion by default, with the evidence for and against each.

#include "rigspace/parts/part.h"

#include <string>
#include <vector>

namespace rigspace {

/// A chain of joints, a sheet or a region of flesh that was examined.
struct PartCandidate {
  Part part;  ///< with its reason, one sentence, where it is chosen
  bool chosen = false;
  double score = 0;                        ///< 0..1: chosen above 0.5; 0: never chosen by default
  std::vector<std::string> reasons_for{};  ///< half a sentence each
  std::vector<std::string> reasons_against{};
  int twin = -1;  ///< into the candidates: its mirror image, chosen with it or not at all
};

/// The result of the search.
struct PartSearch {
  std::vector<PartCandidate> candidates;  ///< chosen ones first, then by score
  std::string body;                       ///< "a body on four legs"
  /// One sentence where the choice is not plain: the motion is gentle since nothing obvious was found, or nothing
  /// moves and why; and one for each garment on several bones (Drape). Empty otherwise.
  std::string remark;
  bool movable = false;  ///< the character has joints with skin, or morphs, so that a part can be named
};

/// The evidence: names in many spellings and languages; mirrored pairs; contact with the ground over the clips; what
/// the clips key; topology; how rigid the weights are; separate shells; names of materials. Limbs, heads, necks, hands,
/// faces, wheels and props are never chosen. Chosen parts have no joint in common; pairs stay together; at most six,
/// where three chains and more of one word (tentacles, panels of a skirt) count as two, and at most 24 chains.
PartSearch find_part_candidates(const Character& character);

/// The argument of --part that names these joints, as `tail*,sting=tail`. It matches other joints only where their
/// names leave no choice.
std::string part_pattern(const Character& character, const Part& part);

/// Per point of the rig: the sum of its skin weights on these bones, 0..1.
Vec share_of_skin(const Character& character, std::span<const int> bones);

}  // namespace rigspace
