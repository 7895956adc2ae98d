#pragma once
// Which parts of a character would move by themselves, and why: what an animator would hand to physics first.

#include "rigspace/parts/part.h"

#include <string>
#include <vector>

namespace rigspace {

/// A chain or a mass of flesh that was looked at.
struct PartCandidate {
  Part part;  ///< with its reason, one sentence, where it is chosen
  bool chosen = false;
  double score = 0;                        ///< 0 to 1: above 0.5 an animator would see it; 0: never by default
  std::vector<std::string> reasons_for{};  ///< half a sentence each
  std::vector<std::string> reasons_against{};
  int twin = -1;  ///< into the candidates: its mirror image, chosen with it or not at all
};

/// All that there is to say about the parts of a character.
struct PartSearch {
  std::vector<PartCandidate> candidates;  ///< chosen ones first, then by score
  std::string body;                       ///< "a body on four legs"
  /// One sentence where the choice is not plain: the motion is gentle since nothing obvious was found, or nothing
  /// moves and why. Empty otherwise.
  std::string remark;
  bool movable = false;  ///< there are joints with skin, or morphs: something could be moved
};

/// Looks at names, in many spellings and languages; mirrored pairs; contact with the ground over the clips; what the
/// clips key; topology; how rigid the weights are; separate shells; names of materials. Limbs, heads, necks, hands,
/// faces, wheels and props are never chosen. Chosen parts have no joint in common; pairs stay together; at most six,
/// where three chains and more of one word (tentacles, panels of a skirt) count as two, and at most 24 chains.
PartSearch find_part_candidates(const Character& character);

/// `'tail*,sting=tail'`, without the quotes: what --part takes to name these joints, and no others if it can be helped.
std::string part_pattern(const Character& character, const Part& part);

/// Of each point of the rig, how much of its skin hangs on some bones: 0 to 1.
Vec share_of_skin(const Character& character, std::span<const int> bones);

}  // namespace rigspace
