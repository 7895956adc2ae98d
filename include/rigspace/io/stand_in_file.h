#pragma once
// Fast stand-ins for slow rigs (rig/stand_in.h) as rig files of the kind "stand-in":
//   {"rigspace_rig": 1, "kind": "stand-in", "slow": "hero.flesh.rig.json", "fast": "hero.glb",
//    "clips": ["Walk", "Run"], "poses": 200, "tolerance": 0.002, "safety": 2}
// It is learned anew whenever it is loaded, from poses evenly over the clips (all, if none are named).

#include "rigspace/anim/character.h"
#include "rigspace/rig/stand_in.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

struct StandInFile {
  std::string slow;                ///< a character of any format, beside the file
  std::string fast;                ///< likewise, of the same points; empty: none
  std::vector<std::string> clips;  ///< of the slow one; empty: all
  int poses = 200;
  StandInOptions options;
};

struct StandIn {
  Character character;  ///< the slow one's, with the stand-in for its rig
  std::shared_ptr<const StandInRig> rig;
  std::shared_ptr<const Rig> slow, fast;
};

/// Throws Error that names what is missing or does not fit.
StandIn make_stand_in(const StandInFile& file, const std::filesystem::path& folder);

StandInFile parse_stand_in_file(std::string text, const std::string& name);
std::string stand_in_text(const StandInFile& file);

/// From now on rig files of this kind are opened by load_rig_file.
void register_stand_in_kind();

}  // namespace rigspace
