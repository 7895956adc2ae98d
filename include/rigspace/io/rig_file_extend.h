#pragma once
// Parts added to a rig that is written down, in memory and in its file.

#include "rigspace/io/rig_file.h"

#include <span>
#include <string>

namespace rigspace {

struct RigFileAdditions {
  RigPlan parts;                   ///< its sections are appended to the file's; skins, shapes and points are not taken
  std::vector<std::string> clips;  ///< .rigspace.json files beside it, after those that it names
};

/// The text of a rig file with more in it: mesh, clips and all else as they were, so that what is there moves as it did
/// to the bit. Comments are lost. `name` stands for the file in messages. Throws Error if the text is no JSON object.
std::string extended_rig_file(const std::string& text, const std::string& name, const RigFileAdditions& additions);

/// The character with the controls and drivers of `parts` in its rig, built anew; its bones keep their names.
RiggedCharacter extended(RiggedCharacter rigged, const RigPlan& parts);

}  // namespace rigspace
