#pragma once
// Which application a part of a character is for. Applications do not include each other: the one that finds parts
// (physics) lists here what others offer for them, cloth for a cape for instance.

#include "rigspace/parts/part.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct PartClaim {
  std::string application;  ///< "clothing"
  /// One sentence with the ready command for a part of the character in `file`; empty if the part is not of its kind.
  std::function<std::string(const Character& character, const Part& part, const std::string& file)> offer;
};

/// A later claim of the same application replaces the earlier one. Programs call the function by which an application
/// registers its claim before they run jobs; nothing registers itself.
void register_part_claim(PartClaim claim);

/// What all applications offer for these parts, in the order of the parts.
std::vector<std::string> part_offers(const Character& character, std::span<const Part> parts, const std::string& file);

}  // namespace rigspace
